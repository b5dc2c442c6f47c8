// RUN: not fa-opt %s --fa-differentiate-function=function=h 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not fa-opt %s --fa-differentiate-function 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not fa-opt %s --fa-differentiate-function="function=f wrt=0,5" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not fa-opt %s --fa-differentiate-function="function=f wrt=3" 2>&1 | FileCheck %s --check-prefix=TYPE

// FUNCTION: error: has no function 'h' to differentiate
// NONE: error: expects function=NAME, since the module has 2 functions
// NUMBER: error: 'func.func' op cannot be differentiated by argument 5: expects tensors of floats among its 4 arguments
// TYPE: error: 'func.func' op cannot be differentiated by argument 3: expects tensors of floats among its 4 arguments
func.func @f(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>, %i: tensor<4xi32>) -> tensor<4x4xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<4x4xf32>
}

func.func @g() {
  return
}
