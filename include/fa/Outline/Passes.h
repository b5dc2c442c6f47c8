//===- Passes.h - Attention ops as functions ------------------------------===//
#ifndef FA_OUTLINE_PASSES_H
#define FA_OUTLINE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Outline/Passes.h.inc"

/// Moves the module's attention ops into functions, see the pass fa-outline. Returns the functions
/// in the order of their numbers; `name` is what they are numbered under, empty for the name of the
/// function that an op stands in.
FailureOr<SmallVector<func::FuncOp>> outlineRegions(ModuleOp module, StringRef name);

} // namespace mlir::fa

#endif // FA_OUTLINE_PASSES_H
