// RUN: fa-opt %s --fa-differentiate=function=attention 2>/dev/null | FileCheck %s
// RUN: fa-opt %s --fa-differentiate="function=attention wrt=2" 2>/dev/null | FileCheck %s --check-prefix=WRT
// RUN: fa-opt %s --fa-differentiate="function=attention fuse=false" 2>/dev/null | FileCheck %s --check-prefix=UNFUSED
// RUN: fa-opt %s --fa-differentiate=function=attention 2>/dev/null | fa-opt --fuse-attention | FileCheck %s --check-prefix=LOOPS --implicit-check-not=fa.

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#bias = affine_map<(b, m, n, d, e) -> (m, n)>

// F stays; F_fwd keeps what F_vjp needs: output and LSE.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: -> tensor<2x6x3xf32>
// CHECK-LABEL: func.func @attention_fwd(
// CHECK-SAME: -> (tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6xf32>)
// CHECK: %[[OUT:.*]], %[[ROWS:.*]] = fa.attention {{.*}} results(lse)
// CHECK: return %[[OUT]], %[[OUT]], %[[ROWS]] :

// F_vjp takes arguments, output, LSE and the cotangent. What was cast is cast back; the integer mask has no gradient.
// CHECK-LABEL: func.func @attention_vjp(
// CHECK-SAME: %[[Q:.*]]: tensor<2x6x4xf16>, %[[K:.*]]: tensor<2x5x4xf32>, %[[V:.*]]: tensor<2x5x3xf32>, %{{.*}}: tensor<6x5xi1>,
// CHECK-SAME: %[[O:.*]]: tensor<2x6x3xf32>, %[[LSE:.*]]: tensor<2x6xf32>, %[[DO:.*]]: tensor<2x6x3xf32>)
// CHECK-SAME: -> (tensor<2x6x4xf16>, tensor<2x5x4xf32>, tensor<2x5x3xf32>)
// CHECK-NOT: fa.attention query
// CHECK: fa.attention_backward {{.*}} output(%[[O]]) lse(%[[LSE]]) d_output(%[[DO]]) gradients(query, key, value)
// CHECK-NOT: fa.attention query
// CHECK: arith.truncf %{{.*}} : f32 to f16

// Only what is asked for is computed.
// WRT-LABEL: func.func @attention_vjp(
// WRT-SAME: -> tensor<2x5x3xf32>
// WRT: gradients(value)

// UNFUSED-LABEL: func.func @attention_vjp(
// UNFUSED-NOT: fa.
// UNFUSED: math.exp

// LOOPS: func.func @attention_vjp(
// LOOPS: scf.forall
// LOOPS: scf.for
func.func @attention(%narrow: tensor<2x6x4xf16>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>, %mask: tensor<6x5xi1>) -> tensor<2x6x3xf32> {
  %q = arith.extf %narrow : tensor<2x6x4xf16> to tensor<2x6x4xf32>
  %o = fa.attention query(%q) key(%k) value(%v) extras(%mask)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #bias, #o] empty_rows <nan>
      : (tensor<2x6x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<6x5xi1>) -> tensor<2x6x3xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %keep: i1):
    %ninf = arith.constant 0xFF800000 : f32
    %r = arith.select %keep, %s, %ninf : f32
    fa.yield %r : f32
  }
  return %o : tensor<2x6x3xf32>
}

// Other functions stay as they are.
// CHECK-LABEL: func.func @other
func.func @other(%x: f32) -> f32 {
  return %x : f32
}
