//===- AttentionTiler.h - Builds the tile program of one attention op -----===//
#ifndef FA_LIB_TILE_ATTENTIONTILER_H
#define FA_LIB_TILE_ATTENTIONTILER_H

#include "ColumnRanges.h"
#include "OnlineSoftmax.h"
#include "ScoreTile.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {

/// Tiles one attention op. The frame is moved along as loops are built; what a loop's body shares
/// stands in members.
class AttentionTiler {
public:
  AttentionTiler(RewriterBase &rewriter, AttentionOp op);

  /// Replaces the op by its tile program, which gets the name `region`.
  void tile(StringRef region);

private:
  // Rows: the forall and its body (AttentionTiler.cpp).
  SmallVector<unsigned> setUpLoops(SmallVectorImpl<OpFoldResult> &upper,
                                   SmallVectorImpl<OpFoldResult> &steps);
  SmallVector<Value> createDestinations();
  SmallVector<TileStore> createRowTile();
  Value createEmptyRowsAreNaN();
  TileInput loadDotOperand(Value tensor, AffineMap map, std::optional<unsigned> axis, DimRole role,
                           unsigned axisLoop, unsigned groupLoop);

  // Keys: the loops over key tiles and their body (KeyLoops.cpp).
  SoftmaxState createOuterKeyLoops(ArrayRef<unsigned> outer, SoftmaxState state);
  SoftmaxState createKeyRanges(SoftmaxState state);
  SoftmaxState createKeyLoop(SoftmaxState state, OpFoldResult begin, OpFoldResult end, bool isFull);
  SoftmaxState createKeyTile(SoftmaxState state, bool isFull);

  RewriterBase &rewriter;
  Location loc;
  AttentionOp op;
  TileFrame frame;
  SmallVector<KeyCondition> conditions;
  TileInput query;
  /// Those without a tiled key dimension are loaded before the loop over key tiles.
  SmallVector<TileInput> extras;
};

} // namespace mlir::fa

#endif // FA_LIB_TILE_ATTENTIONTILER_H
