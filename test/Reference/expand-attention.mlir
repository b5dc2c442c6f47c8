// RUN: fa-opt %s --fa-expand-attention --canonicalize --split-input-file | FileCheck %s

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// The scores become a tensor, step by step.
// CHECK-LABEL: @forward
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%arg0, %arg1
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]
// CHECK: math.log
// CHECK-NOT: fa.
func.func @forward(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o#0, %o#1 : tensor<4x2xf32>, tensor<4xf32>
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
#scalar = affine_map<(m, n, d, e) -> ()>

// Weights from LSE, Δ, dP, dS by the derivative of s·x, and the gradient of x as a sum over all.
// CHECK-LABEL: @backward
// CHECK: math.exp
// CHECK: arith.cmpf oeq, %{{.*}}, %cst{{.*}} : f32
// CHECK: linalg.generic {{.*}} ins(%arg6, %arg4
// CHECK: ^bb0(%[[S:.*]]: f32, %[[P:.*]]: f32, %[[DP:.*]]: f32, %[[DELTA:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[DP]], %[[DELTA]]
// CHECK-NEXT: %[[SEED:.*]] = arith.mulf %[[P]], %[[DIFFERENCE]]
// CHECK-NEXT: %[[DS:.*]] = arith.mulf %[[SEED]], %[[X]]
// CHECK-NEXT: %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[P]], %cst
// CHECK-NEXT: arith.select %[[IS_ZERO]], %cst{{.*}}, %[[DS]]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]
// CHECK: return {{.*}} : tensor<4x8xf16>, tensor<f32>
func.func @backward(%q: tensor<4x8xf16>, %k: tensor<6x8xf16>, %v: tensor<6x2xf16>, %x: f32, %o: tensor<4x2xf16>,
                    %lse: tensor<4xf32>, %do: tensor<4x2xf16>) -> (tensor<4x8xf16>, tensor<f32>) {
  %g:2 = fa.attention_backward query(%q) key(%k) value(%v) extras(%x) output(%o) lse(%lse) d_output(%do)
      gradients(query, extra 0) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #scalar, #o, #row, #o]
      : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x2xf16>, f32, tensor<4x2xf16>, tensor<4xf32>, tensor<4x2xf16>)
        -> (tensor<4x8xf16>, tensor<f32>) score {
  ^bb0(%s: f32, %m: index, %n: index, %factor: f32):
    %scaled = arith.mulf %s, %factor : f32
    fa.yield %scaled : f32
  }
  return %g#0, %g#1 : tensor<4x8xf16>, tensor<f32>
}
