// linalg.softmax runs as it is, and in f64.
// RUN: fa-run %s --random --verify | FileCheck %s

// CHECK: res0 2x4x8xf32 {{.*}} ok
func.func @softmax(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %empty = tensor.empty() : tensor<2x4x8xf32>
  %result = linalg.softmax dimension(2) ins(%x : tensor<2x4x8xf32>) outs(%empty : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %result : tensor<2x4x8xf32>
}
