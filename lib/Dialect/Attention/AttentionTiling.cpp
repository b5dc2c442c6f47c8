//===- AttentionTiling.cpp - fa.attention on a part of its output ---------===//
//
// TilingInterface over batch, query and value dims: the tile is an fa.attention on slices of the
// operands. Keys and head dims stay whole, since the softmax needs every key; the loop nest over
// key tiles is lib/Tile's.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Offsets and sizes of a slice, one per tensor dimension.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;
};
} // namespace

/// The part of a tensor that a tile of the loop space touches.
static Slice getSlice(AffineMap map, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  Builder builder(map.getContext());
  Slice slice;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    slice.offsets.push_back(dim ? offsets[dim.getPosition()] : builder.getIndexAttr(0));
    slice.sizes.push_back(dim ? sizes[dim.getPosition()] : builder.getIndexAttr(1));
  }
  return slice;
}

static bool isReduction(DimRole role) { return role == DimRole::key || role == DimRole::head_dim; }

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  return llvm::map_to_vector(getRoles().getValue(), [](DimRole role) {
    return isReduction(role) ? utils::IteratorType::reduction : utils::IteratorType::parallel;
  });
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (unsigned dim = 0; dim < getNumLoops(); ++dim)
    domain.push_back(
        {builder.getIndexAttr(0), getLoopSize(builder, getLoc(), dim), builder.getIndexAttr(1)});
  return domain;
}

/// Adds `offset` to the index that the regions of `tile` get for a loop dimension. The regions see
/// nothing from above, so the offset becomes an extra operand.
static void shiftIndex(OpBuilder &builder, AttentionOp tile, unsigned position,
                       OpFoldResult offset) {
  Value value = getValueOrCreateConstantIndexOp(builder, tile.getLoc(), offset);
  unsigned newExtra = 3 + tile.getExtras().size();
  SmallVector<Attribute> maps(tile.getMaps().getValue());
  maps.insert(maps.begin() + newExtra,
              AffineMapAttr::get(AffineMap::get(tile.getNumLoops(), 0, builder.getContext())));
  tile.getExtrasMutable().append(value);
  tile.setMapsAttr(builder.getArrayAttr(maps));
  for (Region *region : {&tile.getScore(), &tile.getProbability()}) {
    if (region->empty())
      continue;
    Value shift = region->addArgument(builder.getIndexType(), tile.getLoc());
    Value index = region->getArgument(1 + position);
    OpBuilder inside = OpBuilder::atBlockBegin(&region->front());
    auto shifted = arith::AddIOp::create(inside, tile.getLoc(), index, shift);
    index.replaceAllUsesExcept(shifted, shifted);
  }
}

FailureOr<TilingResult> AttentionOp::getTiledImplementation(OpBuilder &builder,
                                                            ArrayRef<OpFoldResult> offsets,
                                                            ArrayRef<OpFoldResult> sizes) {
  for (unsigned dim = 0; dim < getNumLoops(); ++dim) {
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    bool isWhole = isZeroInteger(offsets[dim]) && (!size || *size == getStaticLoopSize(dim));
    if (isReduction(getRole(dim)) && !isWhole)
      return emitOpError() << "cannot be tiled along d" << dim << ", a "
                           << stringifyDimRole(getRole(dim)) << " dimension";
  }
  TilingResult result;
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    Slice slice = getSlice(getMap(i), offsets, sizes);
    SmallVector<OpFoldResult> strides(slice.sizes.size(), builder.getIndexAttr(1));
    operands.push_back(tensor::ExtractSliceOp::create(builder, getLoc(), operand, slice.offsets,
                                                      slice.sizes, strides));
    result.generatedSlices.push_back(operands.back().getDefiningOp());
  }
  auto tile = cast<AttentionOp>(builder.clone(*getOperation()));
  tile->setOperands(operands);
  for (auto [i, value] : llvm::enumerate(tile.getResults())) {
    Slice slice = getSlice(getResultMap(i), offsets, sizes);
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(slice.sizes, dynamicSizes, shape);
    value.setType(cast<RankedTensorType>(value.getType()).clone(shape));
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(tile);
  for (auto [position, dim] : llvm::enumerate(getIndexedDims()))
    if (!isReduction(getRole(dim)) && !isZeroInteger(offsets[dim]))
      shiftIndex(builder, tile, position, offsets[dim]);
  result.tiledOps.push_back(tile);
  llvm::append_range(result.tiledValues, tile.getResults());
  return result;
}

LogicalResult AttentionOp::getResultTilePosition(OpBuilder &builder, unsigned resultNumber,
                                                 ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes,
                                                 SmallVector<OpFoldResult> &resultOffsets,
                                                 SmallVector<OpFoldResult> &resultSizes) {
  Slice slice = getSlice(getResultMap(resultNumber), offsets, sizes);
  resultOffsets = std::move(slice.offsets);
  resultSizes = std::move(slice.sizes);
  return success();
}
