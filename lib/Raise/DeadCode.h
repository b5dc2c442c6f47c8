//===- DeadCode.h - What nothing with an effect needs ---------------------===//
#ifndef FA_LIB_RAISE_DEADCODE_H
#define FA_LIB_RAISE_DEADCODE_H

#include "fa/Normalize/OpMeaning.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fa {

/// Knows which ops are dead, calls of functions without effects included.
class DeadCode {
public:
  explicit DeadCode(const OpMeaning &meaning) : meaning(meaning) {}

  /// True if `op` has no effect but its results.
  bool isPure(Operation *op);
  /// True if `op` is pure and nothing that has an effect reads its results.
  bool isUnused(Operation *op);
  /// Erases `ops` where nothing needs them, then what only they needed. Users that nothing needs go
  /// first.
  void erase(ArrayRef<Operation *> ops);

private:
  bool isUnused(Operation *op, llvm::DenseMap<Operation *, bool> &known);

  const OpMeaning &meaning;
  /// By callee; false while it is under way, so that recursion counts as an effect.
  llvm::DenseMap<Operation *, bool> pureFunctions;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_DEADCODE_H
