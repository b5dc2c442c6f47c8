// RUN: fa-opt %s --fa-differentiate-function=function=f --split-input-file --verify-diagnostics

// No attention.
// expected-error @below {{'func.func' op cannot be differentiated: no attention was found in it}}
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %q : tensor<4x4xf32>
}

// -----

// A product is not differentiated.
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  %empty = tensor.empty() : tensor<4x4xf32>
  // expected-error @below {{'linalg.generic' op cannot be differentiated: only ops that move, scale or cast elements are, besides attention}}
  %r = linalg.matmul ins(%o, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// Nor is an op of another kind.
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  %shape = arith.constant dense<[2, 8]> : tensor<2xindex>
  // expected-error @below {{'tensor.reshape' op cannot be differentiated: only ops that move, scale or cast elements are, besides attention}}
  %r = tensor.reshape %o(%shape) : (tensor<4x4xf32>, tensor<2xindex>) -> tensor<2x8xf32>
  %back = tensor.collapse_shape %r [[0, 1]] : tensor<2x8xf32> into tensor<16xf32>
  %s = tensor.expand_shape %back [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// Scalar code without a derivative.
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  %empty = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%o : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    // expected-error @below {{'arith.bitcast' op cannot be differentiated: it has no derivative here}}
    %i = arith.bitcast %x : f32 to i32
    %y = arith.bitcast %i : i32 to f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// Side effects would happen twice.
func.func private @log(tensor<4x4xf32>)
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  // expected-error @below {{'func.call' op cannot be differentiated: it may have side effects}}
  func.call @log(%o) : (tensor<4x4xf32>) -> ()
  return %o : tensor<4x4xf32>
}

// -----

func.func @f_vjp() {
  return
}
// expected-error @below {{'func.func' op cannot be differentiated: 'f_vjp' exists already}}
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<4x4xf32>
}

// -----

// expected-error @below {{'func.func' op cannot be differentiated: expects a body without branches}}
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  cf.br ^end
^end:
  return %o : tensor<4x4xf32>
}

// -----

// The softmax does not depend on the maximum.
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  // expected-error @below {{'fa.attention' op cannot be differentiated through its row maximum; use the output or lse}}
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(row_max) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o#0, %o#1 : tensor<4x4xf32>, tensor<4xf32>
}

// -----

// A product of a value with itself through a map that is not plain.
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  %empty = tensor.empty() : tensor<2x4xf32>
  // expected-error @below {{'linalg.generic' op cannot be differentiated: expects operands that are indexed by plain dimensions}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + 2, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%o : tensor<4x4xf32>) outs(%empty : tensor<2x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<2x4xf32>
  %whole = tensor.insert_slice %r into %o[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  return %whole : tensor<4x4xf32>
}
