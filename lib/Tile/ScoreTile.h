//===- ScoreTile.h - A region of attention as a map over a tile -----------===//
#ifndef FA_LIB_TILE_SCORETILE_H
#define FA_LIB_TILE_SCORETILE_H

#include "ColumnRanges.h"
#include "OperandTiles.h"

namespace mlir::fa {

/// What a region's arguments are at the current tile.
struct RegionInputs {
  /// One per extra operand.
  SmallVector<TileInput> extras;
  /// Conditions of the score region that are known to be as expected in the whole tile.
  ArrayRef<KeyCondition> folded;
  /// Rows and columns from these on do not exist and get −inf; null if there are none in the tile.
  Value numRows, numColumns;
};

/// A tile of region results, and whether a select of −inf is among what it computes.
struct RegionTile {
  Value value;
  bool hasMask;
};

/// Applies `region` to every element of `tile` (rows x columns).
RegionTile createRegionMap(OpBuilder &builder, Location loc, const TileFrame &frame, Region &region,
                           Value tile, const RegionInputs &inputs);

/// Copies a region's code into the body of a map over (rows, columns): what it yields for the
/// element with this first argument and these extras. Sets `hasMask` if it has a select of −inf.
Value createRegionCode(OpBuilder &nested, Location loc, const TileFrame &frame, Region &region,
                       Value first, ValueRange extras, ArrayRef<KeyCondition> folded,
                       bool &hasMask);

/// In such a body, `score`, or −inf where the element does not exist.
Value maskPadding(OpBuilder &nested, Location loc, const TileFrame &frame, Value score,
                  const RegionInputs &inputs);

} // namespace mlir::fa

#endif // FA_LIB_TILE_SCORETILE_H
