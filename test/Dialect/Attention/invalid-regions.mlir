// RUN: fa-opt %s --split-input-file --verify-diagnostics

// One case per diagnostic; names begin with the label of the rule in the op's description.

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a5_result_of_other_size(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects d0 to have one size, got 4 in query and 5 in output}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<5x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(b, m, n, d, e) -> (m, d)>
#k = affine_map<(b, m, n, d, e) -> (n, d)>
#v = affine_map<(b, m, n, d, e) -> (n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

func.func @a5_dim_of_no_operand(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects d0 to index an operand}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<3x4x2xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a5_output_lacks_a_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of output to use d0, a query dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (e)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<2xf32> score {
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

func.func @a5_lse_lacks_a_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of lse to use d0, a query dimension}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> ()>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<f32>) score {
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

func.func @a5_probabilities_lack_a_dim(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the map of probabilities to use d1, a key dimension}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(probabilities) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (m)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, d, e) -> (m, d)>
#k = affine_map<(m, d, e) -> (d)>
#v = affine_map<(m, d, e) -> (e)>
#o = affine_map<(m, d, e) -> (m, e)>

func.func @a6_no_key(%q: tensor<4x8xf32>, %k: tensor<8xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{'fa.attention' op expects a key dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, e) -> (m)>
#k = affine_map<(m, n, e) -> (n)>
#v = affine_map<(m, n, e) -> (n, e)>
#o = affine_map<(m, n, e) -> (m, e)>

func.func @a6_no_head_dim(%q: tensor<4xf32>, %k: tensor<6xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects a head_dim dimension}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4xf32>, tensor<6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
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

func.func @a7_score_type(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the score region's first argument to be 'f32', the accumulation type}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f16, %m: index, %n: index):
    fa.yield %s : f16
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a7_score_type_of_f64(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf64>) {
  // expected-error @below {{'fa.attention' op expects the score region's first argument to be 'f64', the accumulation type}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf64>) -> tensor<4x2xf32> score {
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

func.func @a7_no_arguments(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the score region's first argument to be 'f32', the accumulation type}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
    %zero = arith.constant 0.0 : f32
    fa.yield %zero : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a7_missing_index(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the score region to have arguments ('f32', 'index', 'index'), got ('f32', 'index')}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a7_extra_of_other_type(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<4xf16>) {
  // expected-error @below {{'fa.attention' op expects the score region to have arguments ('f32', 'index', 'index', 'f16'), got ('f32', 'index', 'index', 'f32')}}
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (m)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xf16>) -> tensor<4x2xf32> score {
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

func.func @a7_yield_of_other_type(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the score region to yield 'f32'}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    %narrow = arith.truncf %s : f32 to f16
    fa.yield %narrow : f16
  }
  return
}

// -----

func.func private @print(f32)
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a7_side_effect(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the score region to have no side effects}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    // expected-note @below {{this operation may have one}}
    func.call @print(%s) : (f32) -> ()
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a7_probability_arguments(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects the probability region to have arguments ('f32', 'index', 'index'), got ('f32')}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  } probability {
  ^bb0(%p: f32):
    fa.yield %p : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @a8_lse_type(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects lse to have element type 'f32', got 'f16'}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (m)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4xf16>) score {
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

func.func @a8_row_max_type(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op expects row_max to have element type 'f32', got 'f16'}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(row_max) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (m)>] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4xf16>) score {
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

func.func @a8_sink_type(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<4xbf16>) {
  // expected-error @below {{'fa.attention' op expects sink to have element type 'f32', got 'bf16'}}
  %o = fa.attention query(%q) key(%k) value(%v) sink(%x) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> (m)>, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xbf16>) -> tensor<4x2xf32> score {
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

func.func @query_is_no_float_tensor(%q: tensor<4x8xi32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op operand #0 must be 0D/1D/2D/3D/4D/5D/6D/7D/8D tensor of floating-point values, but got 'tensor<4x8xi32>'}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xi32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
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

func.func @score_without_block(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  // expected-error @below {{'fa.attention' op region #0 ('score') failed to verify constraint: region with 1 blocks}}
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {

  }
  return
}

// -----

func.func @yield_outside(%x: f32) -> f32 {
  // expected-error @below {{'fa.yield' op expects parent op to be one of 'fa.attention, fa.attention_backward'}}
  fa.yield %x : f32
}

// -----

// schedule_without_rows
// expected-error @below {{expects positive tile sizes, got 0x64}}
#schedule = #fa.schedule<query_tile = 0, key_tile = 64>

// -----

// schedule_with_negative_stages
// expected-error @below {{expects stages and warps not to be negative, got -1 and 0}}
#schedule = #fa.schedule<query_tile = 16, key_tile = 64, stages = -1>
