// RUN: fa-opt %s --fa-expand-clamp | FileCheck %s
// RUN: %python -c "import numpy; numpy.savez('%t.npz', arg0=numpy.float32([-3, -1, 0.5, 2, 7]), ref0=numpy.float64([-1, -1, 0.5, 2, 2]))"
// RUN: fa-run %s --function=clamp --inputs=%t.npz --expect=%t.npz | FileCheck %s --check-prefix=VALUES
// REQUIRES: numpy

// The maximum with the lower bound, the minimum with the upper one.
// CHECK-LABEL: @clamp
// CHECK: %[[LOWER:.*]] = arith.maximumf %{{.*}}, %cst{{.*}} : f32
// CHECK-NEXT: arith.minimumf %[[LOWER]], %cst
// VALUES: res0 {{.*}}: ok
func.func @clamp(%x: tensor<5xf32>) -> tensor<5xf32> {
  %low = arith.constant -1.0 : f32
  %high = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%empty : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = math.clampf %in to [%low, %high] : f32
    linalg.yield %c : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
