func.func @attention(%q: tensor<8x512x64xf32>, %k: tensor<8x512x64xf32>, %v: tensor<8x512x64xf32>)
    -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_empty = tensor.empty() : tensor<8x512x512xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %scores = linalg.generic {
      indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>,
                       affine_map<(b, m, n, d) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x512x64xf32>, tensor<8x512x64xf32>) outs(%scores_zero : tensor<8x512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<8x512x512xf32>
  %masked = linalg.generic {
      indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<8x512x512xf32>) outs(%scores_empty : tensor<8x512x512xf32>) {
  ^bb0(%score: f32, %out: f32):
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %keep = arith.cmpi sge, %m, %n : index
    %scaled = arith.mulf %score, %scale : f32
    %kept = arith.select %keep, %scaled, %ninf : f32
    linalg.yield %kept : f32
  } -> tensor<8x512x512xf32>
  %weights = linalg.softmax dimension(2) ins(%masked : tensor<8x512x512xf32>) outs(%scores_empty : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %empty = tensor.empty() : tensor<8x512x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<8x512x512xf32>, tensor<8x512x64xf32>) outs(%init : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %result : tensor<8x512x64xf32>
}
