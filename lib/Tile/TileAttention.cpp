//===- TileAttention.cpp - fa-tile: attention as a tile program -----------===//

#include "AttentionTiler.h"
#include "BackwardTiler.h"
#include "fa/Tile/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_TILEATTENTION
#include "fa/Tile/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Refuses what the one-pass form cannot compute.
static LogicalResult checkTileable(AttentionInterface op) {
  if (auto backward = dyn_cast<AttentionBackwardOp>(*op))
    return checkDifferentiable(backward);
  if (cast<AttentionOp>(*op).getProbabilities())
    return op->emitOpError(
        "cannot be tiled with its probabilities as a result: they are as large as "
        "the scores; use lse and recompute them");
  return success();
}

namespace {
struct TileAttention : fa::impl::TileAttentionBase<TileAttention> {
  void runOnOperation() override {
    SmallVector<AttentionInterface> ops;
    WalkResult checked = getOperation()->walk([&](AttentionInterface op) {
      if (!op.getScheduleAttr())
        return WalkResult::advance();
      ops.push_back(op);
      return failed(checkTileable(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    llvm::MapVector<Operation *, unsigned> numRegions;
    for (AttentionInterface op : ops) {
      auto function = op->getParentOfType<FunctionOpInterface>();
      unsigned index = numRegions[function]++;
      std::string region = ((function ? function.getName() : "") + "." + Twine(index)).str();
      rewriter.setInsertionPoint(op);
      if (auto backward = dyn_cast<AttentionBackwardOp>(*op))
        BackwardTiler(rewriter, backward).tile(region);
      else
        AttentionTiler(rewriter, cast<AttentionOp>(*op)).tile(region);
    }
  }
};
} // namespace
