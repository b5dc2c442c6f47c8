// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: fa-run %s --function=base_two --verify --tile=3x5
// RUN: fa-run %s --function=base_two_after --verify --tile=3x5
// RUN: fa-run %s --function=log_sum_exp --verify --tile=3x5
// RUN: fa-run %s --function=log_sum_exp_from_base_two --verify --tile=3x5
// RUN: fa-run %s --function=exponential_recomputed --verify --tile=3x5

// Spellings of the exponentials of the softmax.

// exp2 with log2(e) in the scale of the scores.
// CHECK: [Passed] fuse-attention | Category:fa | Function=base_two |
func.func @base_two(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %c2 = arith.constant dense<1.44269502> : tensor<2x3x7xf32>
  %x3 = arith.mulf %s, %c2 : tensor<2x3x7xf32>
  %lo4 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x3 : tensor<2x3x7xf32>) outs(%lo4 : tensor<2x3xf32>) dimensions = [2]
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x5 = arith.subf %x3, %b : tensor<2x3x7xf32>
  %x6 = math.exp2 %x5 : tensor<2x3x7xf32>
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

// exp2 as a power of two, its factor after the maximum.
// CHECK: [Passed] fuse-attention | Category:fa | Function=base_two_after |
func.func @base_two_after(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %c4 = arith.constant dense<1.44269502> : tensor<2x3x7xf32>
  %x5 = arith.mulf %x3, %c4 : tensor<2x3x7xf32>
  %c6 = arith.constant dense<2.0> : tensor<2x3x7xf32>
  %x7 = math.powf %c6, %x5 : tensor<2x3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x7 : tensor<2x3x7xf32>) outs(%z8 : tensor<2x3xf32>) dimensions = [2]
  %e9 = tensor.empty() : tensor<2x3x7xf32>
  %b10 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e9 : tensor<2x3x7xf32>) dimensions = [2]
  %x11 = arith.divf %x7, %b10 : tensor<2x3x7xf32>
  %z12 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x11, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z12 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// exp(S - LSE), no division anywhere.
// CHECK: [Passed] fuse-attention | Category:fa | Function=log_sum_exp |
func.func @log_sum_exp(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x6 = math.log %l : tensor<2x3xf32>
  %x7 = arith.addf %m, %x6 : tensor<2x3xf32>
  %e8 = tensor.empty() : tensor<2x3x7xf32>
  %b9 = linalg.broadcast ins(%x7 : tensor<2x3xf32>) outs(%e8 : tensor<2x3x7xf32>) dimensions = [2]
  %x10 = arith.subf %s, %b9 : tensor<2x3x7xf32>
  %x11 = math.exp %x10 : tensor<2x3x7xf32>
  %z12 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x11, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z12 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A log-sum-exp by log2.
// CHECK: [Passed] fuse-attention | Category:fa | Function=log_sum_exp_from_base_two |
func.func @log_sum_exp_from_base_two(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x6 = math.log2 %l : tensor<2x3xf32>
  %c7 = arith.constant dense<0.693147182> : tensor<2x3xf32>
  %x8 = arith.mulf %x6, %c7 : tensor<2x3xf32>
  %x9 = arith.addf %m, %x8 : tensor<2x3xf32>
  %e10 = tensor.empty() : tensor<2x3x7xf32>
  %b11 = linalg.broadcast ins(%x9 : tensor<2x3xf32>) outs(%e10 : tensor<2x3x7xf32>) dimensions = [2]
  %x12 = arith.subf %s, %b11 : tensor<2x3x7xf32>
  %x13 = math.exp %x12 : tensor<2x3x7xf32>
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

// Fusion computes the exponential twice, from the scores before the scale.
// CHECK: [Passed] fuse-attention | Category:fa | Function=exponential_recomputed |{{.*}}scale 0.25
func.func @exponential_recomputed(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %c2 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x3x7xf32>) outs(%c2 : tensor<2x3xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %c = arith.constant 0.25 : f32
    %x = arith.mulf %b0, %c : f32
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %m : tensor<2x3x7xf32>, tensor<2x3xf32>) outs(%z3 : tensor<2x3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %c = arith.constant 0.25 : f32
    %x = arith.mulf %b0, %c : f32
    %y = arith.subf %x, %b1 : f32
    %z = math.exp %y : f32
    %r = arith.addf %acc, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m, %l : tensor<2x3x7xf32>, tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %acc: f32):
    %c = arith.constant 0.25 : f32
    %x = arith.mulf %b0, %c : f32
    %y = arith.subf %x, %b1 : f32
    %z = math.exp %y : f32
    %r = arith.divf %z, %b2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
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
