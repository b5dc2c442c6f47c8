//===- ScoreTile.h - A region of attention as a map over a tile -----------===//
#ifndef FA_LIB_TILE_SCORETILE_H
#define FA_LIB_TILE_SCORETILE_H

#include "OperandTiles.h"

namespace mlir::fa {

/// What a region's arguments are at the current tile.
struct RegionInputs {
  /// One per extra operand.
  SmallVector<TileInput> extras;
  /// Conditions of the score region that are known to be as expected in the whole tile.
  ArrayRef<KeyCondition> folded;
  /// Keys from this one on do not exist and get −inf; null if there are none in the tile.
  Value numKeys;
};

/// A tile of region results, and whether a select of −inf is among what it computes.
struct RegionTile {
  Value value;
  bool hasMask;
};

/// Applies `region` to every element of `tile` (rows x keys).
RegionTile createRegionMap(OpBuilder &builder, Location loc, const TileFrame &frame, Region &region,
                           Value tile, const RegionInputs &inputs);

} // namespace mlir::fa

#endif // FA_LIB_TILE_SCORETILE_H
