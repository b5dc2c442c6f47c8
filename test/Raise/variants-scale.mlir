// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: fa-run %s --function=root_on_both --verify --tile=3x5
// RUN: fa-run %s --function=division_of_scores --verify --tile=3x5
// RUN: fa-run %s --function=division_of_query --verify --tile=3x5
// RUN: fa-run %s --function=key_before_transpose --verify --tile=3x5
// RUN: fa-run %s --function=inside_the_mask --verify --tile=3x5
// RUN: fa-run %s --function=three_times --verify --tile=3x5
// RUN: fa-run %s --function=rank_zero --verify --tile=3x5
// RUN: fa-run %s --function=root_of_a_constant --verify --tile=3x5
// RUN: fa-run %s --function=argument --verify --tile=3x5
// RUN: fa-run %s --function=of_a_size --verify --tile=3x5 --dims=5

// Where the scale stands and how it is written.

// The root of the scale on the query and on the transposed key.
// CHECK: [Passed] fuse-attention | Category:fa | Function=root_on_both |{{.*}}scale 0.25
func.func @root_on_both(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %c1 = arith.constant dense<0.5> : tensor<2x3x5xf32>
  %x2 = arith.mulf %q, %c1 : tensor<2x3x5xf32>
  %e = tensor.empty() : tensor<2x5x7xf32>
  %t3 = linalg.transpose ins(%k : tensor<2x7x5xf32>) outs(%e : tensor<2x5x7xf32>) permutation = [0, 2, 1]
  %c4 = arith.constant dense<0.5> : tensor<2x5x7xf32>
  %x5 = arith.mulf %t3, %c4 : tensor<2x5x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.batch_matmul ins(%x2, %x5 : tensor<2x3x5xf32>, tensor<2x5x7xf32>) outs(%z6 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %p8 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e7 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.batch_matmul ins(%p8, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// CHECK: [Passed] fuse-attention | Category:fa | Function=division_of_scores |
func.func @division_of_scores(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %c2 = arith.constant dense<2.23606801> : tensor<2x3x7xf32>
  %x3 = arith.divf %s, %c2 : tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%x3 : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
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

// CHECK: [Passed] fuse-attention | Category:fa | Function=division_of_query |
func.func @division_of_query(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %c1 = arith.constant dense<2.23606801> : tensor<2x3x5xf32>
  %x2 = arith.divf %q, %c1 : tensor<2x3x5xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x2, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z3 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
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

// CHECK: [Passed] fuse-attention | Category:fa | Function=key_before_transpose |{{.*}}scale 0.5
func.func @key_before_transpose(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %c1 = arith.constant dense<0.5> : tensor<2x7x5xf32>
  %x2 = arith.mulf %k, %c1 : tensor<2x7x5xf32>
  %e = tensor.empty() : tensor<2x5x7xf32>
  %t3 = linalg.transpose ins(%x2 : tensor<2x7x5xf32>) outs(%e : tensor<2x5x7xf32>) permutation = [0, 2, 1]
  %z4 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.batch_matmul ins(%q, %t3 : tensor<2x3x5xf32>, tensor<2x5x7xf32>) outs(%z4 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %e5 = tensor.empty() : tensor<2x3x7xf32>
  %p6 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e5 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z7 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.batch_matmul ins(%p6, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z7 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Scale and mask in one body.
// CHECK: [Passed] fuse-attention | Category:fa | Function=inside_the_mask |{{.*}}1 mask or bias operand
func.func @inside_the_mask(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %bias: tensor<3x7xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x3x7xf32>, tensor<3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %c = arith.constant 0.25 : f32
    %x = arith.mulf %b0, %c : f32
    %r = arith.addf %b1, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%s2 : tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
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

// A scale of 1, one of 2, and one after the mask: the mask is scaled too.
// CHECK: [Passed] fuse-attention | Category:fa | Function=three_times |
func.func @three_times(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %bias: tensor<3x7xf32>) -> tensor<2x3x4xf32> {
  %c1 = arith.constant dense<2.0> : tensor<2x3x5xf32>
  %x2 = arith.mulf %q, %c1 : tensor<2x3x5xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x2, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z3 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %c4 = arith.constant dense<1.0> : tensor<2x3x7xf32>
  %x5 = arith.mulf %s, %c4 : tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s6 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x5, %bias : tensor<2x3x7xf32>, tensor<3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %c = arith.constant 0.25 : f32
    %x = arith.addf %b0, %b1 : f32
    %r = arith.mulf %x, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %p8 = linalg.softmax dimension(2) ins(%s6 : tensor<2x3x7xf32>) outs(%e7 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p8, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A tensor<f64> without dimensions, truncated in the body.
// CHECK: [Passed] fuse-attention | Category:fa | Function=rank_zero |{{.*}}scale 0.25
func.func @rank_zero(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %c1 = arith.constant dense<0.25> : tensor<f64>
  %z2 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> ()>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %c1 : tensor<2x3x7xf32>, tensor<f64>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f64, %acc: f32):
    %c = arith.truncf %b1 : f64 to f32
    %r = arith.mulf %b0, %c : f32
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

// math.sqrt of a constant divides; a splat holds a reciprocal.
// CHECK: [Passed] fuse-attention | Category:fa | Function=root_of_a_constant |
func.func @root_of_a_constant(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %c1 = arith.constant 5.0 : f32
  %root = math.sqrt %c1 : f32
  %z2 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %x = arith.divf %b0, %root : f32
    linalg.yield %x : f32
  } -> tensor<2x3x7xf32>
  %c4 = arith.constant 1.0 : f32
  %c5 = arith.constant 2.0 : f32
  %half = arith.divf %c4, %c5 : f32
  %splat = tensor.splat %half : tensor<2x3x7xf32>
  %x6 = arith.mulf %s3, %splat : tensor<2x3x7xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %p8 = linalg.softmax dimension(2) ins(%x6 : tensor<2x3x7xf32>) outs(%e7 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p8, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The scale is an argument: a number, and a tensor of one element.
// CHECK: [Passed] fuse-attention | Category:fa | Function=argument |
func.func @argument(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %scale: f32, %scales: tensor<1x1x1xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (0, 0, 0)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %scales : tensor<2x3x7xf32>, tensor<1x1x1xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %x = arith.mulf %b0, %scale : f32
    %r = arith.mulf %x, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%s2 : tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
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

// The scale is computed from a size that is known at run time only.
// CHECK: [Passed] fuse-attention | Category:fa | Function=of_a_size |
func.func @of_a_size(%q: tensor<3x?xf32>, %k: tensor<7x?xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %c1 = arith.constant 1 : index
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %d = tensor.dim %q, %c1 : tensor<3x?xf32>
  %di = arith.index_cast %d : index to i64
  %df = arith.sitofp %di : i64 to f32
  %scale = math.rsqrt %df : f32
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>] ins(%q, %k : tensor<3x?xf32>, tensor<7x?xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %scales = linalg.fill ins(%scale : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %sc = arith.mulf %s, %scales : tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%sc : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
