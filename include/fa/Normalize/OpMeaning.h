//===- OpMeaning.h - What an op computes, in ops that recognition reads ---===//
#ifndef FA_NORMALIZE_OPMEANING_H
#define FA_NORMALIZE_OPMEANING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fa {

/// Gives ops that have no indexing maps of their own (tosa ops, `linalg.softmax`, calls) a meaning
/// in upstream tensor and linalg ops, by upstream's own conversions on a scratch copy of that one
/// op. The module itself is never changed.
class OpMeaning {
public:
  /// Finds and converts, once per distinct op, everything in `module` that needs a meaning.
  explicit OpMeaning(ModuleOp module);

  /// The scratch value that says what `result` is, or null if nothing is known beyond the op
  /// itself.
  Value getMeaning(OpResult result);
  /// What an argument of a scratch block stands for; `value` itself if it is not one.
  Value getBound(Value value) const;
  /// The op of the module whose meaning `op` is part of; `op` itself outside of scratch copies.
  Operation *getOrigin(Operation *op) const;
  /// True for a value that exists in a scratch copy only.
  bool isScratch(Value value) const;
  /// The function that `call` calls, or null.
  func::FuncOp getCallee(func::CallOp call) const;

private:
  void convertDistinctOps(ModuleOp module);
  Region *instantiate(Operation *op);
  Region *instantiateCall(func::CallOp call);
  Region *instantiateSoftmax(Operation *op);

  MLIRContext *context;
  OwningOpRef<ModuleOp> scratch;
  /// The converted function of each distinct op, by a text that identifies it.
  llvm::StringMap<func::FuncOp> converted;
  llvm::StringMap<func::FuncOp> callees;
  llvm::DenseMap<Operation *, Region *> instances;
  llvm::DenseMap<Region *, Operation *> origins;
  llvm::DenseMap<Region *, unsigned> callDepths;
  llvm::DenseMap<Value, Value> bound;
};

} // namespace mlir::fa

#endif // FA_NORMALIZE_OPMEANING_H
