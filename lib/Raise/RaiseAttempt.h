//===- RaiseAttempt.h - One value, asked whether it is attention ----------===//
#ifndef FA_LIB_RAISE_RAISEATTEMPT_H
#define FA_LIB_RAISE_RAISEATTEMPT_H

#include "BuildAttention.h"
#include "ScoreChain.h"

namespace mlir::fa {

/// Everything that is known about one root, from the match to the loop dimensions. Owns the
/// expressions, so that memory is linear in one attention rather than in the module.
struct RaiseAttempt {
  /// With `keepGathers`, what no view can express may become a copy; without, a tensor of the IR
  /// is taken in its place, which may hide the match. With `roots`, the values that attention is to
  /// replace, row statistics that are used elsewhere become results.
  RaiseAttempt(OpResult root, OpMeaning &meaning, bool keepGathers,
               const llvm::SetVector<Operation *> *roots = nullptr);

  /// Set if the root is attention, apart from who else uses its parts.
  std::optional<AttentionMatch> match;
  LoopDims dims;
  /// Why not; empty text if the root does not look like attention at all.
  Mismatch mismatch;
  /// Nothing needs the scores but `roots` and what attention gives.
  bool freesScores = false;
  /// The op whose softmax it is about; null if unknown.
  Operation *normalisation = nullptr;
  /// A later division may still make it attention.
  bool isUnnormalised = false;
  /// The weights of such a product are exponentials and nothing else.
  bool isBareExponential = false;

  /// Creates the op in front of the root and lets it replace the root.
  AttentionOp build();
  /// What was understood, for a remark.
  std::string describe();

private:
  /// The op for whose sake the scores are computed twice; null if there is none.
  Operation *rowUser = nullptr;

  LogicalResult check(const AttentionMatch &found);
  /// Fails if a buffer that an operand is read from may be overwritten before the root.
  LogicalResult checkReads(const AttentionMatch &found);

  ExprContext exprs;
  Tracer tracer;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_RAISEATTEMPT_H
