//===- BackwardRows.cpp - What a gradient needs for every query row -------===//

#include "BackwardTiler.h"
#include "fa/Tile/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// Δ of the current tile of rows: rowreduce(o·do) − dlse.
static Value createDeltaTile(OpBuilder &builder, Location loc, const TileFrame &frame,
                             AttentionBackwardOp op) {
  MLIRContext *context = builder.getContext();
  FloatType type = op.getAccumulationType();
  SmallVector<TileInput> factors;
  for (auto [tensor, map] : {std::pair<Value, AffineMap>(op.getOutput(), op.getOutputMap()),
                             std::pair<Value, AffineMap>(op.getDOutput(), op.getDOutputMap())}) {
    MatrixTile tile = loadMatrix(builder, loc, frame, tensor, map, frame.dims.row,
                                 op.getDims(DimRole::value_dim));
    AffineMap swap = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, context);
    factors.push_back({tile.value, tile.isTransposed ? swap : getTileMap(context)});
  }
  OpFoldResult rows = builder.getIndexAttr(frame.rows);
  OpFoldResult columns = frame.getRoleSize(builder, loc, DimRole::value_dim);
  Value products =
      createMap(builder, loc, factors, {rows, columns}, type,
                [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                  auto widen = [&](Value x) -> Value {
                    return x.getType() == type ? x : arith::ExtFOp::create(b, l, type, x);
                  };
                  return arith::MulFOp::create(b, l, widen(v[0]), widen(v[1]));
                });
  Value sums = createRowReduction(builder, loc, products, createFill(builder, loc, 0, type, rows),
                                  RowCombiner::Sum);
  if (!op.getDLse())
    return sums;
  AffineMap vector = getVectorMap(context);
  Value dLse = loadRows(builder, loc, frame, op.getDLse(), op.getDLseMap());
  return createMap(builder, loc, {{sums, vector}, {dLse, vector}}, rows, type,
                   [](OpBuilder &b, Location l, ValueRange v) -> Value {
                     return arith::SubFOp::create(b, l, v[0], v[1]);
                   });
}

RowTensor fa::createDelta(RewriterBase &rewriter, AttentionBackwardOp op, StringRef region) {
  Location loc = op.getLoc();
  TileFrame frame = TileFrame::create(rewriter, op, DimRole::query, DimRole::key);
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> upper, steps, shape;
  SmallVector<AffineExpr> exprs;
  SmallVector<unsigned> dims = op.getDims(DimRole::batch);
  llvm::append_range(dims, op.getDims(DimRole::query));
  for (unsigned dim : dims) {
    upper.push_back(frame.sizes[dim]);
    steps.push_back(dim == frame.dims.row ? rewriter.getIndexAttr(frame.rows) : one);
    exprs.push_back(rewriter.getAffineDimExpr(dim));
  }
  shape = upper;
  if (dims.empty()) {
    upper.push_back(one);
    steps.push_back(one);
  }
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, op.getAccumulationType());
  SmallVector<OpFoldResult> lower(upper.size(), zero);
  auto forall = scf::ForallOp::create(rewriter, loc, lower, upper, steps, empty,
                                      /*mapping=*/std::nullopt);
  forall->setDiscardableAttr(kRegionAttrName, rewriter.getStringAttr(region));
  for (auto [dim, variable] : llvm::zip(dims, forall.getInductionVars()))
    frame.offsets[dim] = variable;
  RowTensor delta = {forall.getResult(0),
                     AffineMap::get(op.getNumLoops(), 0, exprs, rewriter.getContext())};

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(forall.getTerminator());
  Value tile = createDeltaTile(rewriter, loc, frame, op);
  TileStore store = createStore(rewriter, loc, frame, tile, delta.map);
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  SmallVector<OpFoldResult> strides(store.offsets.size(), one);
  tensor::ParallelInsertSliceOp::create(rewriter, loc, store.tile, forall.getRegionIterArgs()[0],
                                        store.offsets, store.sizes, strides);
  return delta;
}

/// `map` over the dimensions of `loops` only, in their order.
static AffineMap restrictTo(AffineMap map, ArrayRef<unsigned> loops) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> renumbered(map.getNumDims(), getAffineConstantExpr(0, context));
  for (auto [i, dim] : llvm::enumerate(loops))
    renumbered[dim] = getAffineDimExpr(i, context);
  return map.replaceDimsAndSymbols(renumbered, {}, loops.size(), 0);
}

Value fa::createSinkGradientTensor(RewriterBase &rewriter, AttentionBackwardOp op,
                                   RowTensor delta) {
  Location loc = op.getLoc();
  FloatType type = op.getAccumulationType();
  SmallVector<unsigned> loops = op.getDims(DimRole::batch);
  llvm::append_range(loops, op.getDims(DimRole::query));
  AffineMap sinkMap = op.getSinkMap();
  SmallVector<OpFoldResult> shape;
  for (AffineExpr expr : sinkMap.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    shape.push_back(dim ? op.getLoopSize(rewriter, loc, dim.getPosition())
                        : rewriter.getIndexAttr(1));
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim : loops)
    iterators.push_back(sinkMap.isFunctionOfDim(dim) ? utils::IteratorType::parallel
                                                     : utils::IteratorType::reduction);
  SmallVector<AffineMap> maps;
  for (AffineMap map : {sinkMap, op.getLseMap(), delta.map, sinkMap})
    maps.push_back(restrictTo(map, loops));
  Value init = createFill(rewriter, loc, 0, type, shape);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, init.getType(), ValueRange{op.getSink(), op.getLse(), delta.value}, init, maps,
      iterators, [](OpBuilder &b, Location l, ValueRange v) {
        Value gradient = createSinkGradient(b, l, v[0], v[1], v[2]);
        linalg::YieldOp::create(b, l, arith::AddFOp::create(b, l, v[3], gradient).getResult());
      });
  auto element = cast<FloatType>(
      getElementTypeOrSelf(op.getGradient(op.getNumDifferentiable() - 1).getType()));
  return convertTile(rewriter, loc, sum.getResult(0), element);
}
