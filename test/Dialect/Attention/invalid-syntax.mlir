// RUN: fa-opt %s --split-input-file --verify-diagnostics

// What the parser of fa.attention refuses.

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @unknown_result(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{expects lse, row_max or probabilities, each once and in this order, got entropy}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(entropy) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @results_out_of_order(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{expects lse, row_max or probabilities, each once and in this order, got lse}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(row_max, lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @result_named_twice(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{expects lse, row_max or probabilities, each once and in this order, got lse}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse, lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @result_type_missing(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      // expected-error @below {{expects 2 result types, got 1}}
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @two_queries(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{expects one query operand, got 2}}
  %o:2 = fa.attention query(%q, %q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}
