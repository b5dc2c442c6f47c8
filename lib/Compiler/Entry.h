//===- Entry.h - The function that the C interface calls ------------------===//
#ifndef FA_LIB_COMPILER_ENTRY_H
#define FA_LIB_COMPILER_ENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {

/// Name of the function that `addEntry` makes; no IR from elsewhere can hold it by accident.
inline constexpr llvm::StringLiteral kEntryName = "fa.entry";

/// Loads the dialects that `addEntry` makes ops of; others load when IR or passes name them.
void loadEntryDialects(MLIRContext &context);

/// Who the memory of the entry's results belongs to.
enum class ResultOwner {
  Nobody, ///< results may alias arguments, constants and each other
  Caller  ///< each result is memory of its own, from malloc
};

/// Adds `@fa.entry`, which calls `function` with all scalars passed as tensors of rank 0, so that
/// arguments and results are buffers only. Arguments are marked read-only: whatever the function
/// does to them in place happens on a copy. All other functions become private and get names that
/// cannot clash with the C library's.
func::FuncOp addEntry(ModuleOp module, func::FuncOp function, ResultOwner owner);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_ENTRY_H
