//===- Passes.h - The report pass -----------------------------------------===//
#ifndef FA_REPORT_PASSES_H
#define FA_REPORT_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Report/Passes.h.inc"

} // namespace mlir::fa

#endif // FA_REPORT_PASSES_H
