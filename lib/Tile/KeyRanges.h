//===- KeyRanges.h - Which keys a tile of query rows has to visit ---------===//
//
// Reads from the score region which keys get −inf, as a conjunction of conditions on positions and
// on scalars that are known before the loop over keys, and turns it into bounds on the key that
// depend on the first row of the tile only.
//
// Only what is provable counts: a condition that cannot be analysed bounds nothing and stays in the
// code of every tile; integer arithmetic that may wrap around makes the bounds give way at run
// time.
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_TILE_KEYRANGES_H
#define FA_LIB_TILE_KEYRANGES_H

#include "LinearForm.h"
#include "fa/Dialect/Attention/Attention.h"

#include <vector>

namespace mlir::fa {

/// The loop dimensions that tiles extend over; null if the op has no query dimension.
struct TiledDims {
  std::optional<unsigned> query;
  unsigned key = 0;
};

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
SmallVector<KeyCondition> findKeyConditions(AttentionOp op, TiledDims dims);

/// What the bounds of one tile are computed from.
struct KeyRangeInputs {
  Value firstRow;   ///< index; null without a tiled query dimension
  int64_t rows = 1; ///< rows of a tile
  int64_t keys = 1; ///< keys of a tile
  OpFoldResult numKeys;
  /// The value, an index, of an argument that is not a tiled position.
  function_ref<Value(BlockArgument)> getValue;
  /// The size, an index, of the loop dimension that a position counts.
  function_ref<OpFoldResult(BlockArgument)> getSize;
};

/// [begin, end) are the keys to visit; in [fullBegin, fullEnd) every tile is whole and fulfils
/// every condition for every row. All but `end` are multiples of the key tile or equal to `end`.
struct KeyRange {
  OpFoldResult begin, fullBegin, fullEnd, end;
};

/// Computes the bounds with index arithmetic at `builder`.
KeyRange createKeyRange(OpBuilder &builder, Location loc, AttentionOp op, TiledDims dims,
                        ArrayRef<KeyCondition> conditions, const KeyRangeInputs &inputs);

} // namespace mlir::fa

#endif // FA_LIB_TILE_KEYRANGES_H
