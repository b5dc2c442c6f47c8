//===- OperandTiles.h - Loading and storing tiles by indexing maps --------===//
#ifndef FA_LIB_TILE_OPERANDTILES_H
#define FA_LIB_TILE_OPERANDTILES_H

#include "TileFrame.h"
#include "TileNodes.h"

namespace mlir::fa {

/// A tile as a matrix; `isTransposed` if its first axis is the group's.
struct MatrixTile {
  Value value;
  bool isTransposed;
};

/// Loads the current tile of `tensor` as a matrix: one axis is the tiled dimension `axis` (null: an
/// axis of size 1), the other `group`, all dimensions of a role in loop order, collapsed. Elements
/// past the end are zero. Axes that the map does not have are broadcast.
MatrixTile loadMatrix(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
                      AffineMap map, std::optional<unsigned> axis, ArrayRef<unsigned> group);

/// Loads the current tile of `tensor`, which has only batch, query and key dimensions. The result's
/// map is over (rows, columns); a scalar if it has neither.
TileInput loadScoreOperand(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
                           AffineMap map);

/// Loads the extra operands that depend on the tiled column dimension, or those that do not, into
/// `extras`, which has one element for each.
void loadExtras(OpBuilder &builder, Location loc, const TileFrame &frame, bool perColumn,
                SmallVectorImpl<TileInput> &extras);

/// A row vector in the layout of `rows`: loads it, or broadcasts what has no tiled dimension.
Value loadRows(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
               AffineMap map);

/// Where a tile of a result is stored.
struct TileStore {
  Value tile; ///< the valid elements; null if there are none
  SmallVector<OpFoldResult> offsets, sizes;
};

/// Brings `tile`, a matrix of rows x value columns or a row vector, into the layout of a result
/// with `map`, and cuts it to the rows that exist.
TileStore createStore(OpBuilder &builder, Location loc, const TileFrame &frame, Value tile,
                      AffineMap map);

} // namespace mlir::fa

#endif // FA_LIB_TILE_OPERANDTILES_H
