// RUN: fa-opt %S/../Raise/spellings.mlir --fuse-attention 2>/dev/null | FileCheck %s --implicit-check-not="fa."
// RUN: not fa-opt %S/../Raise/spellings.mlir --fuse-attention="to=op require=10" 2>&1 | FileCheck %s --check-prefix=REQUIRE
// RUN: fa-opt %S/../Raise/spellings.mlir --fuse-attention=to=op --remarks-filter=none 2>&1 | FileCheck %s --check-prefix=QUIET

// `to=loops`, the default, leaves upstream dialects only.
// CHECK: scf.forall
// CHECK: scf.for

// REQUIRE: error: expects at least 10 attention regions, found 9; the remarks say why the others are none

// Remarks are shown unless the user chooses others.
// QUIET-NOT: remark
