//===- OperandTiles.cpp - Loading and storing tiles by indexing maps ------===//

#include "OperandTiles.h"
#include "IndexArithmetic.h"
#include "fa/Dialect/Attention/UnitDims.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A tile in the layout of its operand, and the loop dimensions of its axes.
struct Slice {
  Value value;
  SmallVector<unsigned> dims;
};
} // namespace

/// The zero of an element type, for padding.
static Value createZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// Adds zeros at the end of every axis up to the static size of the tile.
static Value padToTile(OpBuilder &builder, Location loc, const TileFrame &frame, Slice slice) {
  auto type = cast<RankedTensorType>(slice.value.getType());
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0)), high(low);
  SmallVector<int64_t> shape(type.getShape());
  bool isRagged = false;
  IndexArithmetic math(builder, loc);
  for (auto [axis, dim] : llvm::enumerate(slice.dims)) {
    if (!frame.isTiled(dim) || shape[axis] == frame.getTileSize(dim))
      continue;
    isRagged = true;
    shape[axis] = frame.getTileSize(dim);
    Value valid = math.get(frame.getValidSize(builder, loc, dim));
    high[axis] = getAsOpFoldResult(math.sub(math.get(shape[axis]), valid));
  }
  if (!isRagged)
    return slice.value;
  return tensor::PadOp::create(builder, loc, type.clone(shape), slice.value, low, high,
                               createZero(builder, loc, type.getElementType()));
}

/// The current tile of an operand, in the operand's own layout.
static Slice loadSlice(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
                       AffineMap map) {
  AttentionInterface op = frame.op;
  SmallVector<OpFoldResult> offsets, sizes, kept;
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<bool> isDropped;
  Slice slice;
  for (AffineExpr expr : map.getResults()) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    offsets.push_back(zero);
    sizes.push_back(one);
    isDropped.push_back(true);
    if (!dimExpr)
      continue;
    unsigned dim = dimExpr.getPosition();
    DimRole role = op.getRole(dim);
    offsets.back() = frame.offsets[dim];
    if (frame.isTiled(dim))
      sizes.back() = frame.getValidSize(builder, loc, dim);
    else if (role == DimRole::head_dim || role == DimRole::value_dim)
      sizes.back() = frame.sizes[dim];
    else
      continue;
    isDropped.back() = false;
    slice.dims.push_back(dim);
    kept.push_back(sizes.back());
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  if (llvm::any_of(kept, isZeroInteger)) { // a slice of no elements may not start at 0
    for (auto [size, dim] : llvm::zip_equal(kept, slice.dims))
      if (frame.isTiled(dim))
        size = builder.getIndexAttr(frame.getTileSize(dim));
    slice.value = tensor::EmptyOp::create(builder, loc, kept, type.getElementType());
    return slice;
  }
  slice.value = createReducedSlice(builder, loc, tensor, offsets, sizes, isDropped);
  slice.value = padToTile(builder, loc, frame, slice);
  return slice;
}

/// Collapses the axes of `tile` but the first (or, if `isTransposed`, the last) into one; adds an
/// axis of size 1 if there is none.
static Value collapseGroup(OpBuilder &builder, Location loc, Value tile, bool isTransposed) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t rank = type.getRank();
  if (rank == 2)
    return tile;
  if (rank == 1) {
    SmallVector<OpFoldResult> shape = getShape(builder, loc, tile);
    shape.push_back(builder.getIndexAttr(1));
    return tensor::ExpandShapeOp::create(builder, loc, type.clone({type.getDimSize(0), int64_t(1)}),
                                         tile, ArrayRef<ReassociationIndices>{{0, 1}}, shape);
  }
  SmallVector<ReassociationIndices> reassociation(2);
  for (int64_t axis = 0; axis < rank; ++axis)
    reassociation[axis >= (isTransposed ? rank - 1 : 1)].push_back(axis);
  return tensor::CollapseShapeOp::create(builder, loc, tile, reassociation);
}

MatrixTile fa::loadMatrix(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
                          AffineMap map, std::optional<unsigned> axis, ArrayRef<unsigned> group) {
  Slice slice = loadSlice(builder, loc, frame, tensor, map);
  SmallVector<unsigned> straight;
  if (axis)
    straight.push_back(*axis);
  straight.append(group.begin(), group.end());
  SmallVector<unsigned> transposed(group);
  if (axis)
    transposed.push_back(*axis);
  if (axis && slice.dims == straight)
    return {collapseGroup(builder, loc, slice.value, /*isTransposed=*/false), false};
  if (axis && slice.dims == transposed)
    return {collapseGroup(builder, loc, slice.value, /*isTransposed=*/true), true};

  // Another order, or axes to broadcast: one map brings it to (axis, group…).
  SmallVector<OpFoldResult> shape = {builder.getIndexAttr(axis ? frame.getTileSize(*axis) : 1)};
  for (unsigned dim : group)
    shape.push_back(frame.sizes[dim]);
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : slice.dims) {
    unsigned position = llvm::find(straight, dim) - straight.begin() + (axis ? 0 : 1);
    exprs.push_back(builder.getAffineDimExpr(position));
  }
  AffineMap access = AffineMap::get(shape.size(), 0, exprs, builder.getContext());
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value tile = createMap(builder, loc, {{slice.value, access}}, shape, element,
                         [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return {collapseGroup(builder, loc, tile, /*isTransposed=*/false), false};
}

TileInput fa::loadScoreOperand(OpBuilder &builder, Location loc, const TileFrame &frame,
                               Value tensor, AffineMap map) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return {tensor, AffineMap()};
  Slice slice = loadSlice(builder, loc, frame, tensor, map);
  if (slice.dims.empty())
    return {tensor::ExtractOp::create(builder, loc, slice.value, ValueRange()), AffineMap()};
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : slice.dims)
    exprs.push_back(builder.getAffineDimExpr(dim == frame.dims.column ? 1 : 0));
  return {slice.value, AffineMap::get(2, 0, exprs, builder.getContext())};
}

void fa::loadExtras(OpBuilder &builder, Location loc, const TileFrame &frame, bool perColumn,
                    SmallVectorImpl<TileInput> &extras) {
  AttentionInterface op = frame.op;
  extras.resize(op.getExtras().size());
  for (auto [i, extra] : llvm::enumerate(op.getExtras())) {
    AffineMap map = op.getExtraMap(i);
    if ((frame.dims.column && map.isFunctionOfDim(*frame.dims.column)) == perColumn)
      extras[i] = loadScoreOperand(builder, loc, frame, extra, map);
  }
}

Value fa::loadRows(OpBuilder &builder, Location loc, const TileFrame &frame, Value tensor,
                   AffineMap map) {
  TileInput rows = loadScoreOperand(builder, loc, frame, tensor, map);
  if (rows.map)
    return rows.value;
  return createFill(builder, loc, rows.value, OpFoldResult(builder.getIndexAttr(frame.rows)));
}

/// Undoes the collapsing of `dims` into the second axis of a matrix.
static Value expandGroup(OpBuilder &builder, Location loc, const TileFrame &frame, Value tile,
                         ArrayRef<unsigned> dims) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getRank() == 1 || dims.size() == 1)
    return tile;
  if (dims.empty())
    return tensor::CollapseShapeOp::create(builder, loc, tile,
                                           ArrayRef<ReassociationIndices>{{0, 1}});
  SmallVector<OpFoldResult> shape = {tensor::getMixedSize(builder, loc, tile, 0)};
  SmallVector<ReassociationIndices> reassociation = {{0}, {}};
  for (auto [i, dim] : llvm::enumerate(dims)) {
    shape.push_back(frame.sizes[dim]);
    reassociation[1].push_back(1 + i);
  }
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(decomposeMixedValues(shape).first),
                                       tile, reassociation, shape);
}

TileStore fa::createStore(OpBuilder &builder, Location loc, const TileFrame &frame, Value tile,
                          AffineMap map) {
  AttentionInterface op = frame.op;
  SmallVector<unsigned> valueDims;
  if (cast<RankedTensorType>(tile.getType()).getRank() == 2)
    valueDims = op.getDims(DimRole::value_dim);
  tile = expandGroup(builder, loc, frame, tile, valueDims);

  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  TileStore store;
  SmallVector<int64_t> permutation;
  SmallVector<OpFoldResult> sliceSizes;
  SmallVector<bool> isDropped;
  for (AffineExpr expr : map.getResults()) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    unsigned dim = dimExpr ? dimExpr.getPosition() : 0;
    store.offsets.push_back(dimExpr ? frame.offsets[dim] : zero);
    store.sizes.push_back(one);
    isDropped.push_back(true);
    if (!dimExpr || !(frame.isTiled(dim) || llvm::is_contained(valueDims, dim)))
      continue;
    isDropped.back() = false;
    bool isRow = frame.isTiled(dim);
    permutation.push_back(isRow ? 0 : 1 + (llvm::find(valueDims, dim) - valueDims.begin()));
    store.sizes.back() = isRow ? frame.getValidSize(builder, loc, dim) : frame.sizes[dim];
    sliceSizes.push_back(store.sizes.back());
  }
  bool dropsRow = !llvm::is_contained(permutation, 0);
  if (!dropsRow && !llvm::is_sorted(permutation)) {
    SmallVector<OpFoldResult> shape = getShape(builder, loc, tile), permuted;
    for (int64_t axis : permutation)
      permuted.push_back(shape[axis]);
    Value empty =
        tensor::EmptyOp::create(builder, loc, permuted, getElementTypeOrSelf(tile.getType()));
    tile = linalg::TransposeOp::create(builder, loc, tile, empty, permutation)->getResult(0);
  }
  if (llvm::any_of(sliceSizes, isZeroInteger))
    return {};
  SmallVector<OpFoldResult> sizes = sliceSizes;
  if (dropsRow)
    sizes.insert(sizes.begin(), one);
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<OpFoldResult> origin(sizes.size(), zero), strides(sizes.size(), one);
  store.tile = tensor::ExtractSliceOp::create(builder, loc,
                                              type.clone(decomposeMixedValues(sliceSizes).first),
                                              tile, origin, sizes, strides);
  store.tile = createInsertSource(builder, loc, store.tile, store.sizes, isDropped);
  return store;
}
