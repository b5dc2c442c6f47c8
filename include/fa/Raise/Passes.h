//===- Passes.h - From linalg to fa.attention -----------------------------===//
#ifndef FA_RAISE_PASSES_H
#define FA_RAISE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fa {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Raise/Passes.h.inc"
} // namespace mlir::fa

#endif // FA_RAISE_PASSES_H
