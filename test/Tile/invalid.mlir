// RUN: fa-opt %s -fa-tile -verify-diagnostics

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#p = affine_map<(b, m, n, d, e) -> (b, m, n)>

func.func @probabilities(%q: tensor<2x7x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>) -> (tensor<2x7x3xf32>, tensor<2x7x5xf32>) {
  // expected-error @below {{cannot be tiled with its probabilities as a result: they are as large as the scores; use lse and recompute them}}
  %r:2 = fa.attention query(%q) key(%k) value(%v) results(probabilities)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #p]
      empty_rows <zero> schedule <query_tile = 4, key_tile = 4>
      : (tensor<2x7x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x7x3xf32>, tensor<2x7x5xf32>) score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %r#0, %r#1 : tensor<2x7x3xf32>, tensor<2x7x5xf32>
}
