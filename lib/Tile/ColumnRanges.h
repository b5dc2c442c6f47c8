//===- ColumnRanges.h - Which columns a tile of rows has to visit ---------===//
//
// Rows are queries and columns keys in the forward pass, and the other way round in the gradient.
// Reads from the score region which keys get −inf, as a conjunction of conditions on positions and
// on scalars that are known before the loop over columns, and turns it into bounds on the column
// that depend on the first row of the tile only.
//
// Only what is provable counts: a condition that cannot be analysed bounds nothing and stays in the
// code of every tile; integer arithmetic that may wrap around makes the bounds give way at run
// time.
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_TILE_COLUMNRANGES_H
#define FA_LIB_TILE_COLUMNRANGES_H

#include "LinearForm.h"
#include "TileFrame.h"
#include "TileNodes.h"

#include <vector>

namespace mlir::fa {

/// A condition on positions: form ≥ 0, or a combination of such.
struct PositionCondition {
  enum class Kind { NonNegative, All, Any };
  Kind kind = Kind::NonNegative;
  LinearForm form;
  std::vector<PositionCondition> operands;
};

/// The score is −inf, provably, wherever the i1 `value` of the score region is not `expected`.
struct KeyCondition {
  Value value;
  bool expected;
  PositionCondition condition;
};

/// The analysable conditions under which a key can count at all.
SmallVector<KeyCondition> findKeyConditions(AttentionInterface op, TiledDims dims);

/// [begin, end) are the columns to visit; in [fullBegin, fullEnd) every tile is whole and fulfils
/// every condition for every row. All but `end` are multiples of the tile's columns or equal to
/// `end`.
struct ColumnRange {
  OpFoldResult begin, fullBegin, fullEnd, end;
};

/// Computes the bounds for the current rows with index arithmetic at `builder`. `extras` has the
/// scalars of the extra operands that depend on no tiled dimension.
ColumnRange createColumnRange(OpBuilder &builder, Location loc, const TileFrame &frame,
                              ArrayRef<KeyCondition> conditions, ArrayRef<TileInput> extras);

} // namespace mlir::fa

#endif // FA_LIB_TILE_COLUMNRANGES_H
