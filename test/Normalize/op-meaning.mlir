// RUN: fa-opt %s --fuse-attention="to=op require=2" 2>/dev/null | FileCheck %s

// TOSA ops are read by what upstream's conversions make of them; those that stay are untouched.
// CHECK-LABEL: @tosa
// CHECK: fa.attention query(%arg0) key(%arg1) value(%arg2)
// CHECK-NOT: tosa.matmul
func.func @tosa(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<2x7x5xf32>) -> tensor<2x5x7xf32>
  %s = tosa.matmul %q, %kt, %zp, %zp : (tensor<2x3x5xf32>, tensor<2x5x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x7xf32>
  %m = tosa.reduce_max %s {axis = 2 : i32} : (tensor<2x3x7xf32>) -> tensor<2x3x1xf32>
  %d = tosa.sub %s, %m : (tensor<2x3x7xf32>, tensor<2x3x1xf32>) -> tensor<2x3x7xf32>
  %e = tosa.exp %d : (tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %l = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<2x3x7xf32>) -> tensor<2x3x1xf32>
  %r = tosa.reciprocal %l : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %p = tosa.mul %e, %r, %shift : (tensor<2x3x7xf32>, tensor<2x3x1xf32>, tensor<1xi8>) -> tensor<2x3x7xf32>
  %o = tosa.matmul %p, %v, %zp, %zp : (tensor<2x3x7xf32>, tensor<2x7x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A call is read through a copy of its callee; the callee stays.
// CHECK-LABEL: @calls
// CHECK: fa.attention query(%arg0) key(%arg1) value(%arg2) extras(%arg3)
// CHECK: arith.select
// CHECK-NOT: call @where
// CHECK-LABEL: @where
func.func @calls(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %mask: tensor<3x7xi1>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %masked = call @where(%mask, %s) : (tensor<3x7xi1>, tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%masked : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
func.func private @where(%mask: tensor<3x7xi1>, %s: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %ninf = arith.constant dense<0xFF800000> : tensor<3x7xf32>
  %r = arith.select %mask, %s, %ninf : tensor<3x7xi1>, tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}
