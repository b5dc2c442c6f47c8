//===- Diagnostics.h - What MLIR says, kept for the caller ----------------===//
#ifndef FA_LIB_COMPILER_DIAGNOSTICS_H
#define FA_LIB_COMPILER_DIAGNOSTICS_H

#include "fa/Compiler/CompilerError.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::fa {

/// Keeps the first error that MLIR reports while this object lives, as `file:line:column: text`.
/// Nothing reaches stderr.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context);

  bool hasError() const { return !first.empty(); }
  /// The first error, or `otherwise` if there is none.
  std::string getText(const Twine &otherwise) const;

private:
  std::string first;
  ScopedDiagnosticHandler handler;
};

/// `file:line:column` of a location, as far as it has them.
std::string describeLocation(Location loc);

/// Sends every remark of category `fa` to `callback`. NULL: no remarks are made.
void forwardRemarks(MLIRContext *context, FaRemarkCallback callback, void *userData);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_DIAGNOSTICS_H
