//===- TileFrame.h - How loops are tiled, and where the current tile is ---===//
#ifndef FA_LIB_TILE_TILEFRAME_H
#define FA_LIB_TILE_TILEFRAME_H

#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// The loop dimensions that tiles extend over; there may be no dimension of a role.
struct TiledDims {
  std::optional<unsigned> row, column;
};

/// How the loops of an attention op are tiled, and where the current tile stands.
struct TileFrame {
  /// A frame at the origin; of each role the largest dimension is tiled, by the op's schedule.
  static TileFrame create(OpBuilder &builder, AttentionInterface op, DimRole row, DimRole column);

  AttentionInterface op;
  TiledDims dims;
  int64_t rows = 1;                  ///< rows of a tile: queries, or keys in the gradient
  int64_t columns = 1;               ///< columns of a tile: keys, or queries in the gradient
  SmallVector<OpFoldResult> sizes;   ///< of every loop dimension
  SmallVector<OpFoldResult> offsets; ///< of the current tile; 0 for head and value dims
  bool hasWholeRows = false;         ///< no row of the current tile is past the end
  bool hasWholeColumns = false;      ///< no column of the current tile is past the end

  /// The number of elements of the current tile along `dim` that exist.
  OpFoldResult getValidSize(OpBuilder &builder, Location loc, unsigned dim) const;
  /// The static number of elements of a tile along a tiled dimension.
  int64_t getTileSize(unsigned dim) const { return dim == dims.column ? columns : rows; }
  bool isTiled(unsigned dim) const { return dim == dims.column || dim == dims.row; }
  /// True if no tile along `dim` is ragged.
  bool isDivisible(unsigned dim) const;
  /// The product of the sizes of all dimensions with a role.
  OpFoldResult getRoleSize(OpBuilder &builder, Location loc, DimRole role) const;
};

} // namespace mlir::fa

#endif // FA_LIB_TILE_TILEFRAME_H
