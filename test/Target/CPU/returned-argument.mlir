// RUN: fa-opt %s -fa-cpu-to-llvm=deallocate | FileCheck %s

// Who calls an object frees its results: an argument that is returned is copied for that.
// CHECK-LABEL: llvm.func @keep
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.call @malloc
// CHECK: llvm.call @malloc
// CHECK: llvm.intr.memcpy
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.return
func.func @keep(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y = math.exp %x : tensor<4x8xf32>
  return %x, %y : tensor<4x8xf32>, tensor<4x8xf32>
}
