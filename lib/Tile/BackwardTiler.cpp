//===- BackwardTiler.cpp - The loops of a gradient's tile program ---------===//

#include "BackwardTiler.h"
#include "IndexArithmetic.h"
#include "fa/Tile/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

SmallVector<Value> BackwardTiler::State::toValues() const {
  SmallVector<Value> values = sums;
  for (Value tile : {dKey, dValue})
    if (tile)
      values.push_back(tile);
  return values;
}

BackwardTiler::State BackwardTiler::State::fromValues(ValueRange values) const {
  State state;
  state.sums.assign(values.begin(), values.begin() + sums.size());
  unsigned next = sums.size();
  if (dKey)
    state.dKey = values[next++];
  if (dValue)
    state.dValue = values[next];
  return state;
}

BackwardTiler::BackwardTiler(RewriterBase &rewriter, AttentionBackwardOp op)
    : rewriter(rewriter), loc(op.getLoc()), op(op),
      frame(TileFrame::create(rewriter, op, DimRole::key, DimRole::query)),
      conditions(findKeyConditions(op, frame.dims)) {
  listLoops();
}

/// Decides which loops run in parallel: those over dimensions that every gradient has. The others
/// run in this order: batch, keys, queries.
void BackwardTiler::listLoops() {
  SmallVector<unsigned> numbers;
  for (int64_t number : op.getWrt())
    if (number < 3 + int64_t(op.getExtras().size()))
      numbers.push_back(number);
  auto isParallel = [&](unsigned dim) {
    return llvm::all_of(numbers,
                        [&](unsigned number) { return op.getMap(number).isFunctionOfDim(dim); });
  };
  for (DimRole role : {DimRole::batch, DimRole::key, DimRole::query})
    for (unsigned dim : op.getDims(role)) {
      if (dim == frame.dims.column)
        continue;
      if (isParallel(dim))
        parallelDims.push_back(dim);
      else if (dim != frame.dims.row)
        (role == DimRole::query ? queryLoops : keyLoops).push_back(dim);
    }
  for (unsigned number : numbers)
    gradients.push_back({number, Accumulator(op.getMap(number), parallelDims)});
}

std::optional<unsigned> BackwardTiler::findSum(unsigned operand) const {
  for (auto [i, gradient] : llvm::enumerate(gradients))
    if (gradient.operand == operand)
      return i;
  return std::nullopt;
}

/// The shape of a tensor with `map`.
SmallVector<OpFoldResult> BackwardTiler::getShapeOf(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> OpFoldResult {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? frame.sizes[dim.getPosition()] : OpFoldResult(rewriter.getIndexAttr(1));
  });
}

void BackwardTiler::tile(StringRef region) {
  SmallVector<Value> results;
  bool isEmpty = false;
  for (unsigned dim : op.getIndexedDims())
    isEmpty |= isZeroInteger(frame.sizes[dim]);
  if (!isEmpty)
    delta = createDelta(rewriter, op, region);
  scf::ForallOp loops;
  if (!isEmpty && !gradients.empty())
    loops = createParallelLoops(region).getDefiningOp<scf::ForallOp>();
  for (auto [number, old] : llvm::zip_equal(op.getWrt(), op.getResults())) {
    Value result;
    if (isEmpty) { // a sum over nothing
      auto type = cast<FloatType>(getElementTypeOrSelf(old.getType()));
      result = createFill(rewriter, loc, 0, type, getShapeOf(op.getMap(number)));
    } else if (std::optional<unsigned> sum = findSum(number)) {
      result = loops.getResult(*sum);
    } else {
      result = createSinkGradientTensor(rewriter, op, delta);
    }
    results.push_back(rewriter.createOrFold<tensor::CastOp>(loc, old.getType(), result));
  }
  rewriter.replaceOp(op, results);
}

/// The forall over the dimensions of all gradients; returns its first result.
Value BackwardTiler::createParallelLoops(StringRef region) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> upper, steps;
  for (unsigned dim : parallelDims) {
    upper.push_back(frame.sizes[dim]);
    steps.push_back(dim == frame.dims.row ? rewriter.getIndexAttr(frame.rows) : one);
  }
  if (parallelDims.empty()) { // a loop that runs once keeps the form
    upper.push_back(one);
    steps.push_back(one);
  }
  SmallVector<Value> destinations;
  for (const TiledGradient &gradient : gradients) {
    Type element = getElementTypeOrSelf(op.getGradient(gradient.operand).getType());
    destinations.push_back(
        tensor::EmptyOp::create(rewriter, loc, getShapeOf(gradient.sum.getMap()), element));
  }
  SmallVector<OpFoldResult> lower(upper.size(), zero);
  auto forall = scf::ForallOp::create(rewriter, loc, lower, upper, steps, destinations,
                                      /*mapping=*/std::nullopt);
  forall->setDiscardableAttr(kRegionAttrName, rewriter.getStringAttr(region));
  for (auto [dim, variable] : llvm::zip(parallelDims, forall.getInductionVars()))
    frame.offsets[dim] = variable;

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(forall.getTerminator());
  createBody(forall);
  return forall.getResult(0);
}

/// The sums of the forall's position, and their stores.
void BackwardTiler::createBody(scf::ForallOp forall) {
  State state;
  for (const TiledGradient &gradient : gradients)
    state.sums.push_back(gradient.sum.createInitial(rewriter, loc, frame));
  state = createKeyLoops(keyLoops, state);
  SmallVector<TileStore> stores;
  for (auto [gradient, sum] : llvm::zip_equal(gradients, state.sums)) {
    Type element = getElementTypeOrSelf(op.getGradient(gradient.operand).getType());
    stores.push_back(gradient.sum.createStore(rewriter, loc, frame, sum, element));
  }
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [store, destination] : llvm::zip_equal(stores, forall.getRegionIterArgs())) {
    if (!store.tile)
      continue;
    SmallVector<OpFoldResult> strides(store.offsets.size(), rewriter.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(rewriter, loc, store.tile, destination, store.offsets,
                                          store.sizes, strides);
  }
}

/// A loop over `dim` that carries the state.
BackwardTiler::State BackwardTiler::createLoop(State state, OpFoldResult begin, OpFoldResult end,
                                               int64_t step, unsigned dim,
                                               function_ref<State(State)> body) {
  if (isEqualConstantIntOrValue(begin, end))
    return state;
  IndexArithmetic math(rewriter, loc);
  auto loop = scf::ForOp::create(rewriter, loc, math.get(begin), math.get(end), math.get(step),
                                 state.toValues());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  frame.offsets[dim] = loop.getInductionVar();
  State next = body(state.fromValues(loop.getRegionIterArgs()));
  scf::YieldOp::create(rewriter, loc, next.toValues());
  return state.fromValues(loop.getResults());
}

/// Loops over the dimensions that are not tiled, then over key tiles: the whole ones, the last.
BackwardTiler::State BackwardTiler::createKeyLoops(ArrayRef<unsigned> dims, State state) {
  OpFoldResult zero = rewriter.getIndexAttr(0);
  if (!dims.empty())
    return createLoop(state, zero, frame.sizes[dims.front()], 1, dims.front(),
                      [&](State inner) { return createKeyLoops(dims.drop_front(), inner); });
  unsigned key = *frame.dims.row;
  if (llvm::is_contained(parallelDims, key)) {
    frame.hasWholeRows = frame.isDivisible(key);
    return createKeyTile(state);
  }
  IndexArithmetic math(rewriter, loc);
  OpFoldResult whole = getAsOpFoldResult(math.alignDown(math.get(frame.sizes[key]), frame.rows));
  auto body = [&](State inner) { return createKeyTile(inner); };
  frame.hasWholeRows = true;
  state = createLoop(state, zero, whole, frame.rows, key, body);
  frame.hasWholeRows = false;
  return createLoop(state, whole, frame.sizes[key], frame.rows, key, body);
}

/// One tile of keys and values stays while all queries pass by.
BackwardTiler::State BackwardTiler::createKeyTile(State state) {
  unsigned key = *frame.dims.row;
  keyTile = loadMatrixOf(1, key, DimRole::head_dim);
  valueTile = loadMatrixOf(2, key, DimRole::value_dim);
  OpFoldResult rows = rewriter.getIndexAttr(frame.rows);
  if (findSum(1))
    state.dKey = createZeros(rows, frame.getRoleSize(rewriter, loc, DimRole::head_dim));
  if (findSum(2))
    state.dValue = createZeros(rows, frame.getRoleSize(rewriter, loc, DimRole::value_dim));
  state = createQueryLoops(queryLoops, state);
  if (state.dKey)
    addGroup(state, 1, state.dKey, DimRole::head_dim, /*isGroupFirst=*/false, key);
  if (state.dValue)
    addGroup(state, 2, state.dValue, DimRole::value_dim, /*isGroupFirst=*/false, key);
  state.dKey = state.dValue = Value();
  return state;
}

BackwardTiler::State BackwardTiler::createQueryLoops(ArrayRef<unsigned> dims, State state) {
  if (dims.empty())
    return createQueryRanges(state);
  return createLoop(state, rewriter.getIndexAttr(0), frame.sizes[dims.front()], 1, dims.front(),
                    [&](State inner) { return createQueryLoops(dims.drop_front(), inner); });
}

/// One loop per range of queries that may see the keys: partial, full, partial. Ragged keys have
/// no full tiles.
BackwardTiler::State BackwardTiler::createQueryRanges(State state) {
  loadExtras(rewriter, loc, frame, /*perColumn=*/false, extras);
  if (!frame.dims.column)
    return createTile(state, /*isFull=*/false);
  ColumnRange range = createColumnRange(rewriter, loc, frame, conditions, extras);
  auto createRange = [&](OpFoldResult begin, OpFoldResult end, bool isFull) {
    state = createLoop(state, begin, end, frame.columns, *frame.dims.column, [&](State inner) {
      Operation *loop = rewriter.getInsertionBlock()->getParentOp();
      loop->setDiscardableAttr(kRangeAttrName, rewriter.getStringAttr(isFull ? "full" : "partial"));
      return createTile(inner, isFull);
    });
  };
  if (!frame.hasWholeRows) {
    createRange(range.begin, range.end, /*isFull=*/false);
    return state;
  }
  createRange(range.begin, range.fullBegin, /*isFull=*/false);
  createRange(range.fullBegin, range.fullEnd, /*isFull=*/true);
  createRange(range.fullEnd, range.end, /*isFull=*/false);
  return state;
}
