//===- RaiseRemarks.h - One remark per attention and per softmax ----------===//
#ifndef FA_LIB_RAISE_RAISEREMARKS_H
#define FA_LIB_RAISE_RAISEREMARKS_H

#include "MatchSoftmax.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {

/// Collects what is to be said about a function, so that each softmax gets one remark even if
/// several products looked at it.
class RaiseRemarks {
public:
  explicit RaiseRemarks(FunctionOpInterface function) : function(function) {}

  /// `root` became attention; `normalisation` sums its exponentials.
  void addPassed(Operation *normalisation, Operation *root, std::string text);
  /// `root` did not, because of `mismatch`; the first reason per softmax counts.
  void addReason(Operation *normalisation, Operation *root, const Mismatch &mismatch);
  /// Emits everything, and says of each other softmax that no second product follows, and of ops
  /// that hold attention in a form of their own how to get a form that is read.
  void emit(OpMeaning &meaning);

private:
  void emitMissed(Location loc, StringRef text, Operation *at);
  bool isSoftmax(Operation *op, OpMeaning &meaning);

  FunctionOpInterface function;
  SmallVector<std::pair<Operation *, std::string>> passed;
  llvm::DenseSet<Operation *> passedNormalisations;
  /// By the op of the softmax, or by the root where that is unknown.
  llvm::MapVector<Operation *, Mismatch> reasons;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_RAISEREMARKS_H
