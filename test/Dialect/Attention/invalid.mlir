// RUN: fa-opt %s --split-input-file --verify-diagnostics

// One case per diagnostic; names begin with the label of the rule in the op's description.

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a1_one_map_missing(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects one map per operand and result, 4, got 3}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v] empty_rows <nan>
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

func.func @a1_map_over_other_dims(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of query to have 4 dimensions and no symbols, got (d0, d1) -> (d0, d1)}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [affine_map<(m, d) -> (m, d)>, #k, #v, #o] empty_rows <nan>
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

func.func @a1_map_with_symbol(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of key to have 4 dimensions and no symbols, got (d0, d1, d2, d3)[s0] -> (d1, d2)}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, affine_map<(m, n, d, e)[x] -> (n, d)>, #v, #o] empty_rows <nan>
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

func.func @a2_repeated_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects result 1 of the map of query to be a dimension of its own, or 0 where the size is 1, got d0}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [affine_map<(m, n, d, e) -> (m, m)>, #k, #v, #o] empty_rows <nan>
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

func.func @a2_expression(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects result 0 of the map of key to be a dimension of its own, or 0 where the size is 1, got d1 + 1}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, affine_map<(m, n, d, e) -> (n + 1, d)>, #v, #o] empty_rows <nan>
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

func.func @a2_constant_where_size_is_not_one(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects result 0 of the map of value to be a dimension of its own, or 0 where the size is 1, got 0}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, affine_map<(m, n, d, e) -> (0, e)>, #o] empty_rows <nan>
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

func.func @a3_rank_differs(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of query to have 2 results, got 1}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [affine_map<(m, n, d, e) -> (m)>, #k, #v, #o] empty_rows <nan>
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

func.func @a3_scalar_with_results(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: f32) {
  // expected-error @below {{'fa.attention' op expects the map of extra 0 to have 0 results, got 1}}
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (m)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, f32) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %y: f32):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a3_extra_is_no_tensor(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: memref<4xf32>) {
  // expected-error @below {{'fa.attention' op expects extra 0 to be a ranked tensor or a scalar of integers, floats or indices, got 'memref<4xf32>'}}
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (m)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, memref<4xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %y: f32):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a3_extra_of_complex(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{'fa.attention' op expects extra 0 to be a ranked tensor or a scalar of integers, floats or indices, got 'tensor<4xcomplex<f32>>'}}
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (m)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xcomplex<f32>>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %y: f32):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a4_query_uses_key_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of query not to use d1, a key dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [affine_map<(m, n, d, e) -> (m, n)>, #k, #v, #o] empty_rows <nan>
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

func.func @a4_key_uses_query_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of key not to use d0, a query dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, affine_map<(m, n, d, e) -> (m, d)>, #v, #o] empty_rows <nan>
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

func.func @a4_value_uses_head_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of value not to use d2, a head_dim dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, affine_map<(m, n, d, e) -> (n, d)>, #o] empty_rows <nan>
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

func.func @a4_output_uses_key_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of output not to use d1, a key dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (m, n)>] empty_rows <nan>
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

func.func @a4_extra_uses_value_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of extra 0 not to use d3, a value_dim dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (e)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %y: f32):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a4_sink_uses_key_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<6xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of sink not to use d1, a key dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) sink(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (n)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<6xf32>) -> tensor<4x2xf32> score {
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

func.func @a4_lse_uses_key_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of lse not to use d1, a key dimension}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (n)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<6xf32>) score {
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

func.func @a4_row_max_uses_key_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of row_max not to use d1, a key dimension}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(row_max) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (n)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<6xf32>) score {
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

func.func @a4_probabilities_use_value_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of probabilities not to use d3, a value_dim dimension}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(probabilities) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) score {
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

func.func @a5_two_sizes(%q: tensor<4x8xf32>, %k: tensor<6x7xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects d2 to have one size, got 8 in query and 7 in key}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x7xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}
