//===- AttentionTiler.cpp - The loop over query tiles and its body --------===//

#include "AttentionTiler.h"
#include "IndexArithmetic.h"
#include "fa/Tile/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// The largest of `dims`, where an unknown size counts as large; the last of equals.
static unsigned findLargest(AttentionOp op, ArrayRef<unsigned> dims) {
  unsigned largest = dims.front();
  auto size = [&](unsigned dim) {
    int64_t known = op.getStaticLoopSize(dim);
    return ShapedType::isDynamic(known) ? std::numeric_limits<int64_t>::max() : known;
  };
  for (unsigned dim : dims)
    if (size(dim) >= size(largest))
      largest = dim;
  return largest;
}

AttentionTiler::AttentionTiler(RewriterBase &rewriter, AttentionOp op)
    : rewriter(rewriter), loc(op.getLoc()), op(op) {
  ScheduleAttr schedule = op.getScheduleAttr();
  frame.op = op;
  frame.keys = schedule.getKeyTile();
  frame.dims.key = findLargest(op, op.getDims(DimRole::key));
  SmallVector<unsigned> queryDims = op.getDims(DimRole::query);
  if (!queryDims.empty()) {
    frame.dims.query = findLargest(op, queryDims);
    frame.rows = schedule.getQueryTile();
  }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    frame.sizes.push_back(op.getLoopSize(rewriter, loc, dim));
  frame.offsets.assign(op.getNumLoops(), rewriter.getIndexAttr(0));
  conditions = findKeyConditions(op, frame.dims);
}

/// The loop dimensions of the forall, with bounds and steps; the tiled one comes last.
SmallVector<unsigned> AttentionTiler::setUpLoops(SmallVectorImpl<OpFoldResult> &upper,
                                                 SmallVectorImpl<OpFoldResult> &steps) {
  SmallVector<unsigned> loops = op.getDims(DimRole::batch);
  for (unsigned dim : op.getDims(DimRole::query))
    if (dim != frame.dims.query)
      loops.push_back(dim);
  if (frame.dims.query)
    loops.push_back(*frame.dims.query);
  for (unsigned dim : loops) {
    upper.push_back(frame.sizes[dim]);
    steps.push_back(rewriter.getIndexAttr(dim == frame.dims.query ? frame.rows : 1));
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

/// The number of value columns of a tile.
OpFoldResult AttentionTiler::getColumns() {
  IndexArithmetic math(rewriter, loc);
  Value columns = math.get(1);
  for (unsigned dim : op.getDims(DimRole::value_dim))
    columns = rewriter.createOrFold<arith::MulIOp>(loc, columns, math.get(frame.sizes[dim]));
  return getAsOpFoldResult(columns);
}

/// `tile` in the element type of the tensor type `type`, whatever is wider.
static Value narrow(OpBuilder &builder, Location loc, Value tile, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element == getElementTypeOrSelf(tile.getType()))
    return tile;
  return createMap(builder, loc, {{tile, getTileMap(builder.getContext())}},
                   getShape(builder, loc, tile), element,
                   [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                     if (element.getIntOrFloatBitWidth() > v[0].getType().getIntOrFloatBitWidth())
                       return arith::ExtFOp::create(b, l, element, v[0]);
                     return arith::TruncFOp::create(b, l, element, v[0]);
                   });
}

/// The body of the forall: the tiles to store, one per result.
SmallVector<TileStore> AttentionTiler::createRowTile() {
  query =
      loadDotOperand(op.getQuery(), op.getQueryMap(), frame.dims.query, DimRole::head_dim, 0, 2);
  Value sink;
  if (op.getSink())
    sink = loadRows(rewriter, loc, frame, op.getSink(), op.getSinkMap());
  SoftmaxState state = createInitialState(rewriter, loc, op.getAccumulationType(),
                                          rewriter.getIndexAttr(frame.rows), getColumns(), sink);
  SmallVector<unsigned> outer = op.getDims(DimRole::key);
  llvm::erase(outer, frame.dims.key);
  state = createOuterKeyLoops(outer, state);

  SoftmaxResult result =
      createFinish(rewriter, loc, state, createEmptyRowsAreNaN(), bool(op.getLse()));
  SmallVector<Value> tiles = {narrow(rewriter, loc, result.output, op.getOutput().getType())};
  if (op.getLse())
    tiles.push_back(result.lse);
  if (op.getRowMax())
    tiles.push_back(result.max);
  SmallVector<TileStore> stores;
  for (auto [i, tile] : llvm::enumerate(tiles))
    stores.push_back(createStore(rewriter, loc, frame, tile, op.getResultMap(i)));
  return stores;
}
