//===- AttentionOp.cpp - fa.attention: access and canonical form ----------===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fa;

AffineMap AttentionOp::getResultMap(unsigned index) { return getMap(getNumOperands() + index); }

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &builder,
                                             ReifiedRankedShapedTypeDims &shapes) {
  return fa::detail::reifyResultShapes(*this, builder, shapes);
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
