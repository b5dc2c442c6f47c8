//===- AttentionInterface.cpp - Loop sizes of attention and its gradient --===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fa;

/// The position of `dim` among the results of `map`.
static std::optional<unsigned> findDim(AffineMap map, unsigned dim) {
  return map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
}

int64_t fa::detail::getStaticLoopSize(Operation *op, unsigned dim) {
  auto attention = cast<AttentionInterface>(op);
  auto getSize = [&](Type type, AffineMap map) {
    std::optional<unsigned> position = findDim(map, dim);
    return position ? cast<RankedTensorType>(type).getDimSize(*position) : ShapedType::kDynamic;
  };
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (int64_t size = getSize(operand.getType(), attention.getMap(i));
        !ShapedType::isDynamic(size))
      return size;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (int64_t size = getSize(result.getType(), attention.getResultMap(i));
        !ShapedType::isDynamic(size))
      return size;
  return ShapedType::kDynamic;
}

OpFoldResult fa::detail::getLoopSize(Operation *op, OpBuilder &builder, Location loc,
                                     unsigned dim) {
  int64_t size = getStaticLoopSize(op, dim);
  if (!ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  auto attention = cast<AttentionInterface>(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (std::optional<unsigned> position = findDim(attention.getMap(i), dim))
      return tensor::getMixedSize(builder, loc, operand, *position);
  llvm_unreachable("A5: every loop dimension is in a map of an operand");
}

LogicalResult fa::detail::reifyResultShapes(Operation *op, OpBuilder &builder,
                                            ReifiedRankedShapedTypeDims &shapes) {
  auto attention = cast<AttentionInterface>(op);
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i) {
    SmallVector<OpFoldResult> shape;
    for (AffineExpr expr : attention.getResultMap(i).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        shape.push_back(getLoopSize(op, builder, op->getLoc(), dim.getPosition()));
      else
        shape.push_back(builder.getIndexAttr(1));
    }
    shapes.push_back(std::move(shape));
  }
  return success();
}
