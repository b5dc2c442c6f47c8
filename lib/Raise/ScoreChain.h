//===- ScoreChain.h - Who else needs the scores and the weights -----------===//
#ifndef FA_LIB_RAISE_SCORECHAIN_H
#define FA_LIB_RAISE_SCORECHAIN_H

#include "DeadCode.h"
#include "MatchAttention.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fa {

/// The ops between the first product and the root that compute scores, weights and row statistics,
/// and who uses them besides the root.
class ScoreChain {
public:
  ScoreChain(const AttentionMatch &match, OpMeaning &meaning);

  bool contains(Operation *op) const { return chain.contains(op); }
  /// The values between the first product and the root that are computed from the scores.
  const llvm::SetVector<Value> &getValues() const { return values; }
  /// True if `value` is computed from the scores.
  bool dependsOnScores(Value value) const { return values.contains(value); }
  /// The live ops outside of the chain that read scores or weights, sizes left aside.
  const llvm::SetVector<Operation *> &getUsers() const { return users; }
  /// The op through which scores or weights leave the function, or have to be in memory for another
  /// reason than a gradient; null if none. `roots` are ends of attention themselves.
  Operation *findEscape(const llvm::SetVector<Operation *> &roots);

  /// The first live op outside of the chain and of `roots` that reads a row statistic.
  Operation *findRowUser(const llvm::SetVector<Operation *> &roots);
  Block *getBlock() const { return block; }

private:
  void collectChain(Operation *root, Operation *product);
  void collectUsers(Operation *root);
  void addToChain(Operation *op, bool isFirst);
  bool dependsThroughCall(OpResult result);

  OpMeaning &meaning;
  DeadCode deadCode;
  Block *block;
  llvm::SetVector<Value> values;
  llvm::SetVector<Operation *> chain;
  /// Ops of the chain whose results have no key dimension.
  llvm::SetVector<Operation *> rows;
  llvm::SetVector<Operation *> users;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_SCORECHAIN_H
