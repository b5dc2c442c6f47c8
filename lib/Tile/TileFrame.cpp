//===- TileFrame.cpp - How loops are tiled, and where the current tile is -===//

#include "TileFrame.h"
#include "IndexArithmetic.h"

using namespace mlir;
using namespace mlir::fa;

/// The largest dimension with a role, where an unknown size counts as large; the last of equals.
static std::optional<unsigned> findLargest(AttentionInterface op, DimRole role) {
  auto size = [&](unsigned dim) {
    int64_t known = op.getStaticLoopSize(dim);
    return ShapedType::isDynamic(known) ? std::numeric_limits<int64_t>::max() : known;
  };
  std::optional<unsigned> largest;
  for (unsigned dim : op.getDims(role))
    if (!largest || size(dim) >= size(*largest))
      largest = dim;
  return largest;
}

TileFrame TileFrame::create(OpBuilder &builder, AttentionInterface op, DimRole row,
                            DimRole column) {
  ScheduleAttr schedule = op.getScheduleAttr();
  auto getTile = [&](DimRole role) {
    return role == DimRole::key ? schedule.getKeyTile() : schedule.getQueryTile();
  };
  TileFrame frame;
  frame.op = op;
  frame.dims = {findLargest(op, row), findLargest(op, column)};
  if (frame.dims.row)
    frame.rows = getTile(row);
  if (frame.dims.column)
    frame.columns = getTile(column);
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    frame.sizes.push_back(op.getLoopSize(builder, op->getLoc(), dim));
  frame.offsets.assign(op.getNumLoops(), builder.getIndexAttr(0));
  return frame;
}

bool TileFrame::isDivisible(unsigned dim) const {
  std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
  return size && *size % getTileSize(dim) == 0;
}

OpFoldResult TileFrame::getValidSize(OpBuilder &builder, Location loc, unsigned dim) const {
  int64_t tile = getTileSize(dim);
  if ((dim == dims.column && hasWholeColumns) || (dim == dims.row && hasWholeRows))
    return builder.getIndexAttr(tile);
  if (std::optional<int64_t> size = getConstantIntValue(sizes[dim])) {
    if (*size % tile == 0)
      return builder.getIndexAttr(tile);
    if (*size < tile)
      return builder.getIndexAttr(*size);
  }
  IndexArithmetic math(builder, loc);
  Value left = math.sub(math.get(sizes[dim]), math.get(offsets[dim]));
  return getAsOpFoldResult(math.min(left, math.get(tile)));
}

OpFoldResult TileFrame::getRoleSize(OpBuilder &builder, Location loc, DimRole role) const {
  IndexArithmetic math(builder, loc);
  Value size = math.get(1);
  for (unsigned dim : AttentionInterface(op).getDims(role))
    size = builder.createOrFold<arith::MulIOp>(loc, size, math.get(sizes[dim]));
  return getAsOpFoldResult(size);
}
