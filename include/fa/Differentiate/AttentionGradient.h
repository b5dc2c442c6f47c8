//===- AttentionGradient.h - The gradient of one element of the scores ----===//
//
// What tiled and untiled code have in common: the scalar arithmetic of docs/Semantics.md, "The
// gradient", for one position (b, m, n).
//
//===----------------------------------------------------------------------===//
#ifndef FA_DIFFERENTIATE_ATTENTIONGRADIENT_H
#define FA_DIFFERENTIATE_ATTENTIONGRADIENT_H

#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// Fails with an error that names the op if a gradient that `op` asks for goes through one that
/// has no derivative.
LogicalResult checkDifferentiable(AttentionBackwardOp op);

/// A region's code at one position, copied to where it can be read: what stands for its first
/// argument, and its result.
struct RegionCode {
  Value argument;
  Value result;
};

/// The values at one position. No two of the arguments of regions are the same value.
struct ElementValues {
  RegionCode score;
  /// Both null without a probability region.
  RegionCode probability;
  SmallVector<Value> extras;
  Value weight;         ///< P
  Value weightGradient; ///< dP', in the same type
  Value delta;          ///< Δ of the row
};

/// P = exp(S' − LSE), or 0 where S' is −inf, whatever LSE is.
Value createWeight(OpBuilder &builder, Location loc, Value score, Value lse);

/// The position's gradient of S, if `input` is null, or of the extra operand `*input`; exactly 0
/// where P is.
Value createElementGradient(OpBuilder &builder, Location loc, const ElementValues &values,
                            std::optional<unsigned> input);

/// The gradient of a sink in one row: −exp(sink − LSE)·Δ, 0 if the row has no key.
Value createSinkGradient(OpBuilder &builder, Location loc, Value sink, Value lse, Value delta);

} // namespace mlir::fa

#endif // FA_DIFFERENTIATE_ATTENTIONGRADIENT_H
