// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=heads_split --verify --tile=3x5
// RUN: fa-run %s --function=collapsed_batch --verify --tile=3x5
// RUN: fa-run %s --function=copies --verify --tile=3x5
// RUN: fa-run %s --function=packed --verify --tile=3x5
// RUN: fa-run %s --function=packed_columns --verify --tile=3x5
// RUN: fa-run %s --function=grouped_by_broadcast --verify --tile=3x5
// RUN: fa-run %s --function=grouped_interleaved --verify --tile=3x5
// RUN: fa-run %s --function=grouped_two_ways --verify --tile=3x5
// RUN: fa-run %s --function=rows_of_groups --verify --tile=3x5
// RUN: fa-run %s --function=groups_of_rows --verify --tile=3x5
// RUN: fa-run %s --function=group_last --verify --tile=3x5
// RUN: fa-run %s --function=two_key_dimensions --verify --tile=3x5

// Layouts: views, copies, packed and grouped heads.

// Heads split off by expand and transpose, merged by transpose and collapse; K goes to [b,h,d,s] at once.
// CHECK: [Passed] fuse-attention | Category:fa | Function=heads_split |
// IR-LABEL: @heads_split(
// IR: fa.attention
func.func @heads_split(%q: tensor<2x3x30xf32>, %k: tensor<2x7x30xf32>, %v: tensor<2x7x24xf32>) -> tensor<2x3x24xf32> {
  %r1 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 3, 6, 5] : tensor<2x3x30xf32> into tensor<2x3x6x5xf32>
  %e = tensor.empty() : tensor<2x6x3x5xf32>
  %t2 = linalg.transpose ins(%r1 : tensor<2x3x6x5xf32>) outs(%e : tensor<2x6x3x5xf32>) permutation = [0, 2, 1, 3]
  %r3 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 7, 6, 5] : tensor<2x7x30xf32> into tensor<2x7x6x5xf32>
  %e4 = tensor.empty() : tensor<2x6x5x7xf32>
  %t5 = linalg.transpose ins(%r3 : tensor<2x7x6x5xf32>) outs(%e4 : tensor<2x6x5x7xf32>) permutation = [0, 2, 3, 1]
  %r6 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 7, 6, 4] : tensor<2x7x24xf32> into tensor<2x7x6x4xf32>
  %e7 = tensor.empty() : tensor<2x6x7x4xf32>
  %t8 = linalg.transpose ins(%r6 : tensor<2x7x6x4xf32>) outs(%e7 : tensor<2x6x7x4xf32>) permutation = [0, 2, 1, 3]
  %z9 = arith.constant dense<0.0> : tensor<2x6x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, d, n)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%t2, %t5 : tensor<2x6x3x5xf32>, tensor<2x6x5x7xf32>) outs(%z9 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e10 = tensor.empty() : tensor<2x6x3x7xf32>
  %p11 = linalg.softmax dimension(3) ins(%s : tensor<2x6x3x7xf32>) outs(%e10 : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z12 = arith.constant dense<0.0> : tensor<2x6x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p11, %t8 : tensor<2x6x3x7xf32>, tensor<2x6x7x4xf32>) outs(%z12 : tensor<2x6x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x4xf32>
  %e13 = tensor.empty() : tensor<2x3x6x4xf32>
  %t14 = linalg.transpose ins(%o : tensor<2x6x3x4xf32>) outs(%e13 : tensor<2x3x6x4xf32>) permutation = [0, 2, 1, 3]
  %r15 = tensor.collapse_shape %t14 [[0], [1], [2, 3]] : tensor<2x3x6x4xf32> into tensor<2x3x24xf32>
  return %r15 : tensor<2x3x24xf32>
}

// Batch and heads collapsed, expanded afterwards.
// CHECK: [Passed] fuse-attention | Category:fa | Function=collapsed_batch |
func.func @collapsed_batch(%q: tensor<2x6x3x5xf32>, %k: tensor<2x6x7x5xf32>, %v: tensor<2x6x7x4xf32>) -> tensor<2x6x3x4xf32> {
  %r1 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x6x3x5xf32> into tensor<12x3x5xf32>
  %r2 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x6x7x5xf32> into tensor<12x7x5xf32>
  %r3 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x6x7x4xf32> into tensor<12x7x4xf32>
  %z4 = arith.constant dense<0.0> : tensor<12x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r1, %r2 : tensor<12x3x5xf32>, tensor<12x7x5xf32>) outs(%z4 : tensor<12x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<12x3x7xf32>
  %e = tensor.empty() : tensor<12x3x7xf32>
  %p5 = linalg.softmax dimension(2) ins(%s : tensor<12x3x7xf32>) outs(%e : tensor<12x3x7xf32>) -> tensor<12x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<12x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p5, %r3 : tensor<12x3x7xf32>, tensor<12x7x4xf32>) outs(%z6 : tensor<12x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<12x3x4xf32>
  %r7 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 6, 3, 4] : tensor<12x3x4xf32> into tensor<2x6x3x4xf32>
  return %r7 : tensor<2x6x3x4xf32>
}

// Copies and additions of zero on the way.
// CHECK: [Passed] fuse-attention | Category:fa | Function=copies |
func.func @copies(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x5xf32>
  %g1 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    linalg.yield %b0 : f32
  } -> tensor<2x3x5xf32>
  %c2 = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %x3 = arith.addf %k, %c2 : tensor<2x7x5xf32>
  %z4 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%g1, %x3 : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z4 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e5 = tensor.empty() : tensor<2x3x7xf32>
  %g6 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x3x7xf32>) outs(%e5 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    linalg.yield %b0 : f32
  } -> tensor<2x3x7xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %p8 = linalg.softmax dimension(2) ins(%g6 : tensor<2x3x7xf32>) outs(%e7 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %sl = tensor.extract_slice %p8[0, 0, 0] [2, 3, 7] [1, 1, 1] : tensor<2x3x7xf32> to tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%sl, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// One tensor holds Q, K and V: slices of it.
// CHECK: [Passed] fuse-attention | Category:fa | Function=packed |
func.func @packed(%x: tensor<2x7x3x6x5xf32>) -> tensor<2x7x6x5xf32> {
  %sl = tensor.extract_slice %x[0, 0, 0, 0, 0] [2, 7, 1, 6, 5] [1, 1, 1, 1, 1] : tensor<2x7x3x6x5xf32> to tensor<2x7x6x5xf32>
  %sl1 = tensor.extract_slice %x[0, 0, 1, 0, 0] [2, 7, 1, 6, 5] [1, 1, 1, 1, 1] : tensor<2x7x3x6x5xf32> to tensor<2x7x6x5xf32>
  %sl2 = tensor.extract_slice %x[0, 0, 2, 0, 0] [2, 7, 1, 6, 5] [1, 1, 1, 1, 1] : tensor<2x7x3x6x5xf32> to tensor<2x7x6x5xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x6x7x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, h, d, n) -> (b, m, h, d)>, affine_map<(b, m, h, d, n) -> (b, n, h, d)>, affine_map<(b, m, h, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%sl, %sl1 : tensor<2x7x6x5xf32>, tensor<2x7x6x5xf32>) outs(%z3 : tensor<2x6x7x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x7x7xf32>
  %e = tensor.empty() : tensor<2x6x7x7xf32>
  %p4 = linalg.softmax dimension(3) ins(%s : tensor<2x6x7x7xf32>) outs(%e : tensor<2x6x7x7xf32>) -> tensor<2x6x7x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x7x6x5xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, n, h, e)>, affine_map<(b, h, m, n, e) -> (b, m, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %sl2 : tensor<2x6x7x7xf32>, tensor<2x7x6x5xf32>) outs(%z5 : tensor<2x7x6x5xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x7x6x5xf32>
  return %o : tensor<2x7x6x5xf32>
}

// Packed by columns of one projection, split into heads afterwards.
// CHECK: [Passed] fuse-attention | Category:fa | Function=packed_columns |
func.func @packed_columns(%x: tensor<2x7x90xf32>) -> tensor<2x7x6x5xf32> {
  %sl = tensor.extract_slice %x[0, 0, 0] [2, 7, 30] [1, 1, 1] : tensor<2x7x90xf32> to tensor<2x7x30xf32>
  %r1 = tensor.expand_shape %sl [[0], [1], [2, 3]] output_shape [2, 7, 6, 5] : tensor<2x7x30xf32> into tensor<2x7x6x5xf32>
  %sl2 = tensor.extract_slice %x[0, 0, 30] [2, 7, 30] [1, 1, 1] : tensor<2x7x90xf32> to tensor<2x7x30xf32>
  %r3 = tensor.expand_shape %sl2 [[0], [1], [2, 3]] output_shape [2, 7, 6, 5] : tensor<2x7x30xf32> into tensor<2x7x6x5xf32>
  %sl4 = tensor.extract_slice %x[0, 0, 60] [2, 7, 30] [1, 1, 1] : tensor<2x7x90xf32> to tensor<2x7x30xf32>
  %r5 = tensor.expand_shape %sl4 [[0], [1], [2, 3]] output_shape [2, 7, 6, 5] : tensor<2x7x30xf32> into tensor<2x7x6x5xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x6x7x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, h, d, n) -> (b, m, h, d)>, affine_map<(b, m, h, d, n) -> (b, n, h, d)>, affine_map<(b, m, h, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%r1, %r3 : tensor<2x7x6x5xf32>, tensor<2x7x6x5xf32>) outs(%z6 : tensor<2x6x7x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x7x7xf32>
  %e = tensor.empty() : tensor<2x6x7x7xf32>
  %p7 = linalg.softmax dimension(3) ins(%s : tensor<2x6x7x7xf32>) outs(%e : tensor<2x6x7x7xf32>) -> tensor<2x6x7x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x7x6x5xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, n, h, e)>, affine_map<(b, h, m, n, e) -> (b, m, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p7, %r5 : tensor<2x6x7x7xf32>, tensor<2x7x6x5xf32>) outs(%z8 : tensor<2x7x6x5xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x7x6x5xf32>
  return %o : tensor<2x7x6x5xf32>
}

// Grouped heads by expand, broadcast and collapse of K and V.
// CHECK: [Passed] fuse-attention | Category:fa | Function=grouped_by_broadcast |
func.func @grouped_by_broadcast(%q: tensor<2x6x3x5xf32>, %k: tensor<2x2x7x5xf32>, %v: tensor<2x2x7x4xf32>) -> tensor<2x6x3x4xf32> {
  %e = tensor.empty() : tensor<2x2x3x7x5xf32>
  %b = linalg.broadcast ins(%k : tensor<2x2x7x5xf32>) outs(%e : tensor<2x2x3x7x5xf32>) dimensions = [2]
  %r1 = tensor.collapse_shape %b [[0], [1, 2], [3], [4]] : tensor<2x2x3x7x5xf32> into tensor<2x6x7x5xf32>
  %e2 = tensor.empty() : tensor<2x2x3x7x4xf32>
  %b3 = linalg.broadcast ins(%v : tensor<2x2x7x4xf32>) outs(%e2 : tensor<2x2x3x7x4xf32>) dimensions = [2]
  %r4 = tensor.collapse_shape %b3 [[0], [1, 2], [3], [4]] : tensor<2x2x3x7x4xf32> into tensor<2x6x7x4xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x6x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, n, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %r1 : tensor<2x6x3x5xf32>, tensor<2x6x7x5xf32>) outs(%z5 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e6 = tensor.empty() : tensor<2x6x3x7xf32>
  %p7 = linalg.softmax dimension(3) ins(%s : tensor<2x6x3x7xf32>) outs(%e6 : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x6x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p7, %r4 : tensor<2x6x3x7xf32>, tensor<2x6x7x4xf32>) outs(%z8 : tensor<2x6x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x4xf32>
  return %o : tensor<2x6x3x4xf32>
}

// Query head h uses key head h mod 2.
// CHECK: [Passed] fuse-attention | Category:fa | Function=grouped_interleaved |
func.func @grouped_interleaved(%q: tensor<2x6x3x5xf32>, %k: tensor<2x2x7x5xf32>, %v: tensor<2x2x7x4xf32>) -> tensor<2x6x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x2x7x5xf32>
  %b = linalg.broadcast ins(%k : tensor<2x2x7x5xf32>) outs(%e : tensor<2x3x2x7x5xf32>) dimensions = [1]
  %r1 = tensor.collapse_shape %b [[0], [1, 2], [3], [4]] : tensor<2x3x2x7x5xf32> into tensor<2x6x7x5xf32>
  %e2 = tensor.empty() : tensor<2x3x2x7x4xf32>
  %b3 = linalg.broadcast ins(%v : tensor<2x2x7x4xf32>) outs(%e2 : tensor<2x3x2x7x4xf32>) dimensions = [1]
  %r4 = tensor.collapse_shape %b3 [[0], [1, 2], [3], [4]] : tensor<2x3x2x7x4xf32> into tensor<2x6x7x4xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x6x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, n, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %r1 : tensor<2x6x3x5xf32>, tensor<2x6x7x5xf32>) outs(%z5 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e6 = tensor.empty() : tensor<2x6x3x7xf32>
  %p7 = linalg.softmax dimension(3) ins(%s : tensor<2x6x3x7xf32>) outs(%e6 : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x6x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p7, %r4 : tensor<2x6x3x7xf32>, tensor<2x6x7x4xf32>) outs(%z8 : tensor<2x6x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x4xf32>
  return %o : tensor<2x6x3x4xf32>
}

// K is repeated by a broadcast, V by a sum with zeros; a cast stands between.
// CHECK: [Passed] fuse-attention | Category:fa | Function=grouped_two_ways |
// IR-LABEL: @grouped_two_ways(
// IR: value(%arg2)
func.func @grouped_two_ways(%q: tensor<2x6x3x5xf32>, %k: tensor<2x2x7x5xf16>, %v: tensor<2x2x7x4xf32>) -> tensor<2x6x3x4xf32> {
  %e = tensor.empty() : tensor<2x2x3x7x5xf16>
  %b = linalg.broadcast ins(%k : tensor<2x2x7x5xf16>) outs(%e : tensor<2x2x3x7x5xf16>) dimensions = [2]
  %r1 = tensor.collapse_shape %b [[0], [1, 2], [3], [4]] : tensor<2x2x3x7x5xf16> into tensor<2x6x7x5xf16>
  %x2 = arith.extf %r1 : tensor<2x6x7x5xf16> to tensor<2x6x7x5xf32>
  %c3 = arith.constant dense<0.0> : tensor<2x2x3x7x4xf32>
  %r4 = tensor.expand_shape %v [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 7, 4] : tensor<2x2x7x4xf32> into tensor<2x2x1x7x4xf32>
  %e5 = tensor.empty() : tensor<2x2x3x7x4xf32>
  %g6 = linalg.generic {indexing_maps = [affine_map<(b, k, n, e, g) -> (b, k, 0, n, e)>, affine_map<(b, k, n, e, g) -> (b, k, g, n, e)>, affine_map<(b, k, n, e, g) -> (b, k, g, n, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%r4, %c3 : tensor<2x2x1x7x4xf32>, tensor<2x2x3x7x4xf32>) outs(%e5 : tensor<2x2x3x7x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b0, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x7x4xf32>
  %r7 = tensor.collapse_shape %g6 [[0], [1, 2], [3], [4]] : tensor<2x2x3x7x4xf32> into tensor<2x6x7x4xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x6x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, n, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %x2 : tensor<2x6x3x5xf32>, tensor<2x6x7x5xf32>) outs(%z8 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e9 = tensor.empty() : tensor<2x6x3x7xf32>
  %p10 = linalg.softmax dimension(3) ins(%s : tensor<2x6x3x7xf32>) outs(%e9 : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z11 = arith.constant dense<0.0> : tensor<2x6x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p10, %r7 : tensor<2x6x3x7xf32>, tensor<2x6x7x4xf32>) outs(%z11 : tensor<2x6x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x4xf32>
  return %o : tensor<2x6x3x4xf32>
}

// Group and query are one row of both products, the mask is applied to them apart: row r is query r mod 3.
// CHECK: [Passed] fuse-attention | Category:fa | Function=rows_of_groups |{{.*}}masked by position
func.func @rows_of_groups(%q: tensor<2x4x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x4x3x4xf32> {
  %r1 = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x4x3x5xf32> into tensor<2x12x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x12x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, r, d, n) -> (b, r, d)>, affine_map<(b, r, d, n) -> (b, n, d)>, affine_map<(b, r, d, n) -> (b, r, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r1, %k : tensor<2x12x5xf32>, tensor<2x7x5xf32>) outs(%z2 : tensor<2x12x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x12x7xf32>
  %r3 = tensor.expand_shape %s [[0], [1, 2], [3]] output_shape [2, 4, 3, 7] : tensor<2x12x7xf32> into tensor<2x4x3x7xf32>
  %e = tensor.empty() : tensor<2x4x3x7xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(b, g, m, n) -> (b, g, m, n)>, affine_map<(b, g, m, n) -> (b, g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r3 : tensor<2x4x3x7xf32>) outs(%e : tensor<2x4x3x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %ok = arith.cmpi sge, %i, %j : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x4x3x7xf32>
  %e5 = tensor.empty() : tensor<2x4x3x7xf32>
  %p6 = linalg.softmax dimension(3) ins(%s4 : tensor<2x4x3x7xf32>) outs(%e5 : tensor<2x4x3x7xf32>) -> tensor<2x4x3x7xf32>
  %r7 = tensor.collapse_shape %p6 [[0], [1, 2], [3]] : tensor<2x4x3x7xf32> into tensor<2x12x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x12x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, r, n, e) -> (b, r, n)>, affine_map<(b, r, n, e) -> (b, n, e)>, affine_map<(b, r, n, e) -> (b, r, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r7, %v : tensor<2x12x7xf32>, tensor<2x7x4xf32>) outs(%z8 : tensor<2x12x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x12x4xf32>
  %r9 = tensor.expand_shape %o [[0], [1, 2], [3]] output_shape [2, 4, 3, 4] : tensor<2x12x4xf32> into tensor<2x4x3x4xf32>
  return %r9 : tensor<2x4x3x4xf32>
}

// The other order: row r is query r div 4.
// CHECK: [Passed] fuse-attention | Category:fa | Function=groups_of_rows |{{.*}}masked by position
func.func @groups_of_rows(%q: tensor<2x3x4x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4x4xf32> {
  %r1 = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x3x4x5xf32> into tensor<2x12x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x12x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, r, d, n) -> (b, r, d)>, affine_map<(b, r, d, n) -> (b, n, d)>, affine_map<(b, r, d, n) -> (b, r, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r1, %k : tensor<2x12x5xf32>, tensor<2x7x5xf32>) outs(%z2 : tensor<2x12x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x12x7xf32>
  %r3 = tensor.expand_shape %s [[0], [1, 2], [3]] output_shape [2, 3, 4, 7] : tensor<2x12x7xf32> into tensor<2x3x4x7xf32>
  %e = tensor.empty() : tensor<2x3x4x7xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(b, m, g, n) -> (b, m, g, n)>, affine_map<(b, m, g, n) -> (b, m, g, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r3 : tensor<2x3x4x7xf32>) outs(%e : tensor<2x3x4x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 3 : index
    %ok = arith.cmpi sge, %i, %j : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x7xf32>
  %e5 = tensor.empty() : tensor<2x3x4x7xf32>
  %p6 = linalg.softmax dimension(3) ins(%s4 : tensor<2x3x4x7xf32>) outs(%e5 : tensor<2x3x4x7xf32>) -> tensor<2x3x4x7xf32>
  %r7 = tensor.collapse_shape %p6 [[0], [1, 2], [3]] : tensor<2x3x4x7xf32> into tensor<2x12x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x12x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, r, n, e) -> (b, r, n)>, affine_map<(b, r, n, e) -> (b, n, e)>, affine_map<(b, r, n, e) -> (b, r, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r7, %v : tensor<2x12x7xf32>, tensor<2x7x4xf32>) outs(%z8 : tensor<2x12x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x12x4xf32>
  %r9 = tensor.expand_shape %o [[0], [1, 2], [3]] output_shape [2, 3, 4, 4] : tensor<2x12x4xf32> into tensor<2x3x4x4xf32>
  return %r9 : tensor<2x3x4x4xf32>
}

// Groups as the last dimension of the scores, V before the weights, two transposes after.
// CHECK: [Passed] fuse-attention | Category:fa | Function=group_last |
func.func @group_last(%q: tensor<2x3x2x3x5xf32>, %k: tensor<2x7x2x5xf32>, %v: tensor<2x7x2x4xf32>) -> tensor<2x3x2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x2x3x7x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, k, g, d, n) -> (b, m, k, g, d)>, affine_map<(b, m, k, g, d, n) -> (b, n, k, d)>, affine_map<(b, m, k, g, d, n) -> (b, k, m, n, g)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x2x3x5xf32>, tensor<2x7x2x5xf32>) outs(%z1 : tensor<2x2x3x7x3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x7x3xf32>
  %lo2 = arith.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<2x2x3x7x3xf32>) outs(%lo2 : tensor<2x2x3x3xf32>) dimensions = [3]
  %e = tensor.empty() : tensor<2x2x3x7x3xf32>
  %b = linalg.broadcast ins(%m : tensor<2x2x3x3xf32>) outs(%e : tensor<2x2x3x7x3xf32>) dimensions = [3]
  %x3 = arith.subf %s, %b : tensor<2x2x3x7x3xf32>
  %x4 = math.exp %x3 : tensor<2x2x3x7x3xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x2x3x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x4 : tensor<2x2x3x7x3xf32>) outs(%z5 : tensor<2x2x3x3xf32>) dimensions = [3]
  %e6 = tensor.empty() : tensor<2x2x3x7x3xf32>
  %b7 = linalg.broadcast ins(%l : tensor<2x2x3x3xf32>) outs(%e6 : tensor<2x2x3x7x3xf32>) dimensions = [3]
  %x8 = arith.divf %x4, %b7 : tensor<2x2x3x7x3xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x2x4x3x3xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, n, k, e, m, g) -> (b, n, k, e)>, affine_map<(b, n, k, e, m, g) -> (b, k, m, n, g)>, affine_map<(b, n, k, e, m, g) -> (b, k, e, g, m)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v, %x8 : tensor<2x7x2x4xf32>, tensor<2x2x3x7x3xf32>) outs(%z9 : tensor<2x2x4x3x3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x4x3x3xf32>
  %e10 = tensor.empty() : tensor<2x2x3x3x4xf32>
  %t11 = linalg.transpose ins(%o : tensor<2x2x4x3x3xf32>) outs(%e10 : tensor<2x2x3x3x4xf32>) permutation = [0, 1, 3, 4, 2]
  %e12 = tensor.empty() : tensor<2x3x2x3x4xf32>
  %t13 = linalg.transpose ins(%t11 : tensor<2x2x3x3x4xf32>) outs(%e12 : tensor<2x3x2x3x4xf32>) permutation = [0, 3, 1, 2, 4]
  return %t13 : tensor<2x3x2x3x4xf32>
}

// Keys in pages: two dimensions are summed.
// CHECK: [Passed] fuse-attention | Category:fa | Function=two_key_dimensions |
func.func @two_key_dimensions(%q: tensor<2x3x5xf32>, %k: tensor<2x4x3x5xf32>, %v: tensor<2x4x3x6xf32>) -> tensor<2x3x6xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x4x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, p, n) -> (b, m, d)>, affine_map<(b, m, d, p, n) -> (b, p, n, d)>, affine_map<(b, m, d, p, n) -> (b, m, p, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x4x3x5xf32>) outs(%z1 : tensor<2x3x4x3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x3xf32>
  %lo2 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<2x3x4x3xf32>) outs(%lo2 : tensor<2x3xf32>) dimensions = [2, 3]
  %e = tensor.empty() : tensor<2x3x4x3xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e : tensor<2x3x4x3xf32>) dimensions = [2, 3]
  %x3 = arith.subf %s, %b : tensor<2x3x4x3xf32>
  %x4 = math.exp %x3 : tensor<2x3x4x3xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x4 : tensor<2x3x4x3xf32>) outs(%z5 : tensor<2x3xf32>) dimensions = [2, 3]
  %e6 = tensor.empty() : tensor<2x3x4x3xf32>
  %b7 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e6 : tensor<2x3x4x3xf32>) dimensions = [2, 3]
  %x8 = arith.divf %x4, %b7 : tensor<2x3x4x3xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x6xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, p, n, e) -> (b, m, p, n)>, affine_map<(b, m, p, n, e) -> (b, p, n, e)>, affine_map<(b, m, p, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel"]}
      ins(%x8, %v : tensor<2x3x4x3xf32>, tensor<2x4x3x6xf32>) outs(%z9 : tensor<2x3x6xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x6xf32>
  return %o : tensor<2x3x6xf32>
}
