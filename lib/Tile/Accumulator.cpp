//===- Accumulator.cpp - Sums that several tiles of a loop nest add to ----===//

#include "Accumulator.h"
#include "fa/Dialect/Attention/UnitDims.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

SmallVector<unsigned> Accumulator::getDims(const TileFrame &frame) const {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (!isParallel(dim.getPosition()) || frame.isTiled(dim.getPosition()))
        dims.push_back(dim.getPosition());
  return dims;
}

Value Accumulator::createInitial(OpBuilder &builder, Location loc, const TileFrame &frame) const {
  SmallVector<OpFoldResult> shape;
  for (unsigned dim : getDims(frame))
    shape.push_back(isParallel(dim) ? builder.getIndexAttr(frame.getTileSize(dim))
                                    : frame.sizes[dim]);
  return createFill(builder, loc, 0, AttentionInterface(frame.op).getAccumulationType(), shape);
}

/// The elements of `tile` that exist along the axes of `kept` dimensions.
static Value cutToValid(OpBuilder &builder, Location loc, const TileFrame &frame, Value tile,
                        ArrayRef<std::optional<unsigned>> axes, ArrayRef<unsigned> kept) {
  SmallVector<OpFoldResult> sizes = getShape(builder, loc, tile);
  bool isRagged = false;
  for (auto [size, dim] : llvm::zip_equal(sizes, axes)) {
    if (!dim || !frame.isTiled(*dim) || !llvm::is_contained(kept, *dim))
      continue;
    OpFoldResult valid = frame.getValidSize(builder, loc, *dim);
    isRagged |= valid != size;
    size = valid;
  }
  if (!isRagged)
    return tile;
  SmallVector<OpFoldResult> origin(sizes.size(), builder.getIndexAttr(0));
  SmallVector<bool> isDropped(sizes.size(), false);
  return createReducedSlice(builder, loc, tile, origin, sizes, isDropped);
}

/// slice += tile, summed over the axes of the tile that `kept` does not name.
static Value addInto(OpBuilder &builder, Location loc, Value slice, Value tile,
                     ArrayRef<std::optional<unsigned>> axes, ArrayRef<unsigned> kept) {
  SmallVector<utils::IteratorType> iterators;
  for (std::optional<unsigned> dim : axes)
    iterators.push_back(dim && llvm::is_contained(kept, *dim) ? utils::IteratorType::parallel
                                                              : utils::IteratorType::reduction);
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : kept)
    exprs.push_back(builder.getAffineDimExpr(llvm::find(axes, std::optional(dim)) - axes.begin()));
  AffineMap written = AffineMap::get(axes.size(), 0, exprs, builder.getContext());
  AffineMap read = builder.getMultiDimIdentityMap(axes.size());
  return linalg::GenericOp::create(builder, loc, slice.getType(), tile, slice,
                                   ArrayRef<AffineMap>{read, written}, iterators,
                                   [](OpBuilder &b, Location l, ValueRange v) {
                                     Value sum = arith::AddFOp::create(b, l, v[1], v[0]);
                                     linalg::YieldOp::create(b, l, sum);
                                   })
      .getResult(0);
}

Value Accumulator::add(OpBuilder &builder, Location loc, const TileFrame &frame, Value sum,
                       Value tile, ArrayRef<std::optional<unsigned>> axes) const {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<bool> isDropped;
  SmallVector<unsigned> kept;
  for (unsigned dim : getDims(frame)) {
    offsets.push_back(isParallel(dim) ? zero : frame.offsets[dim]);
    sizes.push_back(one);
    isDropped.push_back(!llvm::is_contained(axes, std::optional(dim)));
    if (isDropped.back())
      continue;
    kept.push_back(dim);
    sizes.back() = frame.isTiled(dim) ? frame.getValidSize(builder, loc, dim) : frame.sizes[dim];
  }
  if (llvm::any_of(sizes, isZeroInteger))
    return sum;
  Value slice = createReducedSlice(builder, loc, sum, offsets, sizes, isDropped);
  tile = cutToValid(builder, loc, frame, tile, axes, kept);
  slice = addInto(builder, loc, slice, tile, axes, kept);
  slice = createInsertSource(builder, loc, slice, sizes, isDropped);
  SmallVector<OpFoldResult> strides(sizes.size(), one);
  return tensor::InsertSliceOp::create(builder, loc, slice, sum, offsets, sizes, strides);
}

TileStore Accumulator::createStore(OpBuilder &builder, Location loc, const TileFrame &frame,
                                   Value sum, Type type) const {
  sum = convertTile(builder, loc, sum, type);
  TileStore store;
  SmallVector<OpFoldResult> valid;
  SmallVector<bool> isDropped;
  for (AffineExpr expr : map.getResults()) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    unsigned dim = dimExpr ? dimExpr.getPosition() : 0;
    bool isCurrent = dimExpr && isParallel(dim);
    store.offsets.push_back(isCurrent ? frame.offsets[dim] : builder.getIndexAttr(0));
    store.sizes.push_back(builder.getIndexAttr(1));
    isDropped.push_back(!dimExpr || (isCurrent && !frame.isTiled(dim)));
    if (isDropped.back())
      continue;
    store.sizes.back() = isCurrent ? frame.getValidSize(builder, loc, dim) : frame.sizes[dim];
    valid.push_back(store.sizes.back());
  }
  if (llvm::any_of(valid, isZeroInteger))
    return {};
  SmallVector<OpFoldResult> origin(valid.size(), builder.getIndexAttr(0));
  SmallVector<bool> isNothingDropped(valid.size(), false);
  store.tile = createReducedSlice(builder, loc, sum, origin, valid, isNothingDropped);
  store.tile = createInsertSource(builder, loc, store.tile, store.sizes, isDropped);
  return store;
}
