//===- Passes.h - The f64 reference ---------------------------------------===//
#ifndef FA_REFERENCE_PASSES_H
#define FA_REFERENCE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Reference/Passes.h.inc"

} // namespace mlir::fa

#endif // FA_REFERENCE_PASSES_H
