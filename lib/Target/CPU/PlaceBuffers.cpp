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

/// True if the buffer, or a view of it, may outlive its block, or be known there by another name
/// under which it could be freed.
static bool escapes(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return true;
    bool isView = isa<ViewLikeOpInterface, memref::TransposeOp>(user);
    return llvm::any_of(user->getResults(), [&](Value result) {
      return isa<BaseMemRefType>(result.getType()) &&
             (!isView || escapes(result) ||
              llvm::any_of(result.getUsers(), llvm::IsaPred<memref::DeallocOp>));
    });
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

/// Moves `buffers` to the start of `block`. Whoever freed one did so once for an iteration, which
/// is too early now.
static void moveTo(Block *block, ArrayRef<memref::AllocOp> buffers) {
  for (memref::AllocOp alloc : llvm::reverse(buffers)) {
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
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

namespace {
struct PlaceBuffers : fa::impl::PlaceBuffersBase<PlaceBuffers> {
  using PlaceBuffersBase::PlaceBuffersBase;

  /// Lets all iterations of `loops` use the buffers at the start of `body`.
  void place(Operation *loops, Block *body) {
    moveTo(body, findTileBuffers(loops));
    if (free)
      freeBuffers(loops);
  }

  void runOnOperation() override {
    getOperation()->walk([&](scf::ForallOp forall) { place(forall, forall.getBody()); });
    getOperation()->walk(
        [&](omp::ParallelOp parallel) { place(parallel, &parallel.getRegion().front()); });
  }
};
} // namespace
