// RUN: fa-opt %s --split-input-file --verify-diagnostics

// One case per diagnostic; names begin with the label of the rule in the op's description.

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b1_map_missing(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects one map per operand, 6, got 5}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b1_output_gradient_without_row(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects the map of d_output to use d0, a query dimension}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, affine_map<(m, n, d, e) -> (e)>]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b1_lse_by_key(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<6xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects the map of lse not to use d1, a key dimension}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, affine_map<(m, n, d, e) -> (n)>, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b1_output_gradient_of_other_size(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<5x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects d0 to have one size, got 4 in query and 5 in d_output}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<5x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b1_region_arguments(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>, %x: tensor<4xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects the score region to have arguments ('f32', 'index', 'index', 'f32'), got ('f32', 'index', 'index')}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) extras(%x) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b2_lse_in_f16(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf16>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects lse to have element type 'f32', got 'f16'}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf16>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b2_lse_gradient_in_f16(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>, %dlse: tensor<4xf16>) {
  // expected-error @below {{'fa.attention_backward' op expects d_lse to have element type 'f32', got 'f16'}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do) d_lse(%dlse)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o, #row]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4xf16>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b2_sink_in_f16(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>, %sink: tensor<4xf16>) {
  // expected-error @below {{'fa.attention_backward' op expects sink to have element type 'f32', got 'f16'}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) sink(%sink) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xf16>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b3_no_gradient(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects gradients of at least one operand, and one result for each, got 0 and 0}}
  fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients() roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> () score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b3_out_of_order(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects gradients of operands 0 to 2, each once and in order, got 0 after 1}}
  %g:2 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(key, query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<6x8xf32>, tensor<4x8xf32>) score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b3_twice(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects gradients of operands 0 to 2, each once and in order, got 1 after 1}}
  %g:2 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(key, key) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b3_no_sink(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects gradients of operands 0 to 2, each once and in order, got 3 after -1}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(sink) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b4_integer_extra(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>, %x: tensor<4xi32>) {
  // expected-error @below {{'fa.attention_backward' op expects extra 0, of which a gradient is asked for, to have floating-point elements, got 'tensor<4xi32>'}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) extras(%x) output(%o) lse(%lse) d_output(%do)
      gradients(extra 0) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xi32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %e: i32):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b5_other_shape(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  // expected-error @below {{'fa.attention_backward' op expects the gradient of key to have its shape, got 'tensor<4x8xf32>' for 'tensor<6x8xf32>'}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(key) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @b5_scalar(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>, %x: f32) {
  // expected-error @below {{'fa.attention_backward' op expects the gradient of extra 0 to have its shape, got 'tensor<1xf32>' for 'f32'}}
  %g = fa.attention_backward query(%q) key(%k) value(%v) extras(%x) output(%o) lse(%lse) d_output(%do)
      gradients(extra 0) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, affine_map<(m, n, d, e) -> ()>, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, f32, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<1xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %e: f32):
    fa.yield %s : f32
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

func.func @unknown_gradient(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      // expected-error @below {{expects query, key, value, extra or sink, got output}}
      gradients(output) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @missing_extra(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  %g = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      // expected-error @below {{expects extras below 0, got 0}}
      gradients(extra 0) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<4x8xf32> score {
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
#row = affine_map<(m, n, d, e) -> (m)>

func.func @two_results(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %o: tensor<4x2xf32>, %lse: tensor<4xf32>, %do: tensor<4x2xf32>) {
  %g:2 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      // expected-error @below {{expects 1 result types, got 2}}
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}
