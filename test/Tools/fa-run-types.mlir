// Element types as NumPy stores them: bf16 as uint16 bits and as two opaque bytes, booleans as bytes,
// unsigned integers; scalars are arrays of rank 0. 16288 are the bits of bf16 1.25.

// RUN: %python %S/Inputs/make_npz.py %t.npz "arg0=<u2:3:16288" "arg1=|b1:3:1" "arg2=|u1:3:200" "arg3=<f2::0.5" "ref0=<f8:3:1.25" "ref1=|b1:3:1" "ref2=<f8:3:200" "ref3=<f8::0.5"
// RUN: fa-run %s --inputs=%t.npz --expect=%t.npz --output=%t.out.npz | FileCheck %s
// RUN: %python %S/Inputs/make_npz.py %t.v2.npz "arg0=|V2:3:16288" "arg1=|u1:3:1" "arg2=|i1:3:-56" "arg3=<f2::0.5"
// RUN: fa-run %s --inputs=%t.v2.npz --expect=%t.npz | FileCheck %s
// RUN: fa-run %s --inputs=%t.npz --expect=%t.out.npz | FileCheck %s
// CHECK: res0 3xbf16 from 1.25 to 1.25
// CHECK: res1 3xi1 from 1 to 1
// CHECK: res2 3xi8 from -56 to -56
// CHECK: res3 f16 from 0.5 to 0.5
// CHECK: res0 error 0.000e+00
// CHECK: res1 error 0.000e+00
// CHECK: res2 error 0.000e+00
// CHECK: res3 error 0.000e+00

// A byte that is no boolean.
// RUN: %python %S/Inputs/make_npz.py %t.two.npz "arg0=<u2:3:0" "arg1=|u1:3:2" "arg2=|u1:3:0" "arg3=<f2::0"
// RUN: not fa-run %s --inputs=%t.two.npz 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: argument arg1: expected 3xi1, got 3xi8

// NaN and infinity pass through, and are counted.
// RUN: %python %S/Inputs/make_npz.py %t.nan.npz "arg0=<u2:3:32704" "arg1=|b1:3:0" "arg2=|u1:3:0" "arg3=<f2::inf" "ref0=<f8:3:nan" "ref1=|b1:3:0" "ref2=|u1:3:0" "ref3=<f2::inf"
// RUN: fa-run %s --inputs=%t.nan.npz --expect=%t.nan.npz | FileCheck %s --check-prefix=NAN
// NAN: res0 3xbf16 (3 elements are NaN or infinite)
// NAN: res3 f16 (1 elements are NaN or infinite)

func.func @same(%a: tensor<3xbf16>, %b: tensor<3xi1>, %c: tensor<3xi8>, %d: f16)
    -> (tensor<3xbf16>, tensor<3xi1>, tensor<3xi8>, f16) {
  return %a, %b, %c, %d : tensor<3xbf16>, tensor<3xi1>, tensor<3xi8>, f16
}
