// RUN: fa-opt %s --fuse-attention=to=op -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=Missed
// RUN: fa-opt %s --fuse-attention="to=op require=10" 2>/dev/null | FileCheck %s
// RUN: fa-run %s --function=log_sum_exp --verify --tile=3x5
// RUN: fa-run %s --function=log_sum_exp_form --verify --tile=3x5
// RUN: fa-run %s --function=row_maximum --verify --tile=3x5
// RUN: fa-run %s --function=unscaled_maximum --verify --tile=3x5
// RUN: fa-run %s --function=computed_apart --verify --tile=3x5
// RUN: fa-run %s --function=collapsed_heads --verify --tile=3x5
// RUN: fa-run %s --function=transposed_rows --verify --tile=3x5
// RUN: fa-run %s --function=with_sink --verify --tile=3x5
// RUN: fa-run %s --function=empty_row --verify --tile=3x5
// RUN: fa-run %s --function=guarded_empty_row --verify --tile=3x5

// Numbers per row that the program uses besides the output become results of the op.

// CHECK-LABEL: @log_sum_exp
// CHECK: %output, %lse = fa.attention
// CHECK-NOT: math.exp
// CHECK: return %output, %lse : tensor<2x3x4xf32>, tensor<2x3xf32>
func.func @log_sum_exp(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sge, %i, %j : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %lo3 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s2 : tensor<2x3x7xf32>) outs(%lo3 : tensor<2x3xf32>) dimensions = [2]
  %e4 = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e4 : tensor<2x3x7xf32>) dimensions = [2]
  %x5 = arith.subf %s2, %b : tensor<2x3x7xf32>
  %e6 = math.exp %x5 : tensor<2x3x7xf32>
  %z7 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%e6 : tensor<2x3x7xf32>) outs(%z7 : tensor<2x3xf32>) dimensions = [2]
  %e8 = tensor.empty() : tensor<2x3x7xf32>
  %b9 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e8 : tensor<2x3x7xf32>) dimensions = [2]
  %p10 = arith.divf %e6, %b9 : tensor<2x3x7xf32>
  %x11 = math.log %l : tensor<2x3xf32>
  %lse = arith.addf %m, %x11 : tensor<2x3xf32>
  %z12 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p10, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z12 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o, %lse : tensor<2x3x4xf32>, tensor<2x3xf32>
}


// The weights are exp(S - LSE), and the log-sum-exp has its key dimension kept.
// CHECK-LABEL: @log_sum_exp_form
// CHECK: %output, %lse = fa.attention
// CHECK: %[[L:.*]] = linalg.generic {{.*}} ins(%lse : tensor<2x3xf32>)
// CHECK-NOT: math.exp
// CHECK: return %output, %[[L]] : tensor<2x3x4xf32>, tensor<2x3x1xf32>
func.func @log_sum_exp_form(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %c = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x3x7xf32>) outs(%c : tensor<2x3xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %r = arith.maximumf %acc, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x2 = arith.subf %s, %b : tensor<2x3x7xf32>
  %e3 = math.exp %x2 : tensor<2x3x7xf32>
  %z4 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%e3 : tensor<2x3x7xf32>) outs(%z4 : tensor<2x3xf32>) dimensions = [2]
  %x5 = math.log %l : tensor<2x3xf32>
  %lse = arith.addf %m, %x5 : tensor<2x3xf32>
  %r6 = tensor.expand_shape %lse [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %b8 = linalg.broadcast ins(%lse : tensor<2x3xf32>) outs(%e7 : tensor<2x3x7xf32>) dimensions = [2]
  %x9 = arith.subf %s, %b8 : tensor<2x3x7xf32>
  %p10 = math.exp %x9 : tensor<2x3x7xf32>
  %z11 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p10, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z11 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o, %r6 : tensor<2x3x4xf32>, tensor<2x3x1xf32>
}


// CHECK-LABEL: @row_maximum
// CHECK: %output, %row_max = fa.attention
// CHECK-NOT: math.exp
// CHECK: return %output, %row_max
func.func @row_maximum(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>) {
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
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p8, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o, %m : tensor<2x3x4xf32>, tensor<2x3xf32>
}


// The maximum of the scores before the scale is a multiple of the row maximum.
// CHECK-LABEL: @unscaled_maximum
// CHECK: %output, %row_max = fa.attention
// CHECK: linalg.generic {{.*}} ins(%row_max : tensor<2x3xf32>)
// CHECK: arith.constant 4.000000e+00 : f32
// CHECK-NOT: math.exp
// CHECK: return
func.func @unscaled_maximum(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>) {
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
  %c = arith.constant dense<0.25> : tensor<2x3x7xf32>
  %x3 = arith.mulf %s, %c : tensor<2x3x7xf32>
  %lo4 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m5 = linalg.reduce { arith.maximumf } ins(%x3 : tensor<2x3x7xf32>) outs(%lo4 : tensor<2x3xf32>) dimensions = [2]
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m5 : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x6 = arith.subf %x3, %b : tensor<2x3x7xf32>
  %e7 = math.exp %x6 : tensor<2x3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%e7 : tensor<2x3x7xf32>) outs(%z8 : tensor<2x3xf32>) dimensions = [2]
  %e9 = tensor.empty() : tensor<2x3x7xf32>
  %b10 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e9 : tensor<2x3x7xf32>) dimensions = [2]
  %p11 = arith.divf %e7, %b10 : tensor<2x3x7xf32>
  %z12 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p11, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z12 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o, %m : tensor<2x3x4xf32>, tensor<2x3xf32>
}


// A log-sum-exp that was computed from the scores apart from the softmax, guarded against an infinite
// maximum; its logarithm has base 2, and it leaves as bf16.
// CHECK-LABEL: @computed_apart
// CHECK: %output, %lse = fa.attention
// CHECK: linalg.generic {{.*}} ins(%lse : tensor<2x3xf32>)
// CHECK: arith.constant 1.442
// CHECK: arith.truncf
// CHECK-NOT: math.exp
// CHECK: return
func.func @computed_apart(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xbf16>) {
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
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %lo4 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<2x3x7xf32>) outs(%lo4 : tensor<2x3xf32>) dimensions = [2]
  %c = arith.constant dense<0x7F800000> : tensor<2x3xf32>
  %x5 = math.absf %m : tensor<2x3xf32>
  %x6 = arith.cmpf one, %x5, %c : tensor<2x3xf32>
  %c7 = arith.constant dense<0.0> : tensor<2x3xf32>
  %x8 = arith.select %x6, %m, %c7 : tensor<2x3xi1>, tensor<2x3xf32>
  %e9 = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%x8 : tensor<2x3xf32>) outs(%e9 : tensor<2x3x7xf32>) dimensions = [2]
  %x10 = arith.subf %s, %b : tensor<2x3x7xf32>
  %x11 = math.exp %x10 : tensor<2x3x7xf32>
  %z12 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x11 : tensor<2x3x7xf32>) outs(%z12 : tensor<2x3xf32>) dimensions = [2]
  %x13 = math.absf %l : tensor<2x3xf32>
  %x14 = math.log %x13 : tensor<2x3xf32>
  %x15 = arith.addf %x14, %x8 : tensor<2x3xf32>
  %c16 = arith.constant dense<1.44269502> : tensor<2x3xf32>
  %x17 = arith.mulf %x15, %c16 : tensor<2x3xf32>
  %x18 = arith.truncf %x17 : tensor<2x3xf32> to tensor<2x3xbf16>
  return %o, %x18 : tensor<2x3x4xf32>, tensor<2x3xbf16>
}


// Batch and heads are one dimension in the softmax and two in the result.
// CHECK-LABEL: @collapsed_heads
// CHECK: %output, %lse = fa.attention
// CHECK-NOT: math.exp
// CHECK: return {{.*}}tensor<2x6x3xf32>
func.func @collapsed_heads(%q: tensor<2x6x3x5xf32>, %k: tensor<2x6x7x5xf32>, %v: tensor<2x6x7x4xf32>) -> (tensor<2x6x3x4xf32>, tensor<2x6x3xf32>) {
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
  %lo5 = arith.constant dense<0xFF800000> : tensor<12x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<12x3x7xf32>) outs(%lo5 : tensor<12x3xf32>) dimensions = [2]
  %e = tensor.empty() : tensor<12x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<12x3xf32>) outs(%e : tensor<12x3x7xf32>) dimensions = [2]
  %x6 = arith.subf %s, %b : tensor<12x3x7xf32>
  %e7 = math.exp %x6 : tensor<12x3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<12x3xf32>
  %l = linalg.reduce { arith.addf } ins(%e7 : tensor<12x3x7xf32>) outs(%z8 : tensor<12x3xf32>) dimensions = [2]
  %e9 = tensor.empty() : tensor<12x3x7xf32>
  %b10 = linalg.broadcast ins(%l : tensor<12x3xf32>) outs(%e9 : tensor<12x3x7xf32>) dimensions = [2]
  %p11 = arith.divf %e7, %b10 : tensor<12x3x7xf32>
  %z12 = arith.constant dense<0.0> : tensor<12x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p11, %r3 : tensor<12x3x7xf32>, tensor<12x7x4xf32>) outs(%z12 : tensor<12x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<12x3x4xf32>
  %x13 = math.log %l : tensor<12x3xf32>
  %x14 = arith.addf %m, %x13 : tensor<12x3xf32>
  %r15 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 6, 3, 4] : tensor<12x3x4xf32> into tensor<2x6x3x4xf32>
  %r16 = tensor.expand_shape %x14 [[0, 1], [2]] output_shape [2, 6, 3] : tensor<12x3xf32> into tensor<2x6x3xf32>
  return %r15, %r16 : tensor<2x6x3x4xf32>, tensor<2x6x3xf32>
}


// CHECK-LABEL: @transposed_rows
// CHECK: %output, %lse = fa.attention
// CHECK: %[[L:.*]] = linalg.generic {{.*}} ins(%lse : tensor<2x3xf32>) outs({{.*}} : tensor<3x2xf32>)
// CHECK-NOT: math.exp
// CHECK: return %output, %[[L]]
func.func @transposed_rows(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x2xf32>) {
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
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p8, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %x10 = math.log %l : tensor<2x3xf32>
  %x11 = arith.addf %m, %x10 : tensor<2x3xf32>
  %e12 = tensor.empty() : tensor<3x2xf32>
  %t13 = linalg.transpose ins(%x11 : tensor<2x3xf32>) outs(%e12 : tensor<3x2xf32>) permutation = [1, 0]
  return %o, %t13 : tensor<2x3x4xf32>, tensor<3x2xf32>
}


// The sink takes part in the maximum and in the sum.
// REMARK: Function=with_sink |{{.*}}; sink; gives the log-sum-exp; gives the row maximum
// CHECK-LABEL: @with_sink
// CHECK: %output, %lse, %row_max = fa.attention {{.*}} sink(%arg3)
// CHECK-NOT: math.exp
// CHECK: return %output, %lse, %row_max
func.func @with_sink(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %sink: tensor<2x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
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
  %x3 = arith.maximumf %m, %sink : tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%x3 : tensor<2x3xf32>) outs(%e : tensor<2x3x7xf32>) dimensions = [2]
  %x4 = arith.subf %s, %b : tensor<2x3x7xf32>
  %x5 = math.exp %x4 : tensor<2x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x5 : tensor<2x3x7xf32>) outs(%z6 : tensor<2x3xf32>) dimensions = [2]
  %x7 = arith.subf %sink, %x3 : tensor<2x3xf32>
  %x8 = math.exp %x7 : tensor<2x3xf32>
  %x9 = arith.addf %l, %x8 : tensor<2x3xf32>
  %e10 = tensor.empty() : tensor<2x3x7xf32>
  %b11 = linalg.broadcast ins(%x9 : tensor<2x3xf32>) outs(%e10 : tensor<2x3x7xf32>) dimensions = [2]
  %x12 = arith.divf %x5, %b11 : tensor<2x3x7xf32>
  %z13 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x12, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z13 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %x14 = math.log %x9 : tensor<2x3xf32>
  %x15 = arith.addf %x3, %x14 : tensor<2x3xf32>
  return %o, %x15, %x3 : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}


// The first row has no key: output and log-sum-exp are NaN in both.
// CHECK-LABEL: @empty_row
// CHECK: %output, %lse = fa.attention
// CHECK: empty_rows <nan>
// CHECK: return %output, %lse
func.func @empty_row(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sgt, %i, %j : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %lo3 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s2 : tensor<2x3x7xf32>) outs(%lo3 : tensor<2x3xf32>) dimensions = [2]
  %e4 = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%m : tensor<2x3xf32>) outs(%e4 : tensor<2x3x7xf32>) dimensions = [2]
  %x5 = arith.subf %s2, %b : tensor<2x3x7xf32>
  %e6 = math.exp %x5 : tensor<2x3x7xf32>
  %z7 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%e6 : tensor<2x3x7xf32>) outs(%z7 : tensor<2x3xf32>) dimensions = [2]
  %e8 = tensor.empty() : tensor<2x3x7xf32>
  %b9 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e8 : tensor<2x3x7xf32>) dimensions = [2]
  %p10 = arith.divf %e6, %b9 : tensor<2x3x7xf32>
  %z11 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p10, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z11 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %x12 = math.log %l : tensor<2x3xf32>
  %x13 = arith.addf %m, %x12 : tensor<2x3xf32>
  return %o, %x13 : tensor<2x3x4xf32>, tensor<2x3xf32>
}


// With a finite maximum and a guard it has 0 and -inf.
// CHECK-LABEL: @guarded_empty_row
// CHECK: %output, %lse = fa.attention
// CHECK: empty_rows <zero>
// CHECK: return %output, %lse
func.func @guarded_empty_row(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sgt, %i, %j : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %lo3 = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s2 : tensor<2x3x7xf32>) outs(%lo3 : tensor<2x3xf32>) dimensions = [2]
  %c = arith.constant dense<0xFF800000> : tensor<2x3xf32>
  %z4 = arith.constant dense<0.0> : tensor<2x3xf32>
  %x5 = arith.cmpf oeq, %m, %c : tensor<2x3xf32>
  %x6 = arith.select %x5, %z4, %m : tensor<2x3xi1>, tensor<2x3xf32>
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %b = linalg.broadcast ins(%x6 : tensor<2x3xf32>) outs(%e7 : tensor<2x3x7xf32>) dimensions = [2]
  %x8 = arith.subf %s2, %b : tensor<2x3x7xf32>
  %x9 = math.exp %x8 : tensor<2x3x7xf32>
  %z10 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x9 : tensor<2x3x7xf32>) outs(%z10 : tensor<2x3xf32>) dimensions = [2]
  %e11 = tensor.empty() : tensor<2x3x7xf32>
  %b12 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e11 : tensor<2x3x7xf32>) dimensions = [2]
  %x13 = arith.divf %x9, %b12 : tensor<2x3x7xf32>
  %e14 = tensor.empty() : tensor<2x3x7xf32>
  %p15 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x13, %x5 : tensor<2x3x7xf32>, tensor<2x3xi1>) outs(%e14 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %b1, %z, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z16 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p15, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z16 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %x17 = math.log %l : tensor<2x3xf32>
  %x18 = arith.addf %x6, %x17 : tensor<2x3xf32>
  return %o, %x18 : tensor<2x3x4xf32>, tensor<2x3xf32>
}
