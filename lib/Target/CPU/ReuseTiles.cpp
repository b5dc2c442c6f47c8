//===- ReuseTiles.cpp - fa-cpu-reuse-tiles --------------------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fa {
#define GEN_PASS_DEF_REUSETILES
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// A value that a tile program computed: its buffer is the program's own, not the caller's.
static bool isTileValue(Value value) {
  if (isa_and_nonnull<linalg::LinalgOp, scf::ForOp>(value.getDefiningOp()))
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<scf::ForOp>(argument.getOwner()->getParentOp());
}

/// Every use but those of `user` lies before it, in the same block.
static bool isLastUser(Value value, Operation *user) {
  return llvm::all_of(value.getUsers(), [&](Operation *other) {
    return other == user || (other->getBlock() == user->getBlock() && other->isBeforeInBlock(user));
  });
}

/// A destination of its own for every op, so that no two values seem to share one.
static void separateEmptyTensors(Operation *root) {
  SmallVector<tensor::EmptyOp> empties;
  root->walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*empty)->getResult(0));
    }
    empty.erase();
  }
}

/// The input that a map may overwrite: read only at the position that is written, and never again.
static OpOperand *findOverwritable(linalg::GenericOp map) {
  if (map.getNumResults() != 1 || map.getNumParallelLoops() != map.getNumLoops())
    return nullptr;
  OpOperand *init = map.getDpsInitOperand(0);
  AffineMap written = map.getMatchingIndexingMap(init);
  if (!init->get().getDefiningOp<tensor::EmptyOp>() || map.payloadUsesValueFromOperand(init) ||
      !written.isPermutation())
    return nullptr;
  for (OpOperand *input : map.getDpsInputOperands())
    if (input->get().getType() == init->get().getType() &&
        map.getMatchingIndexingMap(input) == written && isTileValue(input->get()) &&
        isLastUser(input->get(), map))
      return input;
  return nullptr;
}

/// Turns ins(%x, …) outs(%empty) into ins(…) outs(%x).
static void overwriteInput(linalg::GenericOp map, OpOperand *input) {
  unsigned number = input->getOperandNumber();
  Value overwritten = input->get();
  Block *body = map.getBody();
  body->getArgument(number).replaceAllUsesWith(body->getArguments().back());
  body->eraseArgument(number);
  SmallVector<AffineMap> maps = map.getIndexingMapsArray();
  maps.erase(maps.begin() + number);
  OpBuilder builder(map);
  map.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  map.getDpsInitOperand(0)->set(overwritten);
  map.getInputsMutable().erase(number);
}

static Value copyTo(OpBuilder &builder, Location loc, Value value, Value destination) {
  AffineMap identity = builder.getMultiDimIdentityMap(cast<ShapedType>(value.getType()).getRank());
  SmallVector<utils::IteratorType> iterators(identity.getNumDims(), utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      builder, loc, destination.getType(), value, destination,
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [](OpBuilder &b, Location l, ValueRange v) { linalg::YieldOp::create(b, l, v[0]); });
  return copy.getResult(0);
}

/// The value whose buffer `value` is computed in.
static Value getStart(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto destination = dyn_cast<linalg::LinalgOp>(op))
      value = destination.getDpsInitOperand(number)->get();
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      value = loop.getInitArgs()[number];
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      value = insert.getDest();
    else
      break;
  }
  return value;
}

/// A copy to compute in, where a carried value is overwritten before its last use.
static void keepReadValues(scf::ForOp loop) {
  for (BlockArgument carried : loop.getRegionIterArgs())
    for (OpOperand &use : llvm::make_early_inc_range(carried.getUses())) {
      auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!op || !op.isDpsInit(&use) || isLastUser(carried, op))
        continue;
      OpBuilder builder(op);
      auto type = cast<RankedTensorType>(carried.getType());
      Value empty = tensor::EmptyOp::create(builder, op.getLoc(),
                                            tensor::getMixedSizes(builder, op.getLoc(), carried),
                                            type.getElementType());
      use.set(copyTo(builder, op.getLoc(), carried, empty));
    }
}

/// Copies what the loop yields to the carried value's buffer, unless it is there already.
static void yieldInPlace(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder builder(yield);
  for (auto [carried, operand] : llvm::zip(loop.getRegionIterArgs(), yield->getOpOperands())) {
    if (!isa<RankedTensorType>(carried.getType()) || getStart(operand.get()) == carried)
      continue;
    operand.set(copyTo(builder, loop.getLoc(), operand.get(), carried));
  }
}

namespace {
struct ReuseTiles : fa::impl::ReuseTilesBase<ReuseTiles> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForallOp forall) {
      separateEmptyTensors(forall);
      SmallVector<linalg::GenericOp> maps;
      forall.walk([&](linalg::GenericOp map) { maps.push_back(map); });
      for (linalg::GenericOp map : maps)
        if (OpOperand *input = findOverwritable(map))
          overwriteInput(map, input);
      forall.walk([](scf::ForOp loop) {
        keepReadValues(loop);
        yieldInPlace(loop);
      });
    });
  }
};
} // namespace
