// RUN: fa-opt %s --fuse-attention=to=op --allow-unregistered-dialect -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// IR-NOT: fa.attention

// CHECK: remark: [Missed] fuse-attention | Category:fa | Function=classifier
// CHECK-SAME: a softmax whose weights no product with values follows
func.func @classifier(%x: tensor<3x5xf32>, %w: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x7xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %s = linalg.matmul ins(%x, %w : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %p : tensor<3x7xf32>
}

// CHECK: remark: [Missed] fuse-attention | Category:fa | Function=no_first_product
// CHECK-SAME: the scores are not computed from a product of query and key
func.func @no_first_product(%s: tensor<3x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: remark: [Missed] fuse-attention | Category:fa | Function=garbage
// CHECK-SAME: a product accumulates into an uninitialised tensor: fill it with 0
func.func @garbage(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// Ops that are attention elsewhere: the remark says how to get a form that is read.
// CHECK: remark: [Missed] fuse-attention | Category:fa | Function=foreign
// CHECK-SAME: 'tm_tensor.attention' is attention in one op of another project
// CHECK: remark: [Missed] fuse-attention | Category:fa | Function=foreign
// CHECK-SAME: 'stablehlo.custom_call' is attention in one op of another project
func.func @foreign(%q: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %o = "tm_tensor.attention"(%q, %q, %q) : (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %c = "stablehlo.custom_call"(%q) {call_target_name = "tt.scaled_dot_product_attention"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %o, %c : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}
