// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=broadcast_shapes --verify --tile=3x5
// RUN: fa-run %s --function=padding_arithmetic --verify --tile=3x5
// RUN: fa-run %s --function=padding_compare --verify --tile=3x5
// RUN: fa-run %s --function=causal_in_one_body --verify --tile=3x5
// RUN: fa-run %s --function=causal_dropped --verify --tile=3x5
// RUN: fa-run %s --function=causal_by_iota --verify --tile=3x5
// RUN: fa-run %s --function=causal_bottom_right --verify --tile=3x5
// RUN: fa-run %s --function=window --verify --tile=3x5

// Masks and biases: any arithmetic on scores and positions is a score region.

// Added masks of all shapes, and the operands the other way round.
// CHECK: [Passed] fuse-attention | Category:fa | Function=broadcast_shapes |{{.*}}4 mask or bias operands
func.func @broadcast_shapes(%q: tensor<2x6x3x5xf32>, %k: tensor<2x6x7x5xf32>, %v: tensor<2x6x7x4xf32>, %mask_b1mn: tensor<2x1x3x7xf32>, %mask_b11n: tensor<2x1x1x7xf32>, %mask_mn: tensor<3x7xf32>, %mask_hmn: tensor<6x3x7xf32>) -> tensor<2x6x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x6x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, d)>, affine_map<(b, h, m, d, n) -> (b, h, n, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x6x3x5xf32>, tensor<2x6x7x5xf32>) outs(%z1 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e = tensor.empty() : tensor<2x6x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, 0, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %mask_b1mn : tensor<2x6x3x7xf32>, tensor<2x1x3x7xf32>) outs(%e : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b1, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e3 = tensor.empty() : tensor<2x6x3x7xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, 0, 0, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s2, %mask_b11n : tensor<2x6x3x7xf32>, tensor<2x1x1x7xf32>) outs(%e3 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b1, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e5 = tensor.empty() : tensor<2x6x3x7xf32>
  %s6 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s4, %mask_mn : tensor<2x6x3x7xf32>, tensor<3x7xf32>) outs(%e5 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b1, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e7 = tensor.empty() : tensor<2x6x3x7xf32>
  %s8 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s6, %mask_hmn : tensor<2x6x3x7xf32>, tensor<6x3x7xf32>) outs(%e7 : tensor<2x6x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b1, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x7xf32>
  %e9 = tensor.empty() : tensor<2x6x3x7xf32>
  %p10 = linalg.softmax dimension(3) ins(%s8 : tensor<2x6x3x7xf32>) outs(%e9 : tensor<2x6x3x7xf32>) -> tensor<2x6x3x7xf32>
  %z11 = arith.constant dense<0.0> : tensor<2x6x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%p10, %v : tensor<2x6x3x7xf32>, tensor<2x6x7x4xf32>) outs(%z11 : tensor<2x6x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x6x3x4xf32>
  return %o : tensor<2x6x3x4xf32>
}

// (1 - mask)·-FLT_MAX from an integer mask.
// CHECK: [Passed] fuse-attention | Category:fa | Function=padding_arithmetic |
func.func @padding_arithmetic(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %mask: tensor<2x7xi64>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x7xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(b, n) -> (b, n)>, affine_map<(b, n) -> (b, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%mask : tensor<2x7xi64>) outs(%e : tensor<2x7xf32>) {
  ^bb0(%b0: i64, %acc: f32):
    %one = arith.constant 1.0 : f32
    %big = arith.constant -3.40282347E+38 : f32
    %x = arith.sitofp %b0 : i64 to f32
    %y = arith.subf %one, %x : f32
    %r = arith.mulf %y, %big : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e2 = tensor.empty() : tensor<2x3x7xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x3x7xf32>, tensor<2x7xf32>) outs(%e2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b0, %b1 : f32
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

// An integer mask becomes a float, is compared with 0, and selects.
// CHECK: [Passed] fuse-attention | Category:fa | Function=padding_compare |
func.func @padding_compare(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %mask: tensor<2x7xi64>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x3x7xf32>, tensor<2x7xi64>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i64, %acc: f32):
    %x = arith.sitofp %b1 : i64 to f32
    %zero = arith.constant 0.0 : f32
    %ok = arith.cmpf une, %x, %zero : f32
    %lo = arith.constant -1.0e+09 : f32
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

// CHECK: [Passed] fuse-attention | Category:fa | Function=causal_in_one_body |{{.*}}masked by position
func.func @causal_in_one_body(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
    %ok = arith.cmpi ule, %j, %i : index
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

// True means dropped, and the value is -1e9: finite.
// CHECK: [Passed] fuse-attention | Category:fa | Function=causal_dropped |{{.*}}masked by position
// IR-LABEL: @causal_dropped(
// IR: arith.constant -1.000000e+09
func.func @causal_dropped(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
    %ok = arith.cmpi sgt, %j, %i : index
    %lo = arith.constant -1.0e+09 : f32
    %r = arith.select %ok, %lo, %b0 : f32
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

// Two iotas compared as tensors, the result cast to a number of -FLT_MAX.
// CHECK: [Passed] fuse-attention | Category:fa | Function=causal_by_iota |{{.*}}masked by position
func.func @causal_by_iota(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<3x7xi32>
  %e1 = tensor.empty() : tensor<3x7xi32>
  %g2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%e : tensor<3x7xi32>) outs(%e1 : tensor<3x7xi32>) {
  ^bb0(%b0: i32, %acc: i32):
    %i = linalg.index 0 : index
    %x = arith.index_cast %i : index to i32
    linalg.yield %x : i32
  } -> tensor<3x7xi32>
  %e3 = tensor.empty() : tensor<3x7xi32>
  %g4 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%e : tensor<3x7xi32>) outs(%e3 : tensor<3x7xi32>) {
  ^bb0(%b0: i32, %acc: i32):
    %i = linalg.index 1 : index
    %x = arith.index_cast %i : index to i32
    linalg.yield %x : i32
  } -> tensor<3x7xi32>
  %x5 = arith.cmpi sgt, %g4, %g2 : tensor<3x7xi32>
  %fl = arith.uitofp %x5 : tensor<3x7xi1> to tensor<3x7xf32>
  %c6 = arith.constant dense<-3.40282347E+38> : tensor<3x7xf32>
  %x7 = arith.mulf %fl, %c6 : tensor<3x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z8 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e9 = tensor.empty() : tensor<2x3x7xf32>
  %s10 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %x7 : tensor<2x3x7xf32>, tensor<3x7xf32>) outs(%e9 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %r = arith.addf %b0, %b1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e11 = tensor.empty() : tensor<2x3x7xf32>
  %p12 = linalg.softmax dimension(2) ins(%s10 : tensor<2x3x7xf32>) outs(%e11 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z13 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p12, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z13 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// The last query sees every key: the offset is read from the IR.
// CHECK: [Passed] fuse-attention | Category:fa | Function=causal_bottom_right |{{.*}}masked by position
func.func @causal_bottom_right(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
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
    %d = arith.constant 4 : index
    %x = arith.addi %i, %d : index
    %ok = arith.cmpi sge, %x, %j : index
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

// Sliding window: two masks in a row.
// CHECK: [Passed] fuse-attention | Category:fa | Function=window |{{.*}}masked by position
func.func @window(%q: tensor<2x9x5xf32>, %k: tensor<2x9x5xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x9x5xf32>, tensor<2x9x5xf32>) outs(%z1 : tensor<2x9x9xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x9x9xf32>
  %e = tensor.empty() : tensor<2x9x9xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x9x9xf32>) outs(%e : tensor<2x9x9xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sge, %i, %j : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x9x9xf32>
  %e3 = tensor.empty() : tensor<2x9x9xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s2 : tensor<2x9x9xf32>) outs(%e3 : tensor<2x9x9xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %w = arith.constant 3 : index
    %x = arith.subi %i, %j : index
    %ok = arith.cmpi slt, %x, %w : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<2x9x9xf32>
  %e5 = tensor.empty() : tensor<2x9x9xf32>
  %p6 = linalg.softmax dimension(2) ins(%s4 : tensor<2x9x9xf32>) outs(%e5 : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %z7 = arith.constant dense<0.0> : tensor<2x9x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p6, %v : tensor<2x9x9xf32>, tensor<2x9x4xf32>) outs(%z7 : tensor<2x9x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x9x4xf32>
  return %o : tensor<2x9x4xf32>
}
