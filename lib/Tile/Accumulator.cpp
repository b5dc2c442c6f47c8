//===- Accumulator.cpp - Sums that several tiles of a loop nest add to ----===//

#include "Accumulator.h"
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

/// A rank-reducing slice with strides of 1.
static Value createSlice(OpBuilder &builder, Location loc, Value tensor,
                         ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                         ArrayRef<OpFoldResult> kept) {
  Type element = getElementTypeOrSelf(tensor.getType());
  auto type = RankedTensorType::get(decomposeMixedValues(kept).first, element);
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets, sizes, strides);
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
  return createSlice(builder, loc, tile, origin, sizes, sizes);
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
  SmallVector<OpFoldResult> offsets, sizes, keptSizes;
  SmallVector<unsigned> kept;
  for (unsigned dim : getDims(frame)) {
    offsets.push_back(isParallel(dim) ? zero : frame.offsets[dim]);
    sizes.push_back(one);
    if (!llvm::is_contained(axes, std::optional(dim)))
      continue;
    kept.push_back(dim);
    sizes.back() = frame.isTiled(dim) ? frame.getValidSize(builder, loc, dim) : frame.sizes[dim];
    keptSizes.push_back(sizes.back());
  }
  if (llvm::any_of(keptSizes, isZeroInteger))
    return sum;
  Value slice = createSlice(builder, loc, sum, offsets, sizes, keptSizes);
  tile = cutToValid(builder, loc, frame, tile, axes, kept);
  slice = addInto(builder, loc, slice, tile, axes, kept);
  SmallVector<OpFoldResult> strides(sizes.size(), one);
  return tensor::InsertSliceOp::create(builder, loc, slice, sum, offsets, sizes, strides);
}

TileStore Accumulator::createStore(OpBuilder &builder, Location loc, const TileFrame &frame,
                                   Value sum, Type type) const {
  sum = convertTile(builder, loc, sum, type);
  TileStore store;
  SmallVector<OpFoldResult> valid;
  for (AffineExpr expr : map.getResults()) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    unsigned dim = dimExpr ? dimExpr.getPosition() : 0;
    bool isCurrent = dimExpr && isParallel(dim);
    store.offsets.push_back(isCurrent ? frame.offsets[dim] : builder.getIndexAttr(0));
    store.sizes.push_back(builder.getIndexAttr(1));
    if (!dimExpr || (isCurrent && !frame.isTiled(dim)))
      continue;
    store.sizes.back() = isCurrent ? frame.getValidSize(builder, loc, dim) : frame.sizes[dim];
    valid.push_back(store.sizes.back());
  }
  if (llvm::any_of(valid, isZeroInteger))
    return {};
  SmallVector<OpFoldResult> origin(valid.size(), builder.getIndexAttr(0));
  store.tile = createSlice(builder, loc, sum, origin, valid, valid);
  return store;
}
