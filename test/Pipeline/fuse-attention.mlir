// RUN: fa-opt %S/../Raise/spellings.mlir --fuse-attention 2>/dev/null | FileCheck %s --implicit-check-not="fa."
// RUN: not fa-opt %S/../Raise/spellings.mlir --fuse-attention="to=op require=10" 2>&1 | FileCheck %s --check-prefix=REQUIRE --implicit-check-not="see current operation"
// RUN: fa-opt %S/../Raise/spellings.mlir --fuse-attention=to=op --remarks-filter=none 2>&1 | FileCheck %s --check-prefix=QUIET

// `to=loops`, the default, leaves upstream dialects only.
// CHECK: scf.forall
// CHECK: scf.for

// REQUIRE: error: expects at least 10 attention regions, found 9; the remarks say why the others are none

// For a GPU, its own tiles; a name that no row has is an error without a dump of the program.
// RUN: fa-opt %S/../Raise/spellings.mlir --fuse-attention=machine=h200 2>/dev/null | FileCheck %s
// RUN: not fa-opt %S/../Raise/spellings.mlir --fuse-attention=machine=h2 2>&1 >/dev/null | FileCheck %s --check-prefix=MACHINE --implicit-check-not="see current operation"
// MACHINE: error: unknown machine 'h2': expects one of host, sm_80

// Remarks are shown unless the user chooses others.
// QUIET-NOT: remark
