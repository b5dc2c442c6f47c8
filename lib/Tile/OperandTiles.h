//===- OperandTiles.h - Loading and storing tiles by indexing maps --------===//
#ifndef FA_LIB_TILE_OPERANDTILES_H
#define FA_LIB_TILE_OPERANDTILES_H

#include "KeyRanges.h"
#include "TileNodes.h"
#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// How the loops of an attention op are tiled, and where the current tile stands.
struct TileFrame {
  AttentionOp op;
  TiledDims dims;
  int64_t rows = 1;                  ///< query rows of a tile
  int64_t keys = 1;                  ///< keys of a tile
  SmallVector<OpFoldResult> sizes;   ///< of every loop dimension
  SmallVector<OpFoldResult> offsets; ///< of the current tile; 0 for head and value dims
  bool hasWholeKeys = false;         ///< no key of the current tile is past the end

  /// The number of elements of the current tile along `dim` that exist.
  OpFoldResult getValidSize(OpBuilder &builder, Location loc, unsigned dim) const;
  /// The static number of elements of a tile along a tiled dimension.
  int64_t getTileSize(unsigned dim) const { return dim == dims.key ? keys : rows; }
  bool isTiled(unsigned dim) const { return dim == dims.key || dims.query == dim; }
};

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
/// map is over (rows, keys); a scalar if it has neither.
TileInput loadScoreOperand(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
                           AffineMap map);

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
