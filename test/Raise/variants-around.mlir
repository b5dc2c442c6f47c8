// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=epilogue --verify --tile=3x5
// RUN: fa-run %s --function=cache_update --verify --tile=3x5 --dims=1
// RUN: fa-run %s --function=cache_static --verify --tile=3x5
// RUN: fa-run %s --function=weights_dropped_by_argument --verify --tile=3x5
// RUN: fa-run %s --function=key_and_value_returned --verify --tile=3x5
// RUN: fa-run %s --function=shared_key_and_value --verify --tile=3x5
// RUN: fa-run %s --function=latent --verify --tile=3x5
// RUN: fa-run %s --function=relative_positions --verify --tile=3x5
// RUN: fa-run %s --function=gathered_bias --verify --tile=3x5
// RUN: fa-run %s --function=called --verify --tile=3x5
// RUN: fa-run %s --function=odd_bodies --verify --tile=3x5

// What stands around attention, and between its parts.

// Residual, cast and transpose of the output are no part of it.
// CHECK: [Passed] fuse-attention | Category:fa | Function=epilogue |
func.func @epilogue(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %x: tensor<2x3x4xf32>) -> tensor<2x4x3xf16> {
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
  %x4 = arith.mulf %o, %o : tensor<2x3x4xf32>
  %x5 = arith.addf %x4, %x : tensor<2x3x4xf32>
  %x6 = arith.truncf %x5 : tensor<2x3x4xf32> to tensor<2x3x4xf16>
  %e7 = tensor.empty() : tensor<2x4x3xf16>
  %t8 = linalg.transpose ins(%x6 : tensor<2x3x4xf16>) outs(%e7 : tensor<2x4x3xf16>) permutation = [0, 2, 1]
  return %t8 : tensor<2x4x3xf16>
}

// A row of the key cache is inserted before it is read; the caches are results.
// CHECK: [Passed] fuse-attention | Category:fa | Function=cache_update |
// IR-LABEL: @cache_update(
// IR: tensor.insert_slice
// IR: tensor.insert_slice
func.func @cache_update(%q: tensor<1x5xf32>, %kc: tensor<7x5xf32>, %vc: tensor<7x4xf32>, %kn: tensor<1x5xf32>, %vn: tensor<1x4xf32>, %at: index) -> (tensor<1x4xf32>, tensor<7x5xf32>, tensor<7x4xf32>) {
  %k2 = tensor.insert_slice %kn into %kc[%at, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<7x5xf32>
  %v2 = tensor.insert_slice %vn into %vc[%at, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<7x4xf32>
  %z1 = arith.constant dense<0.0> : tensor<1x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, d)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, n)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%q, %k2 : tensor<1x5xf32>, tensor<7x5xf32>) outs(%z1 : tensor<1x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x7xf32>
  %e = tensor.empty() : tensor<1x7xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<1x7xf32>) outs(%e : tensor<1x7xf32>) {
  ^bb0(%b0: f32, %acc: f32):
    %j = linalg.index 1 : index
    %ok = arith.cmpi ule, %j, %at : index
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %b0, %lo : f32
    linalg.yield %r : f32
  } -> tensor<1x7xf32>
  %e3 = tensor.empty() : tensor<1x7xf32>
  %p4 = linalg.softmax dimension(1) ins(%s2 : tensor<1x7xf32>) outs(%e3 : tensor<1x7xf32>) -> tensor<1x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<1x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, n, e) -> (m, n)>, affine_map<(m, n, e) -> (n, e)>, affine_map<(m, n, e) -> (m, e)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p4, %v2 : tensor<1x7xf32>, tensor<7x4xf32>) outs(%z5 : tensor<1x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x4xf32>
  return %o, %k2, %v2 : tensor<1x4xf32>, tensor<7x5xf32>, tensor<7x4xf32>
}

// The same at a place that is known.
// CHECK: [Passed] fuse-attention | Category:fa | Function=cache_static |
func.func @cache_static(%q: tensor<1x5xf32>, %kc: tensor<7x5xf32>, %vc: tensor<7x4xf32>, %kn: tensor<1x5xf32>, %vn: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<7x5xf32>, tensor<7x4xf32>) {
  %k2 = tensor.insert_slice %kn into %kc[3, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<7x5xf32>
  %v2 = tensor.insert_slice %vn into %vc[3, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<7x4xf32>
  %z1 = arith.constant dense<0.0> : tensor<1x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, d)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, n)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%q, %k2 : tensor<1x5xf32>, tensor<7x5xf32>) outs(%z1 : tensor<1x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x7xf32>
  %e = tensor.empty() : tensor<1x7xf32>
  %p2 = linalg.softmax dimension(1) ins(%s : tensor<1x7xf32>) outs(%e : tensor<1x7xf32>) -> tensor<1x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<1x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, n, e) -> (m, n)>, affine_map<(m, n, e) -> (n, e)>, affine_map<(m, n, e) -> (m, e)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p2, %v2 : tensor<1x7xf32>, tensor<7x4xf32>) outs(%z3 : tensor<1x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x4xf32>
  return %o, %k2, %v2 : tensor<1x4xf32>, tensor<7x5xf32>, tensor<7x4xf32>
}

// Dropout by a tensor of random numbers.
// CHECK: [Passed] fuse-attention | Category:fa | Function=weights_dropped_by_argument |{{.*}}weights changed after the softmax
func.func @weights_dropped_by_argument(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %random: tensor<2x3x7xf32>) -> tensor<2x3x4xf32> {
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
  %g4 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p2, %random : tensor<2x3x7xf32>, tensor<2x3x7xf32>) outs(%e3 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %keep = arith.constant 0.5 : f32
    %zero = arith.constant 0.0 : f32
    %ok = arith.cmpf olt, %b1, %keep : f32
    %x = arith.divf %b0, %keep : f32
    %r = arith.select %ok, %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z5 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%g4, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z5 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Transposed keys and values are results as well.
// CHECK: [Passed] fuse-attention | Category:fa | Function=key_and_value_returned |
func.func @key_and_value_returned(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x5x7xf32>, tensor<2x4x7xf32>) {
  %e = tensor.empty() : tensor<2x5x7xf32>
  %t1 = linalg.transpose ins(%k : tensor<2x7x5xf32>) outs(%e : tensor<2x5x7xf32>) permutation = [0, 2, 1]
  %e2 = tensor.empty() : tensor<2x4x7xf32>
  %t3 = linalg.transpose ins(%v : tensor<2x7x4xf32>) outs(%e2 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %z4 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.batch_matmul ins(%q, %t1 : tensor<2x3x5xf32>, tensor<2x5x7xf32>) outs(%z4 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %e5 = tensor.empty() : tensor<2x3x7xf32>
  %p6 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e5 : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z7 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, e, n)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p6, %t3 : tensor<2x3x7xf32>, tensor<2x4x7xf32>) outs(%z7 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o, %t1, %t3 : tensor<2x3x4xf32>, tensor<2x5x7xf32>, tensor<2x4x7xf32>
}

// Two attentions share key and value.
// CHECK: [Passed] fuse-attention | Category:fa | Function=shared_key_and_value |
// CHECK: [Passed] fuse-attention | Category:fa | Function=shared_key_and_value |
func.func @shared_key_and_value(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %q2: tensor<2x4x5xf32>) -> (tensor<2x3x4xf32>, tensor<2x4x4xf32>) {
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
  %z4 = arith.constant dense<0.0> : tensor<2x4x7xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q2, %k : tensor<2x4x5xf32>, tensor<2x7x5xf32>) outs(%z4 : tensor<2x4x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x7xf32>
  %e6 = tensor.empty() : tensor<2x4x7xf32>
  %p7 = linalg.softmax dimension(2) ins(%s5 : tensor<2x4x7xf32>) outs(%e6 : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %z8 = arith.constant dense<0.0> : tensor<2x4x4xf32>
  %o9 = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p7, %v : tensor<2x4x7xf32>, tensor<2x7x4xf32>) outs(%z8 : tensor<2x4x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x4xf32>
  return %o, %o9 : tensor<2x3x4xf32>, tensor<2x4x4xf32>
}

// Absorbed decode: key and value are one latent tensor, the scores have a second product.
// CHECK: [Passed] fuse-attention | Category:fa | Function=latent |
func.func @latent(%q: tensor<2x3x5xf32>, %latent: tensor<7x5xf32>, %qr: tensor<2x3x2xf32>, %kr: tensor<7x2xf32>) -> tensor<2x3x5xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, m, d, n) -> (h, m, d)>, affine_map<(h, m, d, n) -> (n, d)>, affine_map<(h, m, d, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %latent : tensor<2x3x5xf32>, tensor<7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(h, m, d, n) -> (h, m, d)>, affine_map<(h, m, d, n) -> (n, d)>, affine_map<(h, m, d, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%qr, %kr : tensor<2x3x2xf32>, tensor<7x2xf32>) outs(%z2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %x4 = arith.addf %s, %s3 : tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p5 = linalg.softmax dimension(2) ins(%x4 : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z6 = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, m, n, e) -> (h, m, n)>, affine_map<(h, m, n, e) -> (n, e)>, affine_map<(h, m, n, e) -> (h, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p5, %latent : tensor<2x3x7xf32>, tensor<7x5xf32>) outs(%z6 : tensor<2x3x5xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x5xf32>
  return %o : tensor<2x3x5xf32>
}

// A bias that is a product of the query with a table of positions.
// CHECK: [Passed] fuse-attention | Category:fa | Function=relative_positions |{{.*}}1 mask or bias operand
func.func @relative_positions(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %table: tensor<3x7x5xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (m, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %table : tensor<2x3x5xf32>, tensor<3x7x5xf32>) outs(%z2 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %x3 = arith.addf %s, %b : tensor<2x3x7xf32>
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

// A bias gathered from a table by an index tensor.
// CHECK: [Passed] fuse-attention | Category:fa | Function=gathered_bias |
func.func @gathered_bias(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %table: tensor<4xf32>, %ix: tensor<3x7xi32>) -> tensor<2x3x4xf32> {
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
      ins(%s, %ix : tensor<2x3x7xf32>, tensor<3x7xi32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: i32, %acc: f32):
    %i = arith.index_cast %b1 : i32 to index
    %x = tensor.extract %table[%i] : tensor<4xf32>
    %r = arith.addf %b0, %x : f32
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

// Calls with side effects between the stages: the stages may move, the calls stay in order.
// CHECK: [Passed] fuse-attention | Category:fa | Function=timers |
// IR-LABEL: @timers(
// IR: call @tick(%c0
// IR: call @tick(%c1
// IR: fa.attention
// IR: call @tick(%c2
func.func private @tick(i32)
func.func @timers(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  func.call @tick(%c0) : (i32) -> ()
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  func.call @tick(%c1) : (i32) -> ()
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  func.call @tick(%c2) : (i32) -> ()
  return %o : tensor<3x4xf32>
}

// The mask goes through a private function, the softmax through another one that also transposes.
// CHECK: [Missed] fuse-attention | Category:fa | Function=softmax_transposed |
// CHECK: [Passed] fuse-attention | Category:fa | Function=called |
// IR-LABEL: @called(
// IR: fa.attention query(%arg0) key(%arg1) value(%arg2)
func.func private @_where(%c: tensor<3x7xi1>, %x: tensor<3x7xf32>, %y: tensor<f32>) -> tensor<3x7xf32> {
  %e = tensor.empty() : tensor<3x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %x, %y : tensor<3x7xi1>, tensor<3x7xf32>, tensor<f32>) outs(%e : tensor<3x7xf32>) {
  ^bb0(%b0: i1, %b1: f32, %b2: f32, %acc: f32):
    %s = arith.select %b0, %b1, %b2 : f32
    linalg.yield %s : f32
  } -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}
func.func private @softmax_transposed(%x: tensor<3x7xf32>) -> tensor<7x3xf32> {
  %e = tensor.empty() : tensor<3x7xf32>
  %t = tensor.empty() : tensor<7x3xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %pT = linalg.transpose ins(%p : tensor<3x7xf32>) outs(%t : tensor<7x3xf32>) permutation = [1, 0]
  return %pT : tensor<7x3xf32>
}
func.func @called(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %c: tensor<3x7xi1>) -> tensor<3x4xf32> {
  %lo = arith.constant dense<-1.0e+09> : tensor<f32>
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %m = func.call @_where(%c, %s, %lo) : (tensor<3x7xi1>, tensor<3x7xf32>, tensor<f32>) -> tensor<3x7xf32>
  %pT = func.call @softmax_transposed(%m) : (tensor<3x7xf32>) -> tensor<7x3xf32>
  %o = linalg.matmul indexing_maps = [affine_map<(m, e, n) -> (n, m)>, affine_map<(m, e, n) -> (n, e)>, affine_map<(m, e, n) -> (m, e)>] ins(%pT, %v : tensor<7x3xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// Bodies over tensors without dimensions, a select between numbers of rank 0, an assert in a body: what
// holds the assert stays for its sake.
// CHECK: [Passed] fuse-attention | Category:fa | Function=odd_bodies |
// IR-LABEL: @odd_bodies(
// IR: cf.assert
// IR: fa.attention query(%arg0) key(%arg1) value(%arg2)
func.func @odd_bodies(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %c: tensor<1xf32>) -> tensor<3x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %true = arith.constant dense<true> : tensor<i1>
  %t = tensor.extract %true[] : tensor<i1>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (0)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %c : tensor<3x7xf32>, tensor<1xf32>) outs(%es : tensor<3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    cf.assert %t, "never"
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ge = arith.cmpi sge, %i, %j : index
    %ok = arith.andi %ge, %t : i1
    %w = tensor.from_elements %b0 : tensor<f32>
    %y = tensor.extract %w[] : tensor<f32>
    %z = arith.mulf %y, %b1 : f32
    %lo = arith.constant 0xFF800000 : f32
    %r = arith.select %ok, %z, %lo : f32
    linalg.yield %r : f32
  } -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
