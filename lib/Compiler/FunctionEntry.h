//===- FunctionEntry.h - A whole function as calls of regions -------------===//
#ifndef FA_LIB_COMPILER_FUNCTIONENTRY_H
#define FA_LIB_COMPILER_FUNCTIONENTRY_H

#include "Runtime/Artifact/Artifact.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {

/// Records `entry` in the artifact if it holds nothing but calls of `regions`, which are the
/// artifact's regions in order, and views of its arguments and of their results. Otherwise the
/// artifact stays as it is.
void addFunctionEntry(func::FuncOp entry, ArrayRef<func::FuncOp> regions,
                      fa_runtime::Artifact &artifact);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_FUNCTIONENTRY_H
