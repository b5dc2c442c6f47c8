// RUN: fa-opt %s --fa-tile --split-input-file --verify-diagnostics
// RUN: fa-opt %s --fa-expand-attention --split-input-file --verify-diagnostics

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// Bits of a float have no derivative.
func.func @bits(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>) {
  // expected-error @below {{'fa.attention_backward' op cannot be differentiated: arith.bitcast in the score region has no derivative here}}
  %g:3 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%o)
      gradients(query, key, value) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o] schedule <query_tile = 4, key_tile = 4>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    // expected-note @below {{this operation}}
    %i = arith.bitcast %s : f32 to i32
    %r = arith.bitcast %i : i32 to f32
    fa.yield %r : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// A branch on scalars has none yet.
func.func @branch(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>) {
  // expected-error @below {{'fa.attention_backward' op cannot be differentiated: scf.if in the score region has no derivative here}}
  %g:3 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%o)
      gradients(query, key, value) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o] schedule <query_tile = 4, key_tile = 4>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    %c = arith.cmpi sge, %m, %n : index
    // expected-note @below {{this operation}}
    %r = scf.if %c -> f32 {
      scf.yield %s : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    fa.yield %r : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// The probability region is checked too.
func.func @in_probability(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>) {
  // expected-error @below {{'fa.attention_backward' op cannot be differentiated: arith.bitcast in the probability region has no derivative here}}
  %g:3 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%o)
      gradients(query, key, value) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o] schedule <query_tile = 4, key_tile = 4>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  } probability {
  ^bb0(%p: f32, %m: index, %n: index):
    %two = arith.constant 2.0 : f32
    // expected-note @below {{this operation}}
    %i = arith.bitcast %p : f32 to i32
    %f = arith.sitofp %i : i32 to f32
    %r = arith.mulf %f, %two : f32
    fa.yield %r : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// The gradient of the values does not go through the score region.
func.func @not_asked_for(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>) {
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%o)
      gradients(value) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o] schedule <query_tile = 4, key_tile = 4>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<6x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    %i = arith.bitcast %s : f32 to i32
    %r = arith.bitcast %i : i32 to f32
    fa.yield %r : f32
  }
  return
}
