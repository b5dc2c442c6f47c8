// On IR without fa.attention the report is about what would be fused; the IR stays as it is.
// RUN: fa-opt %fa_src/tools/demo/attention.mlir --fa-report=machine=h200 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.err

// CHECK-NOT: fa.attention
// CHECK: linalg.softmax
// REPORT: attention attention.0 at {{.*}}attention.mlir:33:13
// REPORT-NEXT: phase prefill
// REPORT: score cmpi, mulf, select
