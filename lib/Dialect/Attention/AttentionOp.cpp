//===- AttentionOp.cpp - fa.attention: access, shapes, canonical form -----===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fa;

SmallVector<unsigned> AttentionOp::getDims(DimRole role) {
  SmallVector<unsigned> dims;
  for (auto [dim, candidate] : llvm::enumerate(getRoles().getValue()))
    if (candidate == role)
      dims.push_back(dim);
  return dims;
}

SmallVector<unsigned> AttentionOp::getIndexedDims() {
  SmallVector<unsigned> dims;
  for (auto [dim, role] : llvm::enumerate(getRoles().getValue()))
    if (role != DimRole::head_dim && role != DimRole::value_dim)
      dims.push_back(dim);
  return dims;
}

AffineMap AttentionOp::getMap(unsigned position) {
  return cast<AffineMapAttr>(getMaps()[position]).getValue();
}

FloatType AttentionOp::getAccumulationType() {
  return cast<FloatType>(getScore().getArgument(0).getType());
}

/// The position of `dim` among the results of `map`.
static std::optional<unsigned> findDim(AffineMap map, unsigned dim) {
  return map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
}

int64_t AttentionOp::getStaticLoopSize(unsigned dim) {
  for (unsigned i = 0, e = getNumOperands() + getNumResults(); i < e; ++i) {
    Type type =
        i < getNumOperands() ? getOperand(i).getType() : getResult(i - getNumOperands()).getType();
    std::optional<unsigned> position = findDim(getMap(i), dim);
    if (!position)
      continue;
    int64_t size = cast<RankedTensorType>(type).getDimSize(*position);
    if (!ShapedType::isDynamic(size))
      return size;
  }
  return ShapedType::kDynamic;
}

OpFoldResult AttentionOp::getLoopSize(OpBuilder &builder, Location loc, unsigned dim) {
  int64_t size = getStaticLoopSize(dim);
  if (!ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  for (auto [i, operand] : llvm::enumerate(getOperands()))
    if (std::optional<unsigned> position = findDim(getMap(i), dim))
      return tensor::getMixedSize(builder, loc, operand, *position);
  llvm_unreachable("A5: every loop dimension is in a map of an operand");
}

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &builder,
                                             ReifiedRankedShapedTypeDims &shapes) {
  for (unsigned i = 0, e = getNumResults(); i < e; ++i) {
    SmallVector<OpFoldResult> shape;
    for (AffineExpr expr : getResultMap(i).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        shape.push_back(getLoopSize(builder, getLoc(), dim.getPosition()));
      else
        shape.push_back(builder.getIndexAttr(1));
    }
    shapes.push_back(std::move(shape));
  }
  return success();
}

namespace {
/// Drops extra operands that no region reads, and merges those that are the same value with the
/// same map.
struct SimplifyExtras : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    unsigned numIndices = op.getIndexedDims().size();
    SmallVector<Region *> regions = {&op.getScore()};
    if (op.hasProbabilityRegion())
      regions.push_back(&op.getProbability());
    for (unsigned i = 0, e = op.getExtras().size(); i < e; ++i) {
      unsigned argument = 1 + numIndices + i;
      auto isUnused = [&](Region *region) { return region->getArgument(argument).use_empty(); };
      std::optional<unsigned> twin = findTwin(op, i);
      if (!twin && !llvm::all_of(regions, isUnused))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        for (Region *region : regions) {
          if (twin)
            region->getArgument(argument).replaceAllUsesWith(
                region->getArgument(1 + numIndices + *twin));
          region->front().eraseArgument(argument);
        }
        SmallVector<Attribute> maps(op.getMaps().getValue());
        maps.erase(maps.begin() + 3 + i);
        op.setMapsAttr(rewriter.getArrayAttr(maps));
        op.getExtrasMutable().erase(i);
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every extra operand is used and different");
  }

  /// An earlier extra operand with the same value and map.
  static std::optional<unsigned> findTwin(AttentionOp op, unsigned extra) {
    for (unsigned i = 0; i < extra; ++i)
      if (op.getExtras()[i] == op.getExtras()[extra] && op.getExtraMap(i) == op.getExtraMap(extra))
        return i;
    return std::nullopt;
  }
};

/// Drops optional results that nobody uses.
struct DropUnusedResults : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    SmallVector<Type> types = {op.getOutput().getType()};
    SmallVector<int32_t> segments = {1};
    SmallVector<Value> kept = {op.getOutput()};
    ArrayRef<Attribute> oldMaps = op.getMaps().getValue();
    SmallVector<Attribute> maps(oldMaps.take_front(op.getNumOperands() + 1));
    unsigned next = op.getNumOperands() + 1;
    for (Value result : {op.getLse(), op.getRowMax(), op.getProbabilities()}) {
      bool isKept = result && !result.use_empty();
      segments.push_back(isKept);
      if (isKept) {
        types.push_back(result.getType());
        kept.push_back(result);
        maps.push_back(oldMaps[next]);
      }
      next += result ? 1 : 0;
    }
    if (kept.size() == op.getNumResults())
      return rewriter.notifyMatchFailure(op, "every result is used");
    auto smaller =
        AttentionOp::create(rewriter, op.getLoc(), types, op.getOperands(), op->getAttrs());
    smaller.setMapsAttr(rewriter.getArrayAttr(maps));
    smaller.getProperties().setResultSegmentSizes(segments);
    smaller.getProperties().setOperandSegmentSizes(op.getProperties().getOperandSegmentSizes());
    smaller.getScore().takeBody(op.getScore());
    smaller.getProbability().takeBody(op.getProbability());
    for (auto [old, replacement] : llvm::zip_equal(kept, smaller.getResults()))
      rewriter.replaceAllUsesWith(old, replacement);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyExtras, DropUnusedResults>(context);
}
