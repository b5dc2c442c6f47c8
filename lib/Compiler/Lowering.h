//===- Lowering.h - The orders of passes that a program goes through ------===//
#ifndef FA_LIB_COMPILER_LOWERING_H
#define FA_LIB_COMPILER_LOWERING_H

#include "fa/Compiler/CompilerError.h"
#include "fa/Pipeline/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {

/// Runs `--fuse-attention` for a machine up to `stage`.
llvm::Error fuseAttention(ModuleOp module, FuseTarget stage, StringRef machine);

/// Turns attention ops into tile programs for a CPU, with tiles of the given sizes, or, if they are
/// 0, of the machine's.
llvm::Error tileAttention(ModuleOp module, StringRef machine, int64_t queryTile, int64_t keyTile);

/// Turns a module into its f64 reference, on linalg (see fa-widen-to-f64).
llvm::Error widenToF64(ModuleOp module);

/// Takes a module to the LLVM dialect for the host's CPU. `deallocate`: the code frees whatever it
/// allocates and does not return.
llvm::Error lowerToLLVM(ModuleOp module, bool deallocate = false);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_LOWERING_H
