// The passes and their remarks in the mlir-opt that LLVM ships.
// RUN: mlir-opt %S/../Raise/Schematic/pos-basic.mlir --load-dialect-plugin=%fa_lib/FAPlugin.so --load-pass-plugin=%fa_lib/FAPlugin.so --remarks-filter='fa.*' --remark-format=emitRemark --pass-pipeline='builtin.module(fuse-attention{to=op})' 2>&1 | FileCheck %s

// CHECK: remark: [Passed] fuse-attention | Category:fa | Function=pos_basic
// CHECK: fa.attention
