// RUN: fa-opt %s --fa-widen-to-f64 --split-input-file --verify-diagnostics

func.func @bits(%x: f32) -> i32 {
  // expected-error @below {{cannot be evaluated in f64: it depends on the bits of a float}}
  %r = arith.bitcast %x : f32 to i32
  return %r : i32
}

// -----

func.func @complex(%x: complex<f32>) -> f32 {
  // expected-error @below {{cannot be evaluated in f64: expects ops of linalg, tensor, arith, math, scf, cf and func; lower it first}}
  %r = complex.re %x : complex<f32>
  return %r : f32
}

// -----

func.func @whole_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects arithmetic on scalars; run -convert-elementwise-to-linalg first}}
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @other_dialect(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be evaluated in f64: expects ops of linalg}}
  %r = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
