// What people know from mlir-opt works here too, on our op.
//
// RUN: not fa-opt %s --split-input-file --canonicalize 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: fa-opt %s --split-input-file --verify-diagnostics -o /dev/null
//
// RUN: rm -rf %t && split-file %s %t.split
// RUN: fa-opt %t.split/valid.mlir --pass-pipeline='builtin.module(func.func(cse,canonicalize))' --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t -o /dev/null
// RUN: FileCheck %s --check-prefix=TREE < %t/builtin_module_no-symbol-name/func_func_valid/0_1_canonicalize.mlir
//
// RUN: fa-opt %t.split/valid.mlir --pass-pipeline='builtin.module(func.func(canonicalize),cse)' --mlir-generate-reproducer=%t/reproducer.mlir -o /dev/null
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t/reproducer.mlir
// RUN: fa-opt %t/reproducer.mlir --run-reproducer | FileCheck %s --check-prefix=TREE
//
// RUN: fa-opt %t.split/valid.mlir --canonicalize --mlir-timing --mlir-output-format=json -o /dev/null 2>&1 | %python -m json.tool | FileCheck %s --check-prefix=TIMING
//
// RUN: fa-opt %t.split/valid.mlir --canonicalize --profile-actions-to=%t/trace.json -o /dev/null
// RUN: FileCheck %s --check-prefix=TRACE < %t/trace.json
//
// RUN: fa-opt %t.split/valid.mlir --canonicalize --mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count=0 | FileCheck %s --check-prefix=COUNTER

// SPLIT: error: expects positive tile sizes, got 0x1
// SPLIT-LABEL: func @valid
// SPLIT: fa.attention query(%{{.*}}) key(%{{.*}}) value(%{{.*}}){{$}}
// SPLIT: // -----

// TREE: fa.attention query(%{{.*}}) key(%{{.*}}) value(%{{.*}}){{$}}

// REPRODUCER: fa.attention
// REPRODUCER: mlir_reproducer
// REPRODUCER-NEXT: pipeline: "builtin.module(func.func(canonicalize{{.*}}),cse)"

// TIMING: "name": "Canonicalizer"
// TRACE: SimplifyExtras
// COUNTER: fa.attention {{.*}} extras(

//--- valid.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @valid(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<4xf32>) -> tensor<4x2xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x)
      roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %unused: f32):
    fa.yield %s : f32
  }
  return %o : tensor<4x2xf32>
}

// -----

//--- broken.mlir
// expected-error @below {{expects positive tile sizes, got 0x1}}
func.func private @broken() attributes {schedule = #fa.schedule<query_tile = 0, key_tile = 1>}
