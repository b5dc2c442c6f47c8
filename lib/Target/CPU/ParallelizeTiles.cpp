//===- ParallelizeTiles.cpp - fa-cpu-parallelize-tiles --------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace mlir::fa {
#define GEN_PASS_DEF_PARALLELIZETILES
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// How often the body of `op` runs for each time that `op` does, if that is known.
static std::optional<int64_t> getTripCount(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return 1;
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step)
    return std::nullopt;
  int64_t count = 1;
  for (auto [from, to, by] : llvm::zip(*lower, *upper, *step)) {
    auto first = getConstantIntValue(from), last = getConstantIntValue(to),
         stride = getConstantIntValue(by);
    if (!first || !last || !stride || *stride <= 0)
      return std::nullopt;
    count *= std::max<int64_t>(0, llvm::divideCeilSigned(*last - *first, *stride));
  }
  return count;
}

/// The scalar operations that `op` and what it contains do, if every loop's length is known.
static std::optional<int64_t> estimateWork(Operation *op) {
  int64_t work = 1;
  for (Type type : op->getResultTypes())
    if (auto vector = dyn_cast<VectorType>(type))
      work = std::max(work, vector.getNumElements());
  int64_t inner = 0;
  for (Region &region : op->getRegions())
    for (Operation &child : region.getOps()) {
      std::optional<int64_t> childWork = estimateWork(&child);
      if (!childWork)
        return std::nullopt;
      inner += *childWork;
    }
  std::optional<int64_t> trips = getTripCount(op);
  return trips ? std::optional(work + *trips * inner) : std::nullopt;
}

namespace {
struct ParallelizeTiles : fa::impl::ParallelizeTilesBase<ParallelizeTiles> {
  using ParallelizeTilesBase::ParallelizeTilesBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> foralls;
    getOperation()->walk([&](scf::ForallOp forall) { foralls.push_back(forall); });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp forall : foralls) {
      std::optional<int64_t> work = estimateWork(forall), trips = getTripCount(forall);
      rewriter.setInsertionPoint(forall);
      LogicalResult done = !parallel || (work && *work < serialWork) || trips == 1
                               ? scf::forallToForLoop(rewriter, forall)
                               : scf::forallToParallelLoop(rewriter, forall);
      if (failed(done))
        return signalPassFailure();
    }
  }
};
} // namespace
