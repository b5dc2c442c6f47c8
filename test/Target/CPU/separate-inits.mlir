// RUN: fa-opt %s --fa-cpu-separate-inits | FileCheck %s

// Two ops that write to one empty tensor, and two that add to one fill, get one each.
// CHECK-LABEL: func.func @shared(
// CHECK: %[[B:.*]] = tensor.empty
// CHECK: %[[D:.*]] = linalg.fill
// CHECK: %[[A:.*]] = tensor.empty
// CHECK: linalg.exp ins({{.*}}) outs(%[[A]] :
// CHECK: linalg.abs ins({{.*}}) outs(%[[B]] :
// CHECK: %[[C:.*]] = linalg.fill
// CHECK: linalg.matmul {{.*}} outs(%[[C]] :
// CHECK: linalg.matmul {{.*}} outs(%[[D]] :
func.func @shared(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %exp = linalg.exp ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %abs = linalg.abs ins(%exp : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %one = linalg.matmul ins(%abs, %exp : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %two = linalg.matmul ins(%one, %exp : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %two : tensor<4x4xf32>
}

// An init that is read, or is its op's own, stays; no op overwrites an argument that it does not read.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK: %[[OWN:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: linalg.exp ins(%[[X]] : tensor<?xf32>) outs(%[[OWN]] :
// CHECK: linalg.generic {{.*}} ins({{.*}}) outs(%[[Y]] :
func.func @kept(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %exp = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%exp : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
