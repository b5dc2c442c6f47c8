// RUN: fa-opt %s --fa-widen-to-f64 | FileCheck %s

// Arguments, constants and bodies become f64; casts vanish; a sum keeps f32's range.
// CHECK-LABEL: func.func @body(%{{.*}}: tensor<4xf64>) -> tensor<4xf64>
func.func @body(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-DAG: %[[C:.*]] = arith.constant 2.5{{0*}}e-01 : f64
  // CHECK-DAG: arith.constant dense<[1.0{{0*}}e+00, 0x7FF0000000000000]> : tensor<2xf64>
  %c = arith.constant 0.25 : f32
  %dense = arith.constant dense<[1.0, 0x7F80]> : tensor<2xbf16>
  %init = tensor.empty() : tensor<4xf16>
  // CHECK: ^bb0(%[[IN:.*]]: f64, %{{.*}}: f64):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN]], %[[C]] : f64
  // CHECK: %[[LIMIT:.*]] = arith.constant 3.4028235677973366E+38 : f64
  // CHECK: %[[INF:.*]] = arith.constant 0x7FF0000000000000 : f64
  // CHECK: %[[ABS:.*]] = math.absf %[[SUM]] : f64
  // CHECK: %[[BEYOND:.*]] = arith.cmpf oge, %[[ABS]], %[[LIMIT]] : f64
  // CHECK: %[[SIGNED:.*]] = math.copysign %[[INF]], %[[SUM]] : f64
  // CHECK: %[[R:.*]] = arith.select %[[BEYOND]], %[[SIGNED]], %[[SUM]] : f64
  // CHECK-NEXT: linalg.yield %[[R]] : f64
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %wide = arith.extf %in : f16 to f32
    %sum = arith.addf %wide, %c : f32
    %narrow = arith.truncf %sum : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// What was f64 has f64's range; only its cast to f32 is limited.
// CHECK-LABEL: func.func @was_f64(
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f64
// CHECK-NOT: math.absf
// CHECK: return %[[SUM]] : f64
func.func @was_f64(%x: f64) -> f64 {
  %r = arith.addf %x, %x : f64
  return %r : f64
}

// CHECK-LABEL: func.func @cast_of_f64(
// CHECK: math.absf
// CHECK: arith.select
func.func @cast_of_f64(%x: f64) -> f32 {
  %r = arith.truncf %x : f64 to f32
  return %r : f32
}

// Conversions of integers stay.
// CHECK-LABEL: func.func @integers(
// CHECK: arith.sitofp %{{.*}} : i32 to f64
// CHECK: arith.fptosi %{{.*}} : f64 to i32
func.func @integers(%i: i32, %x: f32) -> (f32, i32) {
  %a = arith.sitofp %i : i32 to f32
  %b = arith.fptosi %x : f32 to i32
  return %a, %b : f32, i32
}
