//===- RowResults.h - Row statistics that are used elsewhere --------------===//
#ifndef FA_LIB_RAISE_ROWRESULTS_H
#define FA_LIB_RAISE_ROWRESULTS_H

#include "ScoreChain.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {

/// Finds out whether all that the program needs of the scores besides attention is values of one
/// number per row, such as the log-sum-exp: then they become results of the op, and the scores are
/// needed no more.
class RowResults {
public:
  /// `roots` are values that attention replaces: their use of the scores does not count.
  RowResults(Tracer &tracer, const AttentionMatch &match, const ScoreChain &chain,
             const llvm::SetVector<Operation *> &roots);

  /// True if attention can give everything; `rows` gets what it has to give.
  bool find(SmallVectorImpl<RowResult> &rows);

private:
  bool isNeeded(Operation *op);
  bool needs(Operation *op);
  bool canReplace(Value value, Operation *user);
  std::optional<RowResult> describe(Value value);
  /// Maps the fresh atoms of `e` to those of the match by reading the same elements of the scores.
  bool unify(Expr e, llvm::DenseMap<Expr, Expr> &atoms);
  void unifyScores(Expr statistic, llvm::MapVector<Expr, Expr> &digits);

  Tracer &tracer;
  ExprContext &exprs;
  const AttentionMatch &match;
  const ScoreChain &chain;
  const llvm::SetVector<Operation *> &roots;
  DeadCode deadCode;
  SoftmaxMatcher softmax;
  /// The loads that the scores are made of.
  llvm::SetVector<Expr> scoreLoads;
  llvm::DenseMap<Operation *, bool> needed;
  llvm::MapVector<Value, RowResult> replaced;
  llvm::DenseMap<Value, std::optional<RowResult>> described;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_ROWRESULTS_H
