//===- PrepareTiles.cpp - fa-cpu-prepare-tiles ----------------------------===//

#include "TileOps.h"
#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_PREPARETILES
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// A copy of `tile` in element type `type`, by an elementwise map.
static Value createLocalTile(RewriterBase &rewriter, Value tile, Type type) {
  Location loc = tile.getLoc();
  int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, tile), type);
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  auto map = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), tile, empty, ArrayRef<AffineMap>{identity, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        Value element = arguments[0];
        if (element.getType() != type)
          element = arith::ExtFOp::create(nested, nestedLoc, type, element);
        linalg::YieldOp::create(nested, nestedLoc, element);
      });
  return map.getResult(0);
}

/// The local copy of a tile, by which of its axes holds the rows.
using LocalTiles = llvm::DenseMap<std::pair<Value, unsigned>, Value>;

/// Lets the operands of a dot be local tiles in the type of its sum: whoever is wider than the
/// loaded type, and the side with the rows, which has to be laid out anew.
static void makeOperandsLocal(RewriterBase &rewriter, linalg::GenericOp dot,
                              LocalTiles &localTiles) {
  Type type = getElementTypeOrSelf(dot.getResult(0).getType());
  for (OpOperand *operand : dot.getDpsInputOperands()) {
    Value tile = operand->get();
    bool isNarrow = getElementTypeOrSelf(tile.getType()) != type;
    bool isRowSide = dot.getMatchingIndexingMap(operand).isFunctionOfDim(0);
    bool isLoaded = !tile.getDefiningOp<linalg::LinalgOp>();
    if (!isNarrow && !(isRowSide && isLoaded))
      continue;
    // Several loops may read the same tile, but each layout is a copy of its own.
    unsigned rowAxis = isRowSide ? dot.getMatchingIndexingMap(operand).getDimPosition(0) == 0 : 0;
    Value &local = localTiles[{tile, rowAxis}];
    if (!local) {
      rewriter.setInsertionPointAfterValue(tile);
      local = createLocalTile(rewriter, tile, type);
    }
    rewriter.modifyOpInPlace(dot, [&] { operand->set(local); });
    if (!isNarrow)
      continue;
    // The body's extf has become a no-op.
    BlockArgument argument = dot.getMatchingBlockArgument(operand);
    Operation *extend = *argument.getUsers().begin();
    argument.setType(type);
    rewriter.replaceOp(extend, argument);
  }
}

/// Puts the fill that a dot starts from next to it, so that the dot can begin with zeros in
/// registers.
static void makeInitLocal(RewriterBase &rewriter, linalg::GenericOp dot) {
  OpOperand *init = dot.getDpsInitOperand(0);
  auto fill = init->get().getDefiningOp<linalg::LinalgOp>();
  if (!fill || !isZeroFill(fill) || !fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
    return;
  rewriter.setInsertionPoint(dot);
  Operation *empty = rewriter.clone(*fill.getDpsInits()[0].getDefiningOp());
  IRMapping mapping;
  mapping.map(fill.getDpsInits()[0], empty->getResult(0));
  Operation *local = rewriter.clone(*fill, mapping);
  rewriter.modifyOpInPlace(dot, [&] { init->set(local->getResult(0)); });
}

namespace {
struct PrepareTiles : fa::impl::PrepareTilesBase<PrepareTiles> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    walkTilePrograms(getOperation(), [&](scf::ForallOp program) {
      SmallVector<linalg::GenericOp> dots;
      program.walk([&](linalg::GenericOp op) {
        if (matchDot(op))
          dots.push_back(op);
      });
      LocalTiles localTiles;
      for (linalg::GenericOp dot : dots) {
        makeOperandsLocal(rewriter, dot, localTiles);
        makeInitLocal(rewriter, dot);
      }
    });
  }
};
} // namespace
