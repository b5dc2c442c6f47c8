// RUN: fa-opt %s --fa-outline | FileCheck %s
// RUN: fa-opt %s --fa-outline=function=f | FileCheck %s --check-prefix=NAMED

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#scalar = affine_map<(b, m, n, d, e) -> ()>

// The scale is an operand like any other; K and V may be the same value.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[Q:.*]]: tensor<2x7x4xf32>, %[[KV:.*]]: tensor<2x5x4xf32>, %[[C:.*]]: f32
// CHECK: %[[O:.*]] = call @two.0(%[[Q]], %[[KV]], %[[KV]], %[[C]])
// CHECK: %[[R:.*]] = call @two.1(%[[O]], %[[KV]], %[[KV]], %[[C]])
// CHECK: return %[[R]]
// CHECK: func.func private @two.0(%[[A:.*]]: tensor<2x7x4xf32>, %[[B:.*]]: tensor<2x5x4xf32>, %[[V:.*]]: tensor<2x5x4xf32>, %[[S:.*]]: f32) -> tensor<2x7x4xf32>
// CHECK: fa.attention query(%[[A]]) key(%[[B]]) value(%[[V]]) extras(%[[S]])
// CHECK: return
// CHECK: func.func private @two.1(
// NAMED: call @f.0(
// NAMED: call @f.1(
func.func @two(%q: tensor<2x7x4xf32>, %kv: tensor<2x5x4xf32>, %c: f32) -> tensor<2x7x4xf32> {
  %o = fa.attention query(%q) key(%kv) value(%kv) extras(%c)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #scalar, #o] empty_rows <nan>
      : (tensor<2x7x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, f32) -> tensor<2x7x4xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %scale: f32):
    %scaled = arith.mulf %s, %scale : f32
    fa.yield %scaled : f32
  }
  %r = fa.attention query(%o) key(%kv) value(%kv) extras(%c)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #scalar, #o] empty_rows <nan>
      : (tensor<2x7x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, f32) -> tensor<2x7x4xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %scale: f32):
    %scaled = arith.mulf %s, %scale : f32
    fa.yield %scaled : f32
  }
  return %r : tensor<2x7x4xf32>
}
