//===- AttentionTiler.cpp - The loop over query tiles and its body --------===//

#include "AttentionTiler.h"
#include "IndexArithmetic.h"
#include "fa/Tile/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

AttentionTiler::AttentionTiler(RewriterBase &rewriter, AttentionOp op)
    : rewriter(rewriter), loc(op.getLoc()), op(op),
      frame(TileFrame::create(rewriter, op, DimRole::query, DimRole::key)),
      conditions(findKeyConditions(op, frame.dims)) {}

/// The loop dimensions of the forall, with bounds and steps; the tiled one comes last.
SmallVector<unsigned> AttentionTiler::setUpLoops(SmallVectorImpl<OpFoldResult> &upper,
                                                 SmallVectorImpl<OpFoldResult> &steps) {
  SmallVector<unsigned> loops = op.getDims(DimRole::batch);
  for (unsigned dim : op.getDims(DimRole::query))
    if (dim != frame.dims.row)
      loops.push_back(dim);
  if (frame.dims.row)
    loops.push_back(*frame.dims.row);
  for (unsigned dim : loops) {
    upper.push_back(frame.sizes[dim]);
    steps.push_back(rewriter.getIndexAttr(dim == frame.dims.row ? frame.rows : 1));
  }
  return loops;
}

SmallVector<Value> AttentionTiler::createDestinations() {
  SmallVector<Value> destinations;
  for (unsigned i = 0, e = op.getNumResults(); i < e; ++i) {
    SmallVector<OpFoldResult> shape;
    for (AffineExpr expr : op.getResultMap(i).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      shape.push_back(dim ? frame.sizes[dim.getPosition()] : rewriter.getIndexAttr(1));
    }
    Type element = getElementTypeOrSelf(op.getResult(i).getType());
    destinations.push_back(tensor::EmptyOp::create(rewriter, loc, shape, element));
  }
  return destinations;
}

void AttentionTiler::tile(StringRef region) {
  SmallVector<OpFoldResult> upper, steps;
  SmallVector<unsigned> loops = setUpLoops(upper, steps);
  if (loops.empty()) { // one row: a loop that runs once keeps the form
    upper.push_back(rewriter.getIndexAttr(1));
    steps.push_back(rewriter.getIndexAttr(1));
  }
  SmallVector<OpFoldResult> lower(upper.size(), rewriter.getIndexAttr(0));
  auto forall = scf::ForallOp::create(rewriter, loc, lower, upper, steps, createDestinations(),
                                      /*mapping=*/std::nullopt);
  forall->setDiscardableAttr(kRegionAttrName, rewriter.getStringAttr(region));
  for (auto [dim, variable] : llvm::zip(loops, forall.getInductionVars()))
    frame.offsets[dim] = variable;

  rewriter.setInsertionPoint(forall.getTerminator());
  SmallVector<TileStore> stores = createRowTile();
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [store, destination] : llvm::zip_equal(stores, forall.getRegionIterArgs())) {
    if (!store.tile)
      continue;
    SmallVector<OpFoldResult> strides(store.offsets.size(), rewriter.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(rewriter, loc, store.tile, destination, store.offsets,
                                          store.sizes, strides);
  }

  rewriter.setInsertionPointAfter(forall);
  SmallVector<Value> results;
  for (auto [result, old] : llvm::zip_equal(forall.getResults(), op.getResults()))
    results.push_back(rewriter.createOrFold<tensor::CastOp>(loc, old.getType(), result));
  rewriter.replaceOp(op, results);
}

TileInput AttentionTiler::loadDotOperand(Value tensor, AffineMap map, std::optional<unsigned> axis,
                                         DimRole role, unsigned axisLoop, unsigned groupLoop) {
  MatrixTile matrix = loadMatrix(rewriter, loc, frame, tensor, map, axis, op.getDims(role));
  SmallVector<AffineExpr> exprs = {rewriter.getAffineDimExpr(axisLoop),
                                   rewriter.getAffineDimExpr(groupLoop)};
  if (matrix.isTransposed)
    std::swap(exprs[0], exprs[1]);
  return {matrix.value, AffineMap::get(3, 0, exprs, rewriter.getContext())};
}

/// An i1 that holds if a row without a key gets NaN: not if there are no keys at all, where the
/// sum over them is an empty one. Null for false.
Value AttentionTiler::createEmptyRowsAreNaN() {
  if (op.getEmptyRows() == EmptyRows::zero)
    return Value();
  IndexArithmetic math(rewriter, loc);
  Value zero = math.get(0),
        isNaN = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  for (unsigned dim : op.getDims(DimRole::key))
    isNaN =
        math.both(isNaN, math.compare(arith::CmpIPredicate::sgt, math.get(frame.sizes[dim]), zero));
  return isNaN;
}

/// The body of the forall: the tiles to store, one per result.
SmallVector<TileStore> AttentionTiler::createRowTile() {
  query = loadDotOperand(op.getQuery(), op.getQueryMap(), frame.dims.row, DimRole::head_dim, 0, 2);
  Value sink;
  if (op.getSink())
    sink = loadRows(rewriter, loc, frame, op.getSink(), op.getSinkMap());
  SoftmaxState state =
      createInitialState(rewriter, loc, op.getAccumulationType(), rewriter.getIndexAttr(frame.rows),
                         frame.getRoleSize(rewriter, loc, DimRole::value_dim), sink);
  SmallVector<unsigned> outer = op.getDims(DimRole::key);
  llvm::erase(outer, *frame.dims.column);
  state = createOuterKeyLoops(outer, state);

  SoftmaxResult result =
      createFinish(rewriter, loc, state, createEmptyRowsAreNaN(), bool(op.getLse()));
  SmallVector<Value> tiles = {
      convertTile(rewriter, loc, result.output, getElementTypeOrSelf(op.getOutput().getType()))};
  if (op.getLse())
    tiles.push_back(result.lse);
  if (op.getRowMax())
    tiles.push_back(result.max);
  SmallVector<TileStore> stores;
  for (auto [i, tile] : llvm::enumerate(tiles))
    stores.push_back(createStore(rewriter, loc, frame, tile, op.getResultMap(i)));
  return stores;
}
