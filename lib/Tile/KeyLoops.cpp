//===- KeyLoops.cpp - The loops over key tiles and their body -------------===//

#include "AttentionTiler.h"
#include "IndexArithmetic.h"
#include "fa/Tile/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fa;

/// Loops over the key dimensions that are not tiled, one by one, then over key tiles.
SoftmaxState AttentionTiler::createOuterKeyLoops(ArrayRef<unsigned> outer, SoftmaxState state) {
  if (outer.empty())
    return createKeyRanges(state);
  IndexArithmetic math(rewriter, loc);
  unsigned dim = outer.front();
  auto loop = scf::ForOp::create(rewriter, loc, math.get(0), math.get(frame.sizes[dim]),
                                 math.get(1), state.toValues());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  frame.offsets[dim] = loop.getInductionVar();
  SoftmaxState next =
      createOuterKeyLoops(outer.drop_front(), SoftmaxState::fromValues(loop.getRegionIterArgs()));
  scf::YieldOp::create(rewriter, loc, next.toValues());
  return SoftmaxState::fromValues(loop.getResults());
}

/// One loop per range that may hold keys: partial, full, partial.
SoftmaxState AttentionTiler::createKeyRanges(SoftmaxState state) {
  loadExtras(rewriter, loc, frame, /*perColumn=*/false, extras);
  ColumnRange range = createColumnRange(rewriter, loc, frame, conditions, extras);
  state = createKeyLoop(state, range.begin, range.fullBegin, /*isFull=*/false);
  state = createKeyLoop(state, range.fullBegin, range.fullEnd, /*isFull=*/true);
  return createKeyLoop(state, range.fullEnd, range.end, /*isFull=*/false);
}

SoftmaxState AttentionTiler::createKeyLoop(SoftmaxState state, OpFoldResult begin, OpFoldResult end,
                                           bool isFull) {
  if (isEqualConstantIntOrValue(begin, end))
    return state;
  IndexArithmetic math(rewriter, loc);
  auto loop = scf::ForOp::create(rewriter, loc, math.get(begin), math.get(end),
                                 math.get(frame.columns), state.toValues());
  loop->setDiscardableAttr(kRangeAttrName, rewriter.getStringAttr(isFull ? "full" : "partial"));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  frame.offsets[*frame.dims.column] = loop.getInductionVar();
  SoftmaxState next = createKeyTile(SoftmaxState::fromValues(loop.getRegionIterArgs()), isFull);
  scf::YieldOp::create(rewriter, loc, next.toValues());
  return SoftmaxState::fromValues(loop.getResults());
}

/// Takes in one key tile: scores, score region, recurrence.
SoftmaxState AttentionTiler::createKeyTile(SoftmaxState state, bool isFull) {
  frame.hasWholeColumns = isFull;
  unsigned key = *frame.dims.column;
  loadExtras(rewriter, loc, frame, /*perColumn=*/true, extras);
  RegionInputs inputs;
  inputs.extras = extras;
  if (isFull)
    inputs.folded = conditions;
  if (!isFull && !frame.isDivisible(key))
    inputs.numColumns = IndexArithmetic(rewriter, loc).get(frame.sizes[key]);

  TileInput keys = loadDotOperand(op.getKey(), op.getKeyMap(), key, DimRole::head_dim, 1, 2);
  Value zeros =
      createFill(rewriter, loc, 0, op.getAccumulationType(),
                 {rewriter.getIndexAttr(frame.rows), rewriter.getIndexAttr(frame.columns)});
  Value products = createDot(rewriter, loc, query, keys, zeros);
  RegionTile scores = createRegionMap(rewriter, loc, frame, op.getScore(), products, inputs);

  TileInput values = loadDotOperand(op.getValue(), op.getValueMap(), key, DimRole::value_dim, 2, 1);
  auto weigh = [&](Value weights) {
    if (!op.hasProbabilityRegion())
      return weights;
    RegionInputs plain;
    plain.extras = extras;
    return createRegionMap(rewriter, loc, frame, op.getProbability(), weights, plain).value;
  };
  // A masked key in a visited tile has weight 0, and its value may be anything.
  ZeroFactor zero = scores.hasMask ? ZeroFactor::Skips : ZeroFactor::Multiplies;
  return createStep(rewriter, loc, state, scores.value, values, zero, weigh);
}
