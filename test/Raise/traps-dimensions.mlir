// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=key_permuted --verify --tile=3x5
// RUN: fa-run %s --function=key_twisted --verify --tile=3x5
// RUN: fa-run %s --function=value_twisted --verify --tile=3x5
// RUN: fa-run %s --function=batch_and_query_swapped --verify --tile=3x5
// RUN: fa-run %s --function=scale_along_keys --verify --tile=3x5
// RUN: fa-run %s --function=mask_of_heads --verify --tile=3x5
// RUN: fa-run %s --function=constant_index --verify --tile=3x5

// What looks like attention and sums, masks or scales over another dimension than it seems.
// Where sizes are all the same, only the indices tell.

// The softmax is over the queries.
// CHECK: [Missed] fuse-attention | Category:fa | Function=softmax_over_queries |{{.*}}the softmax normalises over another dimension
// IR-LABEL: @softmax_over_queries(
// IR-NOT: fa.attention
// IR: return
func.func @softmax_over_queries(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(1) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The softmax is over the heads.
// CHECK: [Missed] fuse-attention | Category:fa | Function=softmax_over_heads |{{.*}}the softmax normalises over another dimension
// IR-LABEL: @softmax_over_heads(
// IR-NOT: fa.attention
// IR: return
func.func @softmax_over_heads(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(0) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The second product sums over the queries, as the gradient of V does.
// CHECK: [Missed] fuse-attention | Category:fa | Function=product_over_queries |{{.*}}the softmax normalises over another dimension
// IR-LABEL: @product_over_queries(
// IR-NOT: fa.attention
// IR: return
func.func @product_over_queries(%q: tensor<2x4x4xf32>, %k: tensor<2x4x4xf32>, %v: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%z1 : tensor<2x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x4xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x4x4xf32>) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, m, e)>, affine_map<(b, m, n, e) -> (b, n, e)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%p2, %v : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%z3 : tensor<2x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x4xf32>
  return %o : tensor<2x4x4xf32>
}

// The key is read as [b,n,h,d], though sizes would allow [b,h,n,d]: its map says so.
// CHECK: [Passed] fuse-attention | Category:fa | Function=key_permuted |
// IR-LABEL: @key_permuted(
// IR: fa.attention query(%arg0) key(%arg1) value(%arg2)
func.func @key_permuted(%q: tensor<4x4x4x4xf32>, %k: tensor<4x4x4x4xf32>, %v: tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<4x4x4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, n, h, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%z1 : tensor<4x4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4x4xf32>
  %e = tensor.empty() : tensor<4x4x4x4xf32>
  %p2 = linalg.softmax dimension(3) ins(%s : tensor<4x4x4x4xf32>) outs(%e : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %z3 = arith.constant dense<0.0> : tensor<4x4x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%z3 : tensor<4x4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4x4xf32>
  return %o : tensor<4x4x4x4xf32>
}

// Heads and head dims of the key are swapped by a permutation that sizes do not show.
// CHECK: [Passed] fuse-attention | Category:fa | Function=key_twisted |
func.func @key_twisted(%q: tensor<4x4x4x4xf32>, %k: tensor<4x4x4x4xf32>, %v: tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32> {
  %e = tensor.empty() : tensor<4x4x4x4xf32>
  %t1 = linalg.transpose ins(%k : tensor<4x4x4x4xf32>) outs(%e : tensor<4x4x4x4xf32>) permutation = [0, 2, 3, 1]
  %z2 = arith.constant dense<0.0> : tensor<4x4x4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, d, n)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %t1 : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%z2 : tensor<4x4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4x4xf32>
  %e3 = tensor.empty() : tensor<4x4x4x4xf32>
  %p4 = linalg.softmax dimension(3) ins(%s : tensor<4x4x4x4xf32>) outs(%e3 : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %z5 = arith.constant dense<0.0> : tensor<4x4x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %v : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%z5 : tensor<4x4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4x4xf32>
  return %o : tensor<4x4x4x4xf32>
}

// The value is read by [b,e,n], the output written as [b,e,m].
// CHECK: [Passed] fuse-attention | Category:fa | Function=value_twisted |
func.func @value_twisted(%q: tensor<4x4x4xf32>, %k: tensor<4x4x4xf32>, %v: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<4x4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%z1 : tensor<4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4xf32>
  %e = tensor.empty() : tensor<4x4x4xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %z3 = arith.constant dense<0.0> : tensor<4x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, e, n)>, affine_map<(b, m, n, e) -> (b, e, m)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%z3 : tensor<4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4xf32>
  return %o : tensor<4x4x4xf32>
}

// The output takes row b of batch m: a permutation of the result, where sizes tell nothing.
// CHECK: [Passed] fuse-attention | Category:fa | Function=batch_and_query_swapped |
func.func @batch_and_query_swapped(%q: tensor<4x4x4xf32>, %k: tensor<4x4x4xf32>, %v: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<4x4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%z1 : tensor<4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4xf32>
  %e = tensor.empty() : tensor<4x4x4xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %z3 = arith.constant dense<0.0> : tensor<4x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, b, n, e) -> (m, b, n)>, affine_map<(m, b, n, e) -> (m, n, e)>, affine_map<(m, b, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%z3 : tensor<4x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4xf32>
  return %o : tensor<4x4x4xf32>
}

// A scale per key, per query, per head dim of the query.
// CHECK: [Passed] fuse-attention | Category:fa | Function=scale_along_keys |
func.func @scale_along_keys(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %c: tensor<7xf32>, %rows: tensor<3xf32>, %w: tensor<5xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %w : tensor<2x3x5xf32>, tensor<5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.mulf %b0, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x5xf32>
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%g, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e2 = tensor.empty() : tensor<2x3x7xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %c, %rows : tensor<2x3x7xf32>, tensor<7xf32>, tensor<3xf32>) outs(%e2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %acc: f32):
    %x = arith.mulf %b0, %b1 : f32
    %r = arith.mulf %x, %b2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e4 = tensor.empty() : tensor<2x3x7xf32>
  %p5 = linalg.softmax dimension(2) ins(%s3 : tensor<2x3x7xf32>) outs(%e4 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p5, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A mask that only the batch has is read per head, not per collapsed batch and head.
// CHECK: [Passed] fuse-attention | Category:fa | Function=mask_of_heads |
func.func @mask_of_heads(%q: tensor<2x3x4x5xf32>, %k: tensor<2x3x7x5xf32>, %v: tensor<2x3x7x4xf32>, %mask: tensor<2x1x4x7xf32>) -> tensor<2x3x4x4xf32> {
  %r1 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x4x5xf32> into tensor<6x4x5xf32>
  %r2 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x3x7x5xf32> into tensor<6x7x5xf32>
  %z3 = arith.constant dense<0.0> : tensor<6x4x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r1, %r2 : tensor<6x4x5xf32>, tensor<6x7x5xf32>) outs(%z3 : tensor<6x4x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<6x4x7xf32>
  %r4 = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 3, 4, 7] : tensor<6x4x7xf32> into tensor<2x3x4x7xf32>
  %e = tensor.empty() : tensor<2x3x4x7xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, 0, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r4, %mask : tensor<2x3x4x7xf32>, tensor<2x1x4x7xf32>) outs(%e : tensor<2x3x4x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b0, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x7xf32>
  %e6 = tensor.empty() : tensor<2x3x4x7xf32>
  %p7 = linalg.softmax dimension(3) ins(%s5 : tensor<2x3x4x7xf32>) outs(%e6 : tensor<2x3x4x7xf32>) -> tensor<2x3x4x7xf32>
  %r8 = tensor.collapse_shape %p7 [[0, 1], [2], [3]] : tensor<2x3x4x7xf32> into tensor<6x4x7xf32>
  %r9 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x3x7x4xf32> into tensor<6x7x4xf32>
  %z10 = arith.constant dense<0.0> : tensor<6x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%r8, %r9 : tensor<6x4x7xf32>, tensor<6x7x4xf32>) outs(%z10 : tensor<6x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<6x4x4xf32>
  %r11 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 3, 4, 4] : tensor<6x4x4xf32> into tensor<2x3x4x4xf32>
  return %r11 : tensor<2x3x4x4xf32>
}

// An operand of size 1 is read at 0 along heads: a broadcast, not an identity.
// CHECK: [Passed] fuse-attention | Category:fa | Function=constant_index |
func.func @constant_index(%q: tensor<2x3x4x5xf32>, %k: tensor<2x1x7x5xf32>, %v: tensor<2x1x7x4xf32>, %mask: tensor<1x7xf32>) -> tensor<2x3x4x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x4x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, 0, n, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x4x5xf32>, tensor<2x1x7x5xf32>) outs(%z1 : tensor<2x3x4x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x7xf32>
  %e = tensor.empty() : tensor<2x3x4x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (0, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x3x4x7xf32>, tensor<1x7xf32>) outs(%e : tensor<2x3x4x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b0, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x7xf32>
  %e3 = tensor.empty() : tensor<2x3x4x7xf32>
  %p4 = linalg.softmax dimension(3) ins(%s2 : tensor<2x3x4x7xf32>) outs(%e3 : tensor<2x3x4x7xf32>) -> tensor<2x3x4x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, 0, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %v : tensor<2x3x4x7xf32>, tensor<2x1x7x4xf32>) outs(%z5 : tensor<2x3x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x4xf32>
  return %o : tensor<2x3x4x4xf32>
}

// Row 0 of the query stands for every row: no operand has queries.
// CHECK: [Missed] fuse-attention | Category:fa | Function=first_row_only |{{.*}}no operand has one of the dimensions of the result
// IR-LABEL: @first_row_only(
// IR-NOT: fa.attention
// IR: return
func.func @first_row_only(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %sl = tensor.extract_slice %q[0, 0, 0] [2, 1, 5] [1, 1, 1] : tensor<2x3x5xf32> to tensor<2x1x5xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %e1 = tensor.empty() : tensor<2x3x5xf32>
  %qb = linalg.generic {indexing_maps = [affine_map<(b, d, m) -> (b, 0, d)>, affine_map<(b, d, m) -> (b, m, d)>, affine_map<(b, d, m) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sl, %e : tensor<2x1x5xf32>, tensor<2x3x5xf32>) outs(%e1 : tensor<2x3x5xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    linalg.yield %b0 : f32
  } -> tensor<2x3x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%qb, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
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
