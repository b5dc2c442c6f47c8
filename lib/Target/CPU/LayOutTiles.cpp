//===- LayOutTiles.cpp - fa-cpu-lay-out-tiles --------------------------------===//

#include "TileOps.h"
#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_LAYOUTTILES
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// True if the layout of `tile` may change: a matrix that only linalg reads and writes.
static bool isFree(memref::AllocOp tile) {
  MemRefType type = tile.getType();
  return type.getRank() == 2 && type.hasStaticShape() && type.getLayout().isIdentity() &&
         llvm::all_of(tile->getUsers(),
                      [](Operation *user) { return isa<linalg::LinalgOp, memref::CopyOp>(user); });
}

/// The tiles that are to have their first axis, the rows, contiguous: what dots write, and read on
/// the rows' side.
static llvm::SmallSetVector<memref::AllocOp, 8> findRowTiles(scf::ForallOp program) {
  llvm::SmallSetVector<memref::AllocOp, 8> tiles;
  program.walk([&](linalg::GenericOp op) {
    if (!matchDot(op))
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      auto tile = operand.get().getDefiningOp<memref::AllocOp>();
      if (tile && map.getDimPosition(0) == 0 && isFree(tile))
        tiles.insert(tile);
    }
  });
  return tiles;
}

/// Replaces `tile` by a buffer in which its first axis is the last, seen through a transposition.
static void layOut(RewriterBase &rewriter, memref::AllocOp tile) {
  Location loc = tile.getLoc();
  MemRefType type = tile.getType();
  rewriter.setInsertionPoint(tile);
  auto stored = MemRefType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  Value buffer = memref::AllocOp::create(rewriter, loc, stored, tile.getAlignmentAttr());
  AffineMap swap = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, rewriter.getContext());
  Value view = memref::TransposeOp::create(rewriter, loc, buffer, AffineMapAttr::get(swap));
  rewriter.replaceOp(tile, view);
}

namespace {
struct LayOutTiles : fa::impl::LayOutTilesBase<LayOutTiles> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    walkTilePrograms(getOperation(), [&](scf::ForallOp program) {
      for (memref::AllocOp tile : findRowTiles(program))
        layOut(rewriter, tile);
    });
  }
};
} // namespace
