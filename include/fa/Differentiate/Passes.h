//===- Passes.h - Gradients of functions with attention -------------------===//
#ifndef FA_DIFFERENTIATE_PASSES_H
#define FA_DIFFERENTIATE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Differentiate/Passes.h.inc"

} // namespace mlir::fa

#endif // FA_DIFFERENTIATE_PASSES_H
