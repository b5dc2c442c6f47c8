//===- PlaceBuffers.cpp - fa-cpu-place-buffers ----------------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::fa {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// A cache line: no two buffers share one, and vectors are aligned.
static constexpr int64_t kAlignment = 64;

/// True if the buffer, or a view of it, outlives its block.
static bool escapes(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return true;
    return isa<ViewLikeOpInterface>(user) &&
           llvm::any_of(user->getResults(), [](Value view) { return escapes(view); });
  });
}

/// Allocations of static size anywhere below `root` whose buffers belong to one iteration.
static SmallVector<memref::AllocOp> findTileBuffers(Operation *root) {
  SmallVector<memref::AllocOp> buffers;
  root->walk([&](memref::AllocOp alloc) {
    if (alloc.getType().hasStaticShape() && !escapes(alloc))
      buffers.push_back(alloc);
  });
  return buffers;
}

static void moveTo(Block *block, ArrayRef<memref::AllocOp> buffers) {
  for (memref::AllocOp alloc : llvm::reverse(buffers)) {
    alloc.setAlignment(kAlignment);
    alloc->moveBefore(block, block->begin());
  }
}

/// Frees what is allocated below `root` at the end of its block.
static void freeBuffers(Operation *root) {
  root->walk([](memref::AllocOp alloc) {
    if (escapes(alloc) || llvm::any_of(alloc->getUsers(), llvm::IsaPred<memref::DeallocOp>))
      return;
    OpBuilder builder(alloc->getBlock()->getTerminator());
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  });
}

/// Lets all iterations that a thread runs use the same buffers.
static void keepBuffersOfThread(omp::ParallelOp parallel) {
  Block &body = parallel.getRegion().front();
  SmallVector<memref::AllocOp> buffers = findTileBuffers(parallel);
  for (memref::AllocOp alloc : buffers)
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
  moveTo(&body, buffers);
  freeBuffers(parallel);
}

namespace {
struct PlaceBuffers : fa::impl::PlaceBuffersBase<PlaceBuffers> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForallOp forall) {
      moveTo(forall.getBody(), findTileBuffers(forall));
      freeBuffers(forall);
    });
    getOperation()->walk(keepBuffersOfThread);
  }
};
} // namespace
