// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=batch_matmul --verify --tile=3x5
// RUN: fa-run %s --function=reduction_inside --verify --tile=3x5
// RUN: fa-run %s --function=one_head --verify --tile=3x5
// RUN: fa-run %s --function=transposed_maps --verify --tile=3x5
// RUN: fa-run %s --function=key_times_query --verify --tile=3x5
// RUN: fa-run %s --function=heads_between --verify --tile=3x5
// RUN: fa-run %s --function=fused_into_the_body --verify --tile=3x5
// RUN: fa-run %s --function=grouped_by_loops --verify --tile=3x5
// RUN: fa-run %s --function=value_times_weights --verify --tile=3x5
// RUN: fa-run %s --function=division_inside --verify --tile=3x5
// RUN: fa-run %s --function=output_accumulated --verify --tile=3x5
// RUN: fa-run %s --function=bias_in_the_accumulator --verify --tile=3x5

// Spellings of the two products.

// CHECK: [Passed] fuse-attention | Category:fa | Function=batch_matmul |
func.func @batch_matmul(%q: tensor<2x3x5xf32>, %k: tensor<2x5x7xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x3x5xf32>, tensor<2x5x7xf32>) outs(%z1 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.batch_matmul ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Iterators in another order: the head dim stands before the keys.
// CHECK: [Passed] fuse-attention | Category:fa | Function=reduction_inside |
func.func @reduction_inside(%q: tensor<2x6x3x5xf32>, %k: tensor<2x6x5x7xf32>, %v: tensor<2x6x7x4xf32>) -> tensor<2x6x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x6x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, d, n)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x6x3x5xf32>, tensor<2x6x5x7xf32>) outs(%z1 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e = tensor.empty() : tensor<2x6x3x7xf32>
  %p2 = linalg.softmax dimension(3) ins(%s : tensor<2x6x3x7xf32>) outs(%e : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x6x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x6x3x7xf32>, tensor<2x6x7x4xf32>) outs(%z3 : tensor<2x6x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x4xf32>
  return %o : tensor<2x6x3x4xf32>
}

// CHECK: [Passed] fuse-attention | Category:fa | Function=one_head |
func.func @one_head(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<3x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%z1 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %p2 = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<3x4xf32>
  %o = linalg.matmul ins(%p2, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%z3 : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// A named product with maps of its own: the key is transposed by them.
// CHECK: [Passed] fuse-attention | Category:fa | Function=transposed_maps |
// IR-LABEL: @transposed_maps(
// IR: fa.attention query(%arg0) key(%arg1) value(%arg2)
func.func @transposed_maps(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>] ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.batch_matmul ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The scores are computed as K Q^T and transposed.
// CHECK: [Passed] fuse-attention | Category:fa | Function=key_times_query |
func.func @key_times_query(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x7x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, n, d, m) -> (b, n, d)>, affine_map<(b, n, d, m) -> (b, m, d)>, affine_map<(b, n, d, m) -> (b, n, m)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%k, %q : tensor<2x7x5xf32>, tensor<2x3x5xf32>) outs(%z1 : tensor<2x7x3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x7x3xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %t2 = linalg.transpose ins(%s : tensor<2x7x3xf32>) outs(%e : tensor<2x3x7xf32>) permutation = [0, 2, 1]
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%t2 : tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z5 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A product with its free dimensions as [b,m,h,n], transposed afterwards.
// CHECK: [Passed] fuse-attention | Category:fa | Function=heads_between |
func.func @heads_between(%q: tensor<2x3x6x5xf32>, %k: tensor<2x7x6x5xf32>, %v: tensor<2x7x6x4xf32>) -> tensor<2x3x6x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x6x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, h, d, n) -> (b, m, h, d)>, affine_map<(b, m, h, d, n) -> (b, n, h, d)>, affine_map<(b, m, h, d, n) -> (b, m, h, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x6x5xf32>, tensor<2x7x6x5xf32>) outs(%z1 : tensor<2x3x6x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x6x7xf32>
  %e = tensor.empty() : tensor<2x6x3x7xf32>
  %t2 = linalg.transpose ins(%s : tensor<2x3x6x7xf32>) outs(%e : tensor<2x6x3x7xf32>) permutation = [0, 2, 1, 3]
  %e3 = tensor.empty() : tensor<2x6x3x7xf32>
  %p4 = linalg.softmax dimension(3) ins(%t2 : tensor<2x6x3x7xf32>) outs(%e3 : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3x6x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, n, h, e)>, affine_map<(b, h, m, n, e) -> (b, m, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %v : tensor<2x6x3x7xf32>, tensor<2x7x6x4xf32>) outs(%z5 : tensor<2x3x6x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x6x4xf32>
  return %o : tensor<2x3x6x4xf32>
}

// Casts and scales inside of the product, in f16, as elementwise fusion leaves them.
// CHECK: [Passed] fuse-attention | Category:fa | Function=fused_into_the_body |{{.*}}scale 0.2
func.func @fused_into_the_body(%q: tensor<2x3x5xf16>, %k: tensor<2x7x5xf16>, %v: tensor<2x7x4xf16>) -> tensor<2x3x4xf16> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf16>, tensor<2x7x5xf16>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f32):
    %c = arith.constant 0.5 : f32
    %x = arith.extf %b0 : f16 to f32
    %y = arith.extf %b1 : f16 to f32
    %qc = arith.mulf %x, %c : f32
    %kc = arith.mulf %y, %c : f32
    %w = arith.mulf %qc, %kc : f32
    %r = arith.addf %acc, %w : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %x3 = arith.truncf %p2 : tensor<2x3x7xf32> to tensor<2x3x7xf16>
  %z4 = arith.constant dense<0.0> : tensor<2x3x4xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x3, %v : tensor<2x3x7xf16>, tensor<2x7x4xf16>) outs(%z4 : tensor<2x3x4xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x4xf16>
  return %o : tensor<2x3x4xf16>
}

// Grouped queries: the key lacks the group dimension in its map.
// CHECK: [Passed] fuse-attention | Category:fa | Function=grouped_by_loops |
// IR-LABEL: @grouped_by_loops(
// IR: fa.attention query(%arg0) key(%arg1) value(%arg2)
func.func @grouped_by_loops(%q: tensor<2x2x3x4x5xf32>, %k: tensor<2x2x7x5xf32>, %v: tensor<2x2x7x6xf32>) -> tensor<2x2x3x4x6xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x2x3x4x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, k, g, m, d, n) -> (b, k, g, m, d)>, affine_map<(b, k, g, m, d, n) -> (b, k, n, d)>, affine_map<(b, k, g, m, d, n) -> (b, k, g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x2x3x4x5xf32>, tensor<2x2x7x5xf32>) outs(%z1 : tensor<2x2x3x4x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x4x7xf32>
  %e = tensor.empty() : tensor<2x2x3x4x7xf32>
  %p2 = linalg.softmax dimension(4) ins(%s : tensor<2x2x3x4x7xf32>) outs(%e : tensor<2x2x3x4x7xf32>) -> tensor<2x2x3x4x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x2x3x4x6xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, k, g, m, n, e) -> (b, k, g, m, n)>, affine_map<(b, k, g, m, n, e) -> (b, k, n, e)>, affine_map<(b, k, g, m, n, e) -> (b, k, g, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x2x3x4x7xf32>, tensor<2x2x7x6xf32>) outs(%z3 : tensor<2x2x3x4x6xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x4x6xf32>
  return %o : tensor<2x2x3x4x6xf32>
}

// O^T = V^T P^T, transposed afterwards.
// CHECK: [Passed] fuse-attention | Category:fa | Function=value_times_weights |
func.func @value_times_weights(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x4x3xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, n, e, m) -> (b, n, e)>, affine_map<(b, n, e, m) -> (b, m, n)>, affine_map<(b, n, e, m) -> (b, e, m)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%v, %p2 : tensor<2x7x4xf32>, tensor<2x3x7xf32>) outs(%z3 : tensor<2x4x3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x3xf32>
  %e4 = tensor.empty() : tensor<2x3x4xf32>
  %t5 = linalg.transpose ins(%o : tensor<2x4x3xf32>) outs(%e4 : tensor<2x3x4xf32>) permutation = [0, 2, 1]
  return %t5 : tensor<2x3x4xf32>
}

// The division stands inside of the second product.
// CHECK: [Passed] fuse-attention | Category:fa | Function=division_inside |
func.func @division_inside(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %lo2 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<2x3x7xf32>) outs(%lo2 : tensor<2x3xf32>) dimensions = [2]
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x3 = arith.subf %s, %b : tensor<2x3x7xf32>
  %e4 = math.exp %x3 : tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%e4 : tensor<2x3x7xf32>) outs(%z5 : tensor<2x3xf32>) dimensions = [2]
  %e6 = tensor.empty() : tensor<2x3x7xf32>
  %b7 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e6 : tensor<2x3x7xf32>) dimensions = [2]
  %p8 = arith.divf %e4, %b7 : tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, m)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%e4, %l, %v : tensor<2x3x7xf32>, tensor<2x3xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %acc: f32):
    %x = arith.divf %b0, %b1 : f32
    %y = arith.mulf %x, %b2 : f32
    %r = arith.addf %acc, %y : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The second product adds to a tensor: that is added afterwards.
// CHECK: [Passed] fuse-attention | Category:fa | Function=output_accumulated |
func.func @output_accumulated(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %acc0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%acc0 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The first product adds to a bias.
// CHECK: [Passed] fuse-attention | Category:fa | Function=bias_in_the_accumulator |{{.*}}1 mask or bias operand
func.func @bias_in_the_accumulator(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %bias: tensor<2x3x7xf32>) -> tensor<2x3x4xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%bias : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p1 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p1, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z2 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}
