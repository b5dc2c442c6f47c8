// RUN: fa-opt %s -fa-cpu-expand-exp | FileCheck %s

// f32 vectors: 2^n is added to the exponent; the ends of the range and NaN are chosen afterwards.
// CHECK-LABEL: @vector
// CHECK-NOT: math.exp
// CHECK: arith.shli
// CHECK: arith.addi
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf uno
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %e = math.exp %x : vector<16xf32>
  return %e : vector<16xf32>
}

// Others are libm's.
// CHECK-LABEL: @others
// CHECK: math.exp {{.*}} : vector<8xf64>
// CHECK: math.exp {{.*}} : f32
func.func @others(%x: vector<8xf64>, %y: f32) -> (vector<8xf64>, f32) {
  %e = math.exp %x : vector<8xf64>
  %f = math.exp %y : f32
  return %e, %f : vector<8xf64>, f32
}
