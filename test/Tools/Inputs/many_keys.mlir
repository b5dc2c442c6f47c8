#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

func.func @many_keys(%q: tensor<2x100x16xf32>, %k: tensor<2x300x16xf32>, %v: tensor<2x300x16xf32>) -> tensor<2x100x16xf32> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<2x100x16xf32>, tensor<2x300x16xf32>, tensor<2x300x16xf32>) -> tensor<2x100x16xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<2x100x16xf32>
}
