// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=softmax_in_f32 --verify --tile=3x5
// RUN: fa-run %s --function=everything_in_f32 --verify --tile=3x5
// RUN: fa-run %s --function=everything_in_bf16 --verify --tile=3x5
// RUN: fa-run %s --function=f64 --verify --tile=3x5
// RUN: fa-run %s --function=scale_in_f16 --verify --tile=3x5
// RUN: fa-run %s --function=sum_in_f32 --verify --tile=3x5
// RUN: fa-run %s --function=dequantised_inside --verify --tile=3x5
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir

// Element types, and where they change.

// Products in f16, the softmax in f32, the weights truncated.
// CHECK: [Passed] fuse-attention | Category:fa | Function=softmax_in_f32 |
func.func @softmax_in_f32(%q: tensor<2x3x5xf16>, %k: tensor<2x7x5xf16>, %v: tensor<2x7x4xf16>) -> tensor<2x3x4xf16> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf16>, tensor<2x7x5xf16>) outs(%z1 : tensor<2x3x7xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x7xf16>
  %x2 = arith.extf %s : tensor<2x3x7xf16> to tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p3 = linalg.softmax dimension(2) ins(%x2 : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %x4 = arith.truncf %p3 : tensor<2x3x7xf32> to tensor<2x3x7xf16>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x4, %v : tensor<2x3x7xf16>, tensor<2x7x4xf16>) outs(%z5 : tensor<2x3x4xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x4xf16>
  return %o : tensor<2x3x4xf16>
}

// f16 arguments, f32 arithmetic, an f16 result.
// CHECK: [Passed] fuse-attention | Category:fa | Function=everything_in_f32 |
// IR-LABEL: @everything_in_f32(
// IR: -> tensor<2x3x4xf
func.func @everything_in_f32(%q: tensor<2x3x5xf16>, %k: tensor<2x7x5xf16>, %v: tensor<2x7x4xf16>) -> tensor<2x3x4xf16> {
  %x1 = arith.extf %q : tensor<2x3x5xf16> to tensor<2x3x5xf32>
  %x2 = arith.extf %k : tensor<2x7x5xf16> to tensor<2x7x5xf32>
  %x3 = arith.extf %v : tensor<2x7x4xf16> to tensor<2x7x4xf32>
  %z4 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x1, %x2 : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z4 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p5 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p5, %x3 : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %x7 = arith.truncf %o : tensor<2x3x4xf32> to tensor<2x3x4xf16>
  return %x7 : tensor<2x3x4xf16>
}

// CHECK: [Passed] fuse-attention | Category:fa | Function=everything_in_bf16 |
func.func @everything_in_bf16(%q: tensor<2x3x5xbf16>, %k: tensor<2x7x5xbf16>, %v: tensor<2x7x4xbf16>) -> tensor<2x3x4xbf16> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xbf16>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xbf16>, tensor<2x7x5xbf16>) outs(%z1 : tensor<2x3x7xbf16>) {
  ^bb0(%b0: bf16, %b1: bf16, %acc: bf16):
    %p = arith.mulf %b0, %b1 : bf16
    %r = arith.addf %acc, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<2x3x7xbf16>
  %e = tensor.empty() : tensor<2x3x7xbf16>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xbf16>) outs(%e : tensor<2x3x7xbf16>) -> tensor<2x3x7xbf16>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xbf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xbf16>, tensor<2x7x4xbf16>) outs(%z3 : tensor<2x3x4xbf16>) {
  ^bb0(%b0: bf16, %b1: bf16, %acc: bf16):
    %p = arith.mulf %b0, %b1 : bf16
    %r = arith.addf %acc, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<2x3x4xbf16>
  return %o : tensor<2x3x4xbf16>
}

// CHECK: [Passed] fuse-attention | Category:fa | Function=f64 |
func.func @f64(%q: tensor<2x3x5xf64>, %k: tensor<2x7x5xf64>, %v: tensor<2x7x4xf64>) -> tensor<2x3x4xf64> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf64>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf64>, tensor<2x7x5xf64>) outs(%z1 : tensor<2x3x7xf64>) {
  ^bb0(%b0: f64, %b1: f64, %acc: f64):
    %p = arith.mulf %b0, %b1 : f64
    %r = arith.addf %acc, %p : f64
    linalg.yield %r : f64
  } -> tensor<2x3x7xf64>
  %c2 = arith.constant dense<0.25> : tensor<2x3x7xf64>
  %x3 = arith.mulf %s, %c2 : tensor<2x3x7xf64>
  %e = tensor.empty() : tensor<2x3x7xf64>
  %p4 = linalg.softmax dimension(2) ins(%x3 : tensor<2x3x7xf64>) outs(%e : tensor<2x3x7xf64>) -> tensor<2x3x7xf64>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4xf64>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p4, %v : tensor<2x3x7xf64>, tensor<2x7x4xf64>) outs(%z5 : tensor<2x3x4xf64>) {
  ^bb0(%b0: f64, %b1: f64, %acc: f64):
    %p = arith.mulf %b0, %b1 : f64
    %r = arith.addf %acc, %p : f64
    linalg.yield %r : f64
  } -> tensor<2x3x4xf64>
  return %o : tensor<2x3x4xf64>
}

// A scale in f16 before the cast, a mask in f32 after it.
// CHECK: [Passed] fuse-attention | Category:fa | Function=scale_in_f16 |
func.func @scale_in_f16(%q: tensor<2x3x5xf16>, %k: tensor<2x7x5xf16>, %v: tensor<2x7x4xf16>, %mask: tensor<3x7xf32>) -> tensor<2x3x4xf16> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf16>, tensor<2x7x5xf16>) outs(%z1 : tensor<2x3x7xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x7xf16>
  %c2 = arith.constant dense<0.25> : tensor<2x3x7xf16>
  %x3 = arith.mulf %s, %c2 : tensor<2x3x7xf16>
  %x4 = arith.extf %x3 : tensor<2x3x7xf16> to tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x4, %mask : tensor<2x3x7xf32>, tensor<3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b0, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e6 = tensor.empty() : tensor<2x3x7xf32>
  %p7 = linalg.softmax dimension(2) ins(%s5 : tensor<2x3x7xf32>) outs(%e6 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %x8 = arith.truncf %p7 : tensor<2x3x7xf32> to tensor<2x3x7xf16>
  %z9 = arith.constant dense<0.0> : tensor<2x3x4xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x8, %v : tensor<2x3x7xf16>, tensor<2x7x4xf16>) outs(%z9 : tensor<2x3x4xf16>) {
  ^bb0(%b0: f16, %b1: f16, %acc: f16):
    %p = arith.mulf %b0, %b1 : f16
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x3x4xf16>
  return %o : tensor<2x3x4xf16>
}

// A softmax in bf16 with its sum in f32.
// CHECK: [Passed] fuse-attention | Category:fa | Function=sum_in_f32 |
func.func @sum_in_f32(%q: tensor<2x3x5xbf16>, %k: tensor<2x7x5xbf16>, %v: tensor<2x7x4xbf16>) -> tensor<2x3x4xbf16> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xbf16>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xbf16>, tensor<2x7x5xbf16>) outs(%z1 : tensor<2x3x7xbf16>) {
  ^bb0(%b0: bf16, %b1: bf16, %acc: bf16):
    %p = arith.mulf %b0, %b1 : bf16
    %r = arith.addf %acc, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<2x3x7xbf16>
  %lo2 = arith.constant dense<0xFF80> : tensor<2x3xbf16>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<2x3x7xbf16>) outs(%lo2 : tensor<2x3xbf16>) dimensions = [2]
  %e = tensor.empty() : tensor<2x3x7xbf16>
  %b = linalg.broadcast ins(%m : tensor<2x3xbf16>) outs(%e : tensor<2x3x7xbf16>) dimensions = [2]
  %x3 = arith.subf %s, %b : tensor<2x3x7xbf16>
  %x4 = math.exp %x3 : tensor<2x3x7xbf16>
  %x5 = arith.extf %x4 : tensor<2x3x7xbf16> to tensor<2x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3xf32>
  %l = linalg.reduce { arith.addf } ins(%x5 : tensor<2x3x7xf32>) outs(%z6 : tensor<2x3xf32>) dimensions = [2]
  %x7 = arith.truncf %l : tensor<2x3xf32> to tensor<2x3xbf16>
  %e8 = tensor.empty() : tensor<2x3x7xbf16>
  %b9 = linalg.broadcast ins(%x7 : tensor<2x3xbf16>) outs(%e8 : tensor<2x3x7xbf16>) dimensions = [2]
  %x10 = arith.divf %x4, %b9 : tensor<2x3x7xbf16>
  %z11 = arith.constant dense<0.0> : tensor<2x3x4xbf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x10, %v : tensor<2x3x7xbf16>, tensor<2x7x4xbf16>) outs(%z11 : tensor<2x3x4xbf16>) {
  ^bb0(%b0: bf16, %b1: bf16, %acc: bf16):
    %p = arith.mulf %b0, %b1 : bf16
    %r = arith.addf %acc, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<2x3x4xbf16>
  return %o : tensor<2x3x4xbf16>
}

// A product of i8 in i32, dequantised: no float product, and none is guessed.
// CHECK: [Missed] fuse-attention | Category:fa | Function=quantised |{{.*}}the scores are a product of integers; only products of floats fuse
// IR-LABEL: @quantised(
// IR-NOT: fa.attention
// IR: return
func.func @quantised(%q: tensor<3x5xi8>, %k: tensor<5x7xi8>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zs = arith.constant dense<0> : tensor<3x7xi32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %c = arith.constant dense<0.01> : tensor<3x7xf32>
  %si = linalg.matmul ins(%q, %k : tensor<3x5xi8>, tensor<5x7xi8>) outs(%zs : tensor<3x7xi32>) -> tensor<3x7xi32>
  %sf = arith.sitofp %si : tensor<3x7xi32> to tensor<3x7xf32>
  %s = arith.mulf %sf, %c : tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// Dequantised inside of the product: query and key are computed from integers, and read as copies.
// CHECK: [Passed] fuse-attention | Category:fa | Function=dequantised_inside |
func.func @dequantised_inside(%q: tensor<3x5xi8>, %k: tensor<5x7xi8>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (d, n)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x5xi8>, tensor<5x7xi8>) outs(%zs : tensor<3x7xf32>) {
  ^bb0(%b0: i8, %b1: i8, %acc: f32):
    %c = arith.constant 0.1 : f32
    %zero = arith.constant 3.0 : f32
    %x = arith.sitofp %b0 : i8 to f32
    %x1 = arith.subf %x, %zero : f32
    %xc = arith.mulf %x1, %c : f32
    %y = arith.sitofp %b1 : i8 to f32
    %yc = arith.mulf %y, %c : f32
    %w = arith.mulf %xc, %yc : f32
    %r = arith.addf %acc, %w : f32
    linalg.yield %r : f32
  } -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
