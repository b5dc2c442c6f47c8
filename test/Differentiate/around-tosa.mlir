// RUN: fa-opt %s --fa-differentiate=function=f 2>/dev/null | FileCheck %s

// TOSA's reshapes, transpositions and casts around attention are differentiated too.
// CHECK-LABEL: func.func @f_vjp(
// CHECK: fa.attention_backward
// CHECK: linalg.generic
// CHECK: return %{{.*}} : tensor<6x2x4xf16>
func.func @f(%x: tensor<6x2x4xf16>) -> tensor<2x24xf32> {
  %wide = tosa.cast %x : (tensor<6x2x4xf16>) -> tensor<6x2x4xf32>
  %q = tosa.transpose %wide {perms = array<i32: 1, 0, 2>} : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
  %o = fa.attention query(%q) key(%q) value(%q) roles <batch, query, key, head_dim, value_dim>
      maps [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>, affine_map<(b, m, n, d, e) -> (b, n, e)>,
            affine_map<(b, m, n, d, e) -> (b, m, e)>] empty_rows <nan>
      : (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  %shape = tosa.const_shape {values = dense<[2, 24]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %o, %shape : (tensor<2x6x4xf32>, !tosa.shape<2>) -> tensor<2x24xf32>
  return %r : tensor<2x24xf32>
}
