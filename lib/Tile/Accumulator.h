//===- Accumulator.h - Sums that several tiles of a loop nest add to ------===//
//
// The node "accumulate across a tile dim" of docs/Rationale/tile-program.md: a tensor in the
// accumulation type that loops carry, and that tiles are added to in loop order.
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_TILE_ACCUMULATOR_H
#define FA_LIB_TILE_ACCUMULATOR_H

#include "OperandTiles.h"

namespace mlir::fa {

/// Where the gradient of an operand with `map` is summed. It has the map's dimensions in order, but
/// for those of the parallel loops: of these it holds only the current tile.
class Accumulator {
public:
  Accumulator(AffineMap map, ArrayRef<unsigned> parallelDims)
      : map(map), parallelDims(parallelDims) {}

  AffineMap getMap() const { return map; }

  /// All zeros.
  Value createInitial(OpBuilder &builder, Location loc, const TileFrame &frame) const;

  /// Adds `tile`, whose axes are the loop dimensions `axes` (null: an axis of no dimension): to the
  /// current position in the dimensions that it has, summed over the others. Elements of `tile`
  /// past the end are 0. Returns the new sum.
  Value add(OpBuilder &builder, Location loc, const TileFrame &frame, Value sum, Value tile,
            ArrayRef<std::optional<unsigned>> axes) const;

  /// What the parallel loops store of the finished `sum`, in element type `type`.
  TileStore createStore(OpBuilder &builder, Location loc, const TileFrame &frame, Value sum,
                        Type type) const;

private:
  bool isParallel(unsigned dim) const { return llvm::is_contained(parallelDims, dim); }
  /// The dimensions that the sum has an axis for.
  SmallVector<unsigned> getDims(const TileFrame &frame) const;

  AffineMap map;
  SmallVector<unsigned> parallelDims;
};

} // namespace mlir::fa

#endif // FA_LIB_TILE_ACCUMULATOR_H
