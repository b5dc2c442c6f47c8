//===- OnlineSoftmax.h - The recurrence of online softmax -----------------===//
//
// The one place that knows it. For the keys seen so far, every query row has
//
//   max = max_n s[n]     sum = Σ_n exp(s[n] − max)     acc = Σ_n P'(exp(s[n] − max))·V[n]
//
// A row without a key yet has max −inf, and 0 is subtracted instead, so that no NaN arises.
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_TILE_ONLINESOFTMAX_H
#define FA_LIB_TILE_ONLINESOFTMAX_H

#include "TileNodes.h"
#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// The state of the recurrence for one tile of query rows.
struct SoftmaxState {
  Value acc; ///< rows x value columns
  Value max; ///< row vector
  Value sum; ///< row vector

  SmallVector<Value> toValues() const { return {acc, max, sum}; }
  static SoftmaxState fromValues(ValueRange values) { return {values[0], values[1], values[2]}; }
};

/// What a finished tile of rows gives.
struct SoftmaxResult {
  Value output; ///< rows x value columns, in the type of the state
  Value lse;    ///< row vector; null if not asked for
  Value max;    ///< row vector
};

/// The state before any key; `sink` is null, or a row vector with one more logit without a value.
SoftmaxState createInitialState(OpBuilder &builder, Location loc, FloatType type, OpFoldResult rows,
                                OpFoldResult columns, Value sink);

/// Takes in one tile of `scores` (rows x keys) and its `values` (map over rows, columns, keys).
/// `weigh` turns the tile of weights into what multiplies the values.
SoftmaxState createStep(OpBuilder &builder, Location loc, SoftmaxState state, Value scores,
                        TileInput values, ZeroFactor zero, function_ref<Value(Value)> weigh);

/// Divides by the sum. A row in which no key counts gets 0 and an LSE of −inf, or NaN for both
/// if `isNan` (an i1, null for false) holds.
SoftmaxResult createFinish(OpBuilder &builder, Location loc, SoftmaxState state, Value isNan,
                           bool wantsLse);

} // namespace mlir::fa

#endif // FA_LIB_TILE_ONLINESOFTMAX_H
