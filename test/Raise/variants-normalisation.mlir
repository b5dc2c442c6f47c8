// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: fa-run %s --function=division_after --verify --tile=3x5
// RUN: fa-run %s --function=division_after_transpose --verify --tile=3x5
// RUN: fa-run %s --function=no_maximum --verify --tile=3x5
// RUN: fa-run %s --function=statistics_of_a_transpose --verify --tile=3x5
// RUN: fa-run %s --function=dead_users --verify --tile=3x5
// RUN: fa-run %s --function=finite_maximum --verify --tile=3x5
// RUN: fa-run %s --function=softmax_where --verify --tile=3x5
// RUN: fa-run %s --function=nan_to_zero --verify --tile=3x5
// RUN: fa-run %s --function=safe_softmax --verify --tile=3x5
// RUN: fa-run %s --function=sink_column --verify --tile=3x5

// Where the softmax is normalised, and what its parts read.

// The division comes after the second product.
// CHECK: [Passed] fuse-attention | Category:fa | Function=division_after |
func.func @division_after(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x4 = math.exp %x3 : tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x4 : tensor<2x3x7xf32>) outs(%z5 : tensor<2x3xf32>) dimensions = [2]
  %z6 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x4, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %e7 = tensor.empty() : tensor<2x3x4xf32>
  %b8 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e7 : tensor<2x3x4xf32>) dimensions = [2]
  %x9 = arith.divf %o, %b8 : tensor<2x3x4xf32>
  return %x9 : tensor<2x3x4xf32>
}

// It comes after a transpose and a reshape of the output.
// CHECK: [Passed] fuse-attention | Category:fa | Function=division_after_transpose |
func.func @division_after_transpose(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<3x8xf32> {
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
  %x4 = math.exp %x3 : tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x4 : tensor<2x3x7xf32>) outs(%z5 : tensor<2x3xf32>) dimensions = [2]
  %z6 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x4, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %e7 = tensor.empty() : tensor<3x2x4xf32>
  %t8 = linalg.transpose ins(%o : tensor<2x3x4xf32>) outs(%e7 : tensor<3x2x4xf32>) permutation = [1, 0, 2]
  %e9 = tensor.empty() : tensor<3x2xf32>
  %t10 = linalg.transpose ins(%l : tensor<2x3xf32>) outs(%e9 : tensor<3x2xf32>) permutation = [1, 0]
  %e11 = tensor.empty() : tensor<3x2x4xf32>
  %b12 = linalg.broadcast ins(%t10 : tensor<3x2xf32>) outs(%e11 : tensor<3x2x4xf32>) dimensions = [2]
  %x13 = arith.divf %t8, %b12 : tensor<3x2x4xf32>
  %r14 = tensor.collapse_shape %x13 [[0], [1, 2]] : tensor<3x2x4xf32> into tensor<3x8xf32>
  return %r14 : tensor<3x8xf32>
}

// No maximum is taken away: fused, it is, and what overflowed does not.
// CHECK: [Passed] fuse-attention | Category:fa | Function=no_maximum |
func.func @no_maximum(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %x2 = math.exp %s : tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x2 : tensor<2x3x7xf32>) outs(%z3 : tensor<2x3xf32>) dimensions = [2]
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x4 = arith.divf %x2, %b : tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x4, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z5 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The maximum reads the scores, the rest their transpose in another rank.
// CHECK: [Passed] fuse-attention | Category:fa | Function=statistics_of_a_transpose |
func.func @statistics_of_a_transpose(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %e = tensor.empty() : tensor<3x2x7xf32>
  %t3 = linalg.transpose ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<3x2x7xf32>) permutation = [1, 0, 2]
  %e4 = tensor.empty() : tensor<3x2xf32>
  %t5 = linalg.transpose ins(%m : tensor<2x3xf32>) outs(%e4 : tensor<3x2xf32>) permutation = [1, 0]
  %e6 = tensor.empty() : tensor<3x2x7xf32>
  %b = linalg.broadcast ins(%t5 : tensor<3x2xf32>) outs(%e6 : tensor<3x2x7xf32>) dimensions = [2]
  %x7 = arith.subf %t3, %b : tensor<3x2x7xf32>
  %x8 = math.exp %x7 : tensor<3x2x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<3x2xf32>
  %l = linalg.reduce { arith.addf } ins(%x8 : tensor<3x2x7xf32>) outs(%z9 : tensor<3x2xf32>) dimensions = [2]
  %e10 = tensor.empty() : tensor<3x2x7xf32>
  %b11 = linalg.broadcast ins(%l : tensor<3x2xf32>) outs(%e10 : tensor<3x2x7xf32>) dimensions = [2]
  %x12 = arith.divf %x8, %b11 : tensor<3x2x7xf32>
  %z13 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, b, n, e) -> (m, b, n)>, affine_map<(m, b, n, e) -> (b, n, e)>, affine_map<(m, b, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x12, %v : tensor<3x2x7xf32>, tensor<2x7x4xf32>) outs(%z13 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Row maximum and scores have users that nothing needs.
// CHECK: [Passed] fuse-attention | Category:fa | Function=dead_users |
func.func @dead_users(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x3 = arith.negf %m : tensor<2x3xf32>
  %x4 = math.tanh %s : tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x5 = arith.subf %s, %b : tensor<2x3x7xf32>
  %x6 = math.exp %x5 : tensor<2x3x7xf32>
  %z7 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x6 : tensor<2x3x7xf32>) outs(%z7 : tensor<2x3xf32>) dimensions = [2]
  %e8 = tensor.empty() : tensor<2x3x7xf32>
  %b9 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e8 : tensor<2x3x7xf32>) dimensions = [2]
  %x10 = arith.divf %x6, %b9 : tensor<2x3x7xf32>
  %z11 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x10, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z11 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// An infinite maximum is replaced by 0.
// CHECK: [Passed] fuse-attention | Category:fa | Function=finite_maximum |
func.func @finite_maximum(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x3 = math.absf %m : tensor<2x3xf32>
  %c4 = arith.constant dense<0x7F800000> : tensor<2x3xf32>
  %x5 = arith.cmpf one, %x3, %c4 : tensor<2x3xf32>
  %c6 = arith.constant dense<0.0> : tensor<2x3xf32>
  %x7 = arith.select %x5, %m, %c6 : tensor<2x3xi1>, tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%x7 : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x8 = arith.subf %s, %b : tensor<2x3x7xf32>
  %x9 = math.exp %x8 : tensor<2x3x7xf32>
  %z10 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x9 : tensor<2x3x7xf32>) outs(%z10 : tensor<2x3xf32>) dimensions = [2]
  %e11 = tensor.empty() : tensor<2x3x7xf32>
  %b12 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e11 : tensor<2x3x7xf32>) dimensions = [2]
  %x13 = arith.divf %x9, %b12 : tensor<2x3x7xf32>
  %z14 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x13, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z14 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// softmax(where=): keys are left out of the maximum, of the sum and of the weights.
// CHECK: [Passed] fuse-attention | Category:fa | Function=softmax_where |
func.func @softmax_where(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %where: tensor<3x7xi1>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %g2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %where : tensor<2x3x7xf32>, tensor<3x7xi1>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %b1, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %lo3 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%g2 : tensor<2x3x7xf32>) outs(%lo3 : tensor<2x3xf32>) dimensions = [2]
  %e4 = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e4 : tensor<2x3x7xf32>) dimensions = [2]
  %x5 = arith.subf %g2, %b : tensor<2x3x7xf32>
  %x6 = math.exp %x5 : tensor<2x3x7xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %g8 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x6, %where : tensor<2x3x7xf32>, tensor<3x7xi1>) outs(%e7 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %b1, %b0, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%g8 : tensor<2x3x7xf32>) outs(%z9 : tensor<2x3xf32>) dimensions = [2]
  %e10 = tensor.empty() : tensor<2x3x7xf32>
  %b11 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e10 : tensor<2x3x7xf32>) dimensions = [2]
  %x12 = arith.divf %g8, %b11 : tensor<2x3x7xf32>
  %z13 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x12, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z13 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Weights that are NaN become 0.
// CHECK: [Passed] fuse-attention | Category:fa | Function=nan_to_zero |{{.*}}rows without keys give 0
func.func @nan_to_zero(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %mask: tensor<3x7xi1>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %g2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x3x7xf32>, tensor<3x7xi1>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %b1, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%g2 : tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %x5 = arith.cmpf uno, %p4, %p4 : tensor<2x3x7xf32>
  %c6 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %x7 = arith.select %x5, %c6, %p4 : tensor<2x3x7xi1>, tensor<2x3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x7, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z8 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// _safe_softmax of PyTorch: rows whose scores are all -inf give 0.
// CHECK: [Passed] fuse-attention | Category:fa | Function=safe_softmax |{{.*}}rows without keys give 0
func.func @safe_softmax(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %mask: tensor<3x7xi1>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %g2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x3x7xf32>, tensor<3x7xi1>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %b1, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.softmax dimension(2) ins(%g2 : tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %e5 = tensor.empty() : tensor<2x3x7xi1>
  %g6 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g2 : tensor<2x3x7xf32>) outs(%e5 : tensor<2x3x7xi1>) {
  ^bb0(%b0: f32, %acc: i1):
    %x = arith.extf %b0 : f32 to f64
    %lo = arith.constant 0xFFF0000000000000 : f64
    %r = arith.cmpf une, %x, %lo : f64
    linalg.yield %r : i1
  } -> tensor<2x3x7xi1>
  %c7 = arith.constant dense<false> : tensor<2x3x1xi1>
  %g8 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g6 : tensor<2x3x7xi1>) outs(%c7 : tensor<2x3x1xi1>) {
  ^bb0(%b0: i1, %acc: i1):
    %r = arith.ori %b0, %acc : i1
    linalg.yield %r : i1
  } -> tensor<2x3x1xi1>
  %e9 = tensor.empty() : tensor<2x3x7xf32>
  %g10 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, 0)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g8, %p4 : tensor<2x3x1xi1>, tensor<2x3x7xf32>) outs(%e9 : tensor<2x3x7xf32>) {
  ^bb0(%b0: i1, %b1: f32, %acc: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %b0, %b1, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z11 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%g10, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z11 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A column of sinks is concatenated, takes part in the softmax and is cut off.
// CHECK: [Passed] fuse-attention | Category:fa | Function=sink_column |{{.*}}sink
func.func @sink_column(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %sink: tensor<2x3x1xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %cat = tensor.concat dim(2) %s, %sink : (tensor<2x3x7xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %p2 = linalg.softmax dimension(2) ins(%cat : tensor<2x3x8xf32>) outs(%e : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %sl = tensor.extract_slice %p2[0, 0, 0] [2, 3, 7] [1, 1, 1] : tensor<2x3x8xf32> to tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%sl, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}
