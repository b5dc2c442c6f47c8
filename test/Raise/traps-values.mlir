// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=base_two --verify --tile=3x5
// RUN: fa-run %s --function=dropout_scaled --verify --tile=3x5
// RUN: fa-run %s --function=dropout_unscaled --verify --tile=3x5
// RUN: fa-run %s --function=finite_mask_everywhere --verify --tile=3x5
// RUN: fa-run %s --function=no_key_no_guard --verify --tile=3x5
// RUN: fa-run %s --function=finite_mask_f16 --verify --tile=3x5

// Numbers that look like those of attention: bases, multipliers, masks that are finite.

// A softmax to base 2: the factor ln 2 becomes part of the score.
// CHECK: [Passed] fuse-attention | Category:fa | Function=base_two |
// IR-LABEL: @base_two(
// IR: arith.constant 0.693147
func.func @base_two(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x4 = math.exp2 %x3 : tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x4 : tensor<2x3x7xf32>) outs(%z5 : tensor<2x3xf32>) dimensions = [2]
  %e6 = tensor.empty() : tensor<2x3x7xf32>
  %b7 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e6 : tensor<2x3x7xf32>) dimensions = [2]
  %x8 = arith.divf %x4, %b7 : tensor<2x3x7xf32>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x8, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z9 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Weights to base 2 over the sum to base e.
// CHECK: [Missed] fuse-attention | Category:fa | Function=two_bases |{{.*}}the weights are divided by the sum of other exponentials than theirs
// IR-LABEL: @two_bases(
// IR-NOT: fa.attention
// IR: return
func.func @two_bases(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
  %x4 = math.exp2 %x3 : tensor<2x3x7xf32>
  %x5 = math.exp %x3 : tensor<2x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x5 : tensor<2x3x7xf32>) outs(%z6 : tensor<2x3xf32>) dimensions = [2]
  %e7 = tensor.empty() : tensor<2x3x7xf32>
  %b8 = linalg.broadcast ins(%l : tensor<2x3xf32>) outs(%e7 : tensor<2x3x7xf32>) dimensions = [2]
  %x9 = arith.divf %x4, %b8 : tensor<2x3x7xf32>
  %z10 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x9, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z10 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Dropout: the multiplier is the one of the IR.
// CHECK: [Passed] fuse-attention | Category:fa | Function=dropout_scaled |{{.*}}weights changed after the softmax
func.func @dropout_scaled(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %keep: tensor<2x3x7xi1>) -> tensor<2x3x4xf32> {
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
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p2, %keep : tensor<2x3x7xf32>, tensor<2x3x7xi1>) outs(%e3 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %z = arith.constant 0.0 : f32
    %c = arith.constant 1.25 : f32
    %x = arith.mulf %b0, %c : f32
    %r = arith.select %b1, %x, %z : f32
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

// Without 1/keep, too.
// CHECK: [Passed] fuse-attention | Category:fa | Function=dropout_unscaled |{{.*}}weights changed after the softmax
func.func @dropout_unscaled(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %keep: tensor<2x3x7xi1>) -> tensor<2x3x4xf32> {
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
  %e3 = tensor.empty() : tensor<2x3x7xf32>
  %p4 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p2, %keep : tensor<2x3x7xf32>, tensor<2x3x7xi1>) outs(%e3 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i1, %acc: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %b1, %b0, %z : f32
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

// A row whose keys all have -FLT_MAX has uniform weights.
// CHECK: [Passed] fuse-attention | Category:fa | Function=finite_mask_everywhere |
// IR-LABEL: @finite_mask_everywhere(
// IR: arith.constant -3.40282347E+38
func.func @finite_mask_everywhere(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
    %lo = arith.constant -3.40282347E+38 : f32
    %r = arith.select %ok, %b0, %lo : f32
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

// Without a guard a row in which every key is masked is NaN.
// CHECK: [Passed] fuse-attention | Category:fa | Function=no_key_no_guard |
// IR-LABEL: @no_key_no_guard(
// IR: empty_rows <nan>
func.func @no_key_no_guard(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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

// -10000 in f16 is a score like another.
// CHECK: [Passed] fuse-attention | Category:fa | Function=finite_mask_f16 |
// IR-LABEL: @finite_mask_f16(
// IR: arith.constant -1.000000e+04
func.func @finite_mask_f16(%q: tensor<2x3x5xf16>, %k: tensor<2x7x5xf16>, %v: tensor<2x7x4xf16>, %mask: tensor<3x7xi1>) -> tensor<2x3x4xf16> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf16>, tensor<2x7x5xf16>) outs(%z1 : tensor<2x3x7xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x7xf16>
  %e = tensor.empty() : tensor<2x3x7xf16>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x3x7xf16>, tensor<3x7xi1>) outs(%e : tensor<2x3x7xf16>) {
  ^bb0(%b0: f16, %b1: i1, %acc: f16):
    %lo = arith.constant -1.0e+04 : f16
    %r = arith.select %b1, %b0, %lo : f16
    linalg.yield %r : f16
  } -> tensor<2x3x7xf16>
  %e3 = tensor.empty() : tensor<2x3x7xf16>
  %p4 = linalg.softmax dimension(2) ins(%s2 : tensor<2x3x7xf16>) outs(%e3 : tensor<2x3x7xf16>) -> tensor<2x3x7xf16>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %v : tensor<2x3x7xf16>, tensor<2x7x4xf16>) outs(%z5 : tensor<2x3x4xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x4xf16>
  return %o : tensor<2x3x4xf16>
}
