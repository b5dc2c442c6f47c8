//===- UnitDims.cpp - Dimensions of size 1 that maps have constants for ---===//

#include "fa/Dialect/Attention/UnitDims.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

AffineMap fa::dropConstants(AffineMap map) {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    if (isa<AffineDimExpr>(expr))
      exprs.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
}

/// Groups of dimensions, each with one that is not dropped; none if all are.
static SmallVector<ReassociationIndices> getReassociation(ArrayRef<bool> isDropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [axis, dropped] : llvm::enumerate(isDropped)) {
    if (dropped && groups.empty()) {
      leading.push_back(axis);
      continue;
    }
    if (!dropped)
      groups.push_back(std::exchange(leading, {}));
    groups.back().push_back(axis);
  }
  return groups;
}

Value fa::createUnitDims(OpBuilder &builder, Location loc, Value value, ArrayRef<bool> isDropped) {
  if (!llvm::is_contained(isDropped, true))
    return value;
  SmallVector<OpFoldResult> shape;
  unsigned next = 0;
  for (bool dropped : isDropped)
    shape.push_back(dropped ? OpFoldResult(builder.getIndexAttr(1))
                            : tensor::getMixedSize(builder, loc, value, next++));
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  auto type = RankedTensorType::get(decomposeMixedValues(shape).first, element);
  return tensor::ExpandShapeOp::create(builder, loc, type, value, getReassociation(isDropped),
                                       shape);
}

Value fa::createUnitDims(OpBuilder &builder, Location loc, Value value, AffineMap map) {
  return createUnitDims(builder, loc, value,
                        llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
                          return isa<AffineConstantExpr>(expr);
                        }));
}

/// Whether canonicalization leaves the type as it is. It drops the first dimensions of size 1,
/// whichever were meant, and a size that is unknown here may turn out to be 1: there may not be a
/// kept dimension between such a size and one that is dropped.
static bool isCanonical(ArrayRef<OpFoldResult> sizes, ArrayRef<bool> isDropped) {
  bool mayBeTaken = false, isAmbiguous = false;
  for (auto [size, dropped] : llvm::zip_equal(sizes, isDropped)) {
    if (dropped && isAmbiguous)
      return false;
    if (dropped)
      continue;
    isAmbiguous |= mayBeTaken && !isOneInteger(size);
    mayBeTaken |= getConstantIntValue(size).value_or(1) == 1;
  }
  return true;
}

Value fa::createInsertSource(OpBuilder &builder, Location loc, Value source,
                             ArrayRef<OpFoldResult> sizes, ArrayRef<bool> isDropped) {
  return isCanonical(sizes, isDropped) ? source : createUnitDims(builder, loc, source, isDropped);
}

Value fa::createReducedSlice(OpBuilder &builder, Location loc, Value tensor,
                             ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                             ArrayRef<bool> isDropped) {
  SmallVector<OpFoldResult> kept;
  for (auto [size, dropped] : llvm::zip_equal(sizes, isDropped))
    if (!dropped)
      kept.push_back(size);
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  auto source = cast<RankedTensorType>(tensor.getType());
  auto type = RankedTensorType::get(decomposeMixedValues(kept).first, source.getElementType());
  if (isCanonical(sizes, isDropped))
    return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets, sizes, strides);
  Value slice = tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes, strides);
  return tensor::CollapseShapeOp::create(builder, loc, slice, getReassociation(isDropped));
}
