//===- WholeTensors.h - Attention's steps on whole tensors ----------------===//
#ifndef FA_LIB_REFERENCE_WHOLETENSORS_H
#define FA_LIB_REFERENCE_WHOLETENSORS_H

#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// A tensor or scalar, with its map over all loop dimensions of an attention op.
struct WholeValue {
  Value value;
  AffineMap map;
};

/// Creates one `linalg.generic` per step over the loop dimensions of an attention op.
class WholeTensors {
public:
  /// Creates the element from one element of each input; the last value is the sum so far.
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  WholeTensors(OpBuilder &builder, AttentionInterface op);

  AttentionInterface getOp() { return op; }
  FloatType getType() { return op.getAccumulationType(); }
  WholeValue getOperand(unsigned number);
  /// The map of a tensor over all dimensions with these roles, in loop order.
  AffineMap getMapOf(ArrayRef<DimRole> roles);
  AffineMap getScoreMap() { return getMapOf({DimRole::batch, DimRole::query, DimRole::key}); }
  AffineMap getRowMap() { return getMapOf({DimRole::batch, DimRole::query}); }

  /// A tensor with `map`, each element made by `body`; dimensions that only inputs have are
  /// reduced, in loop order, from `init`.
  WholeValue create(ArrayRef<WholeValue> inputs, AffineMap map, Body body,
                    std::optional<double> init = std::nullopt);
  /// Σ lhs·rhs in A.
  WholeValue createProduct(WholeValue lhs, WholeValue rhs, AffineMap map);
  /// S, and a region's results for all elements of `first`.
  WholeValue createScores();
  WholeValue createRegion(Region &region, WholeValue first);
  /// Copies a region's code into a body over all batch, query and key dimensions.
  Value cloneRegion(OpBuilder &nested, Location nestedLoc, Region &region, Value first,
                    ValueRange extras);
  /// `value` in the layout and type of a result of the op with `map` (which may have constants).
  Value finish(WholeValue value, AffineMap map, RankedTensorType type);

private:
  OpBuilder &builder;
  Location loc;
  AttentionInterface op;
  SmallVector<OpFoldResult> sizes;
};

/// `value` in another floating-point type.
Value castFloat(OpBuilder &builder, Location loc, Value value, Type type);

/// The results of an op, in plain linalg on whole tensors, scores included.
SmallVector<Value> expandAttention(OpBuilder &builder, AttentionOp op);
SmallVector<Value> expandAttentionBackward(OpBuilder &builder, AttentionBackwardOp op);

} // namespace mlir::fa

#endif // FA_LIB_REFERENCE_WHOLETENSORS_H
