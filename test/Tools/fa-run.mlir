// Values in and out, the comparison with stored references, and the exit codes that go with it.

// RUN: %python %S/Inputs/make_npz.py %t.npz "arg0=<f4:2x4:1.5" "arg1=<f4:2x4:2" "ref0=<f8:2x4:3.5" "res1=<f4:2x4:-0.5"

// RUN: fa-run %s --inputs=%t.npz --expect=%t.npz --output=%t.out.npz | FileCheck %s
// CHECK: 0 regions fused
// CHECK: res0 2x4xf32 from 3.5 to 3.5
// CHECK: res1 2x4xf32 from -0.5 to -0.5
// CHECK: res0 error 0.000e+00, tolerance 2.000e-05: ok
// CHECK: res1 error 0.000e+00, tolerance 2.000e-05: ok

// The written results are what was computed.
// RUN: fa-run %s --inputs=%t.npz --expect=%t.out.npz

// A wrong value: exit code 1.
// RUN: %python %S/Inputs/make_npz.py %t.bad.npz "ref0=<f8:2x4:3.5" "ref1=<f8:2x4:-1"
// RUN: not fa-run %s --inputs=%t.npz --expect=%t.bad.npz | FileCheck %s --check-prefix=WRONG
// WRONG: res0 error 0.000e+00
// WRONG: res1 error 5.000e-01, tolerance 2.000e-05: differs, element [0, 0] is -0.5, the reference -1
// RUN: fa-run %s --inputs=%t.npz --expect=%t.bad.npz --tolerance=0.5

// The same as JSON.
// RUN: not fa-run %s --inputs=%t.npz --expect=%t.bad.npz --format=json | FileCheck %s --check-prefix=JSON
// JSON: "function": "both"
// JSON: "expect": [
// JSON: "error": 0.0
// JSON: "ok": true
// JSON: "error": 0.5
// JSON: "ok": false
// JSON: "exitCode": 1
// RUN: not fa-run %s --format=json 2>/dev/null | FileCheck %s --check-prefix=JSONERROR
// JSONERROR: "error": "the function takes 2 arguments: give --inputs=IN.npz or --random"
// JSONERROR: "exitCode": 2

// Random inputs depend on the seed alone; repeated runs give the same bits.
// RUN: fa-run %s --random=7 --dims=3 --output=%t.r1.npz --repeat=3
// RUN: fa-run %s --random=7 --dims=3 --expect=%t.r1.npz --tolerance=0
// RUN: not fa-run %s --random=8 --dims=3 --expect=%t.r1.npz

// Fused against unfused against f64.
// RUN: fa-run %s --verify --dims=arg0=5x4,arg1=5x4 --time | FileCheck %s --check-prefix=VERIFY
// VERIFY: result type unfused error fused error bound verdict
// VERIFY: res0 5x4xf32 {{.*}} ok
// VERIFY: res1 5x4xf32 {{.*}} ok
// VERIFY: unfused {{.*}} runs
// VERIFY: fused {{.*}} runs

// A length of 0, and IR from a pipe.
// RUN: cat %s | fa-run - --random --dims=0 | FileCheck %s --check-prefix=EMPTY
// EMPTY: res0 0x4xf32

// What a bug report needs.
// RUN: fa-run --collect-env | FileCheck %s --check-prefix=ENV
// ENV: faRun: {{[0-9]+\.[0-9]+}}
// ENV: compiler: fa-mlir, LLVM 22
// ENV: glibc: 2
// ENV: driver:
// RUN: fa-run --help | FileCheck %s --check-prefix=HELP
// HELP: Examples:
// HELP: --verify
// HELP: Exit codes: 0 done, 1 values differ

func.func @both(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %sum = arith.addf %a, %b : tensor<?x4xf32>
  %difference = arith.subf %a, %b : tensor<?x4xf32>
  return %sum, %difference : tensor<?x4xf32>, tensor<?x4xf32>
}
