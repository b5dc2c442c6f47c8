// Each bad input gets one line that says what, where and what to do, and its exit code:
// 2 for usage and unreadable input, 3 for what cannot be run here.

// DEFINE: %{code} =
// DEFINE: %{args} =
// DEFINE: %{run} = %python %S/Inputs/exit_code.py %{code} fa-run %{args}

// REDEFINE: %{code} = 2
// REDEFINE: %{args} =
// RUN: %{run} | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: no file to run; try fa-run --help

// REDEFINE: %{args} = %t.none.mlir --random
// RUN: %{run} | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot open '{{.*}}.none.mlir': No such file or directory

// RUN: echo "this is not IR" > %t.text
// REDEFINE: %{args} = %t.text --random
// RUN: %{run} | FileCheck %s --check-prefix=NOTIR
// NOTIR: error: {{.*}}.text:1:1:

// REDEFINE: %{args} = %s --function=g --random
// RUN: %{run} | FileCheck %s --check-prefix=NOFUNCTION
// NOFUNCTION: error: {{.*}}has no function 'g'; it has @add

// REDEFINE: %{args} = %s
// RUN: %{run} | FileCheck %s --check-prefix=NOINPUTS
// NOINPUTS: error: the function takes 2 arguments: give --inputs=IN.npz or --random

// REDEFINE: %{args} = %s --random --frobnicate
// RUN: %{run} | FileCheck %s --check-prefix=OPTION
// OPTION: error: the following argument was not expected: --frobnicate; try fa-run --help

// REDEFINE: %{args} = %s --random --device=gpu
// RUN: %{run} | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: --device=gpu: expected cpu, cuda or cuda:0, cuda:1, …

// REDEFINE: %{args} = %s --random --tile=3
// RUN: %{run} | FileCheck %s --check-prefix=TILE
// TILE: error: --tile=3: expected queries x keys, such as --tile=64x128

// REDEFINE: %{args} = %s --random --inputs=%t.npz
// RUN: %{run} | FileCheck %s --check-prefix=BOTH
// BOTH: error: --inputs and --random: give one of them

// REDEFINE: %{args} = %s --random --dims=1,2,3
// RUN: %{run} | FileCheck %s --check-prefix=DIMS
// DIMS: error: --dims: expected one size, or 2 (one for each open one), got 3

// REDEFINE: %{args} = %s --random --dims=arg1=2x5
// RUN: %{run} | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: --dims: argument arg1: expected ?x4xf32, got 2x5xf32

// REDEFINE: %{args} = %s --inputs=%s
// RUN: %{run} | FileCheck %s --check-prefix=NOTNPZ
// NOTNPZ: error: '{{.*}}' is not an .npz file: it is no zip archive, or is truncated

// RUN: %python %S/Inputs/make_npz.py %t.one.npz "arg0=<f4:2x4:1"
// REDEFINE: %{args} = %s --inputs=%t.one.npz
// RUN: %{run} | FileCheck %s --check-prefix=COUNT
// COUNT: error: argument arg1 (?x4xf32): no array 'arg1' in '{{.*}}.one.npz'; it has arg0

// RUN: %python %S/Inputs/make_npz.py %t.three.npz "arg0=<f4:2x4:1" "arg1=<f4:2x4:1" "arg2=<f4:2x4:1"
// REDEFINE: %{args} = %s --inputs=%t.three.npz
// RUN: %{run} | FileCheck %s --check-prefix=MORE
// MORE: error: '{{.*}}.three.npz' has an array 'arg2', but the function takes 2 arguments

// RUN: %python %S/Inputs/make_npz.py %t.type.npz "arg0=<f4:2x4:1" "arg1=<f8:2x4:1"
// REDEFINE: %{args} = %s --inputs=%t.type.npz
// RUN: %{run} | FileCheck %s --check-prefix=TYPE
// TYPE: error: argument arg1: expected ?x4xf32, got 2x4xf64 ('arg1' in '{{.*}}.type.npz')

// RUN: %python %S/Inputs/make_npz.py %t.rank.npz "arg0=<f4:8:1" "arg1=<f4:2x4:1"
// REDEFINE: %{args} = %s --inputs=%t.rank.npz
// RUN: %{run} | FileCheck %s --check-prefix=RANK
// RANK: error: argument arg0: expected ?x4xf32, got 8xf32 ('arg0' in '{{.*}}.rank.npz')

// RUN: %python %S/Inputs/make_npz.py %t.descr.npz "arg0=>f4:2x4:1" "arg1=<f4:2x4:1"
// REDEFINE: %{args} = %s --inputs=%t.descr.npz
// RUN: %{run} | FileCheck %s --check-prefix=DESCR
// DESCR: error: argument arg0 (?x4xf32): 'arg0' in '{{.*}}': element type '>f4' is not supported; save

// REDEFINE: %{args} = %s --random --output=%t.none/out.npz
// RUN: %{run} | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: cannot write '{{.*}}.none/out.npz': No such file or directory

// RUN: %python %S/Inputs/make_npz.py %t.ref.npz "ref0=<f8:3x4:1"
// REDEFINE: %{args} = %s --random --dims=2 --expect=%t.ref.npz
// RUN: %{run} | FileCheck %s --check-prefix=REF
// REF: error: result 0: expected 3x4xf64 ('ref0' in '{{.*}}.ref.npz'), got 2x4xf32

// REDEFINE: %{args} = %s --random --expect=%t.one.npz
// RUN: %{run} | FileCheck %s --check-prefix=NOREF
// NOREF: error: no array 'res0' in '{{.*}}.one.npz'; it has arg0

// RUN: %python %S/Inputs/make_npz.py %t.twice.npz "arg0=<f4:2x4:1" "arg0=<f4:2x4:2" "arg1=<f4:2x4:1"
// REDEFINE: %{args} = %s --inputs=%t.twice.npz
// RUN: %{run} | FileCheck %s --check-prefix=TWICE
// TWICE: error: '{{.*}}.twice.npz' holds two arrays 'arg0'

// RUN: head -c 300 %t.three.npz > %t.short.npz
// REDEFINE: %{args} = %s --inputs=%t.short.npz
// RUN: %{run} | FileCheck %s --check-prefix=SHORT
// SHORT: error: '{{.*}}.short.npz' is not an .npz file: it is no zip archive, or is truncated

// REDEFINE: %{args} = %s --random --output=/dev/full
// RUN: %{run} | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write '/dev/full': No space left on device

// REDEFINE: %{args} = %s --random --dims=4611686018427387904
// RUN: %{run} | FileCheck %s --check-prefix=HUGE
// HUGE: error: argument arg0: no tensor can have the shape 4611686018427387904x4xf32

// REDEFINE: %{args} = %s --random --timeout=nan
// RUN: %{run} | FileCheck %s --check-prefix=TIMEOUT
// TIMEOUT: error: --timeout: expected seconds, more than 0

// REDEFINE: %{args} = %s --random --expect=%t.ref.npz --tolerance=-1
// RUN: %{run} | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: error: --tolerance: expected a number from 0

// REDEFINE: %{args} = %s --random --threads=-1
// RUN: %{run} | FileCheck %s --check-prefix=THREADS
// THREADS: error: --threads: expected a number from 0 (one for each core) to 1024

// REDEFINE: %{args} = %s --random --repeat=0
// RUN: %{run} | FileCheck %s --check-prefix=REPEAT
// REPEAT: error: --repeat: expected a number of runs from 1

// What was printed did not arrive.
// RUN: sh -c 'fa-run %s --random >/dev/full; test $? = 2' 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT: error: cannot write to stdout

// REDEFINE: %{code} = 3
// REDEFINE: %{args} = %s --verify=exact
// RUN: %{run} | FileCheck %s --check-prefix=EXACT
// EXACT: error: --verify=exact needs an exact arithmetic

func.func @add(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %sum = arith.addf %a, %b : tensor<?x4xf32>
  return %sum : tensor<?x4xf32>
}
