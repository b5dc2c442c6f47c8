// RUN: fa-opt %s --fa-outline --verify-diagnostics

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

func.func @f(%q: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  // expected-error @below {{cannot be outlined: 'f.0' exists already}}
  %o = fa.attention query(%q) key(%q) value(%q)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<2x7x4xf32>, tensor<2x7x4xf32>, tensor<2x7x4xf32>) -> tensor<2x7x4xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<2x7x4xf32>
}

// expected-note @below {{here}}
func.func private @f.0()
