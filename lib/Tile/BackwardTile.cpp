//===- BackwardTile.cpp - One tile of a gradient: keys x queries ----------===//

#include "BackwardTiler.h"
#include "IndexArithmetic.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// The map of a dot's operand whose axes are the loops `first` and `second` of (i, j, k).
static AffineMap getDotMap(MLIRContext *context, unsigned first, unsigned second) {
  return AffineMap::get(3, 0, {getAffineDimExpr(first, context), getAffineDimExpr(second, context)},
                        context);
}

TileInput BackwardTiler::viewAs(MatrixTile tile, unsigned axisLoop, unsigned groupLoop) {
  if (tile.isTransposed)
    std::swap(axisLoop, groupLoop);
  return {tile.value, getDotMap(rewriter.getContext(), axisLoop, groupLoop)};
}

MatrixTile BackwardTiler::loadMatrixOf(unsigned operand, std::optional<unsigned> axis,
                                       DimRole role) {
  return loadMatrix(rewriter, loc, frame, op->getOperand(operand), op.getMap(operand), axis,
                    op.getDims(role));
}

/// A value per query, as an input of maps over (keys, queries).
TileInput BackwardTiler::loadRowValue(Value tensor, AffineMap map) {
  TileInput input = loadScoreOperand(rewriter, loc, frame, tensor, map);
  if (!input.map)
    input.map = AffineMap::get(2, 0, rewriter.getContext());
  return input;
}

Value BackwardTiler::createZeros(OpFoldResult rows, OpFoldResult columns) {
  return createFill(rewriter, loc, 0, op.getAccumulationType(), {rows, columns});
}

/// Inputs of a map: `inputs`, then every extra operand; a scalar is an input too, so that no two
/// arguments of a region are the same value.
static SmallVector<TileInput> withExtras(ArrayRef<TileInput> inputs, ArrayRef<TileInput> extras) {
  SmallVector<TileInput> all(inputs);
  for (TileInput extra : extras) {
    if (!extra.map)
      extra.map = AffineMap::get(2, 0, inputs[0].value.getContext());
    all.push_back(extra);
  }
  return all;
}

/// P = exp(S' − LSE); 0 where a key is masked or does not exist.
RegionTile BackwardTiler::createWeights(const TileValues &values, const RegionInputs &inputs) {
  RegionTile weights{Value(), inputs.numRows || inputs.numColumns};
  auto body = [&](OpBuilder &b, Location l, ValueRange v) {
    Value score = createRegionCode(b, l, frame, op.getScore(), v[0], v.drop_front(2), inputs.folded,
                                   weights.hasMask);
    return createWeight(b, l, maskPadding(b, l, frame, score, inputs), v[1]);
  };
  weights.value =
      createMap(rewriter, loc, withExtras({values.scores, values.lse}, inputs.extras),
                getShape(rewriter, loc, values.scores.value), op.getAccumulationType(), body);
  return weights;
}

/// dS of the tile, or what its elements add to the gradient of an extra operand.
Value BackwardTiler::createGradientTile(const TileValues &values, const RegionInputs &inputs,
                                        std::optional<unsigned> extra) {
  bool hasMask = false;
  auto body = [&](OpBuilder &b, Location l, ValueRange v) {
    ElementValues element;
    element.weight = v[1];
    element.weightGradient = v[2];
    element.delta = v[3];
    element.extras = SmallVector<Value>(v.drop_front(4));
    element.score = {v[0], createRegionCode(b, l, frame, op.getScore(), v[0], element.extras,
                                            inputs.folded, hasMask)};
    if (op.hasProbabilityRegion())
      element.probability = {v[1], createRegionCode(b, l, frame, op.getProbability(), v[1],
                                                    element.extras, {}, hasMask)};
    return createElementGradient(b, l, element, extra);
  };
  SmallVector<TileInput> operands = {values.scores, values.weights, values.weightGradients,
                                     values.delta};
  return createMap(rewriter, loc, withExtras(operands, inputs.extras),
                   getShape(rewriter, loc, values.scores.value), op.getAccumulationType(), body);
}

/// Undoes the collapsing of several dimensions into one side of a matrix; `axes` are the loop
/// dimensions of the result, of which all but number `axis` were collapsed.
static Value expandSide(OpBuilder &builder, Location loc, const TileFrame &frame, Value tile,
                        ArrayRef<std::optional<unsigned>> axes, unsigned axis) {
  if (axes.size() == 2)
    return tile;
  unsigned axisSide = axis == 0 ? 0 : 1;
  SmallVector<OpFoldResult> shape;
  SmallVector<ReassociationIndices> reassociation(2);
  for (auto [i, dim] : llvm::enumerate(axes)) {
    reassociation[i == axis ? axisSide : 1 - axisSide].push_back(i);
    shape.push_back(i == axis ? tensor::getMixedSize(builder, loc, tile, axisSide)
                              : frame.sizes[*dim]);
  }
  auto type = cast<RankedTensorType>(tile.getType());
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(decomposeMixedValues(shape).first),
                                       tile, reassociation, shape);
}

/// Adds a matrix with all dimensions of `role` collapsed on one side, and `axis` on the other.
void BackwardTiler::addGroup(State &state, unsigned operand, Value tile, DimRole role,
                             bool isGroupFirst, std::optional<unsigned> axis) {
  unsigned sum = *findSum(operand);
  SmallVector<unsigned> dims = op.getDims(role);
  SmallVector<std::optional<unsigned>> axes(dims.begin(), dims.end());
  if (dims.empty())
    axes.push_back(std::nullopt);
  unsigned position = isGroupFirst ? axes.size() : 0;
  axes.insert(axes.begin() + position, axis);
  tile = expandSide(rewriter, loc, frame, tile, axes, position);
  state.sums[sum] = gradients[sum].sum.add(rewriter, loc, frame, state.sums[sum], tile, axes);
}

RegionInputs BackwardTiler::createInputs(bool isFull) {
  std::optional<unsigned> query = frame.dims.column;
  frame.hasWholeColumns = isFull || (query && frame.isDivisible(*query));
  loadExtras(rewriter, loc, frame, /*perColumn=*/true, extras);
  RegionInputs inputs;
  inputs.extras = extras;
  if (isFull)
    inputs.folded = conditions;
  IndexArithmetic math(rewriter, loc);
  if (!frame.hasWholeRows)
    inputs.numRows = math.get(frame.sizes[*frame.dims.row]);
  if (query && !frame.hasWholeColumns)
    inputs.numColumns = math.get(frame.sizes[*query]);
  return inputs;
}

/// Loads the queries, and computes what every gradient of the tile needs: two of the products.
BackwardTiler::TileValues BackwardTiler::createValues(const RegionInputs &inputs) {
  std::optional<unsigned> query = frame.dims.column;
  OpFoldResult rows = rewriter.getIndexAttr(frame.rows);
  OpFoldResult columns = rewriter.getIndexAttr(frame.columns);
  AffineMap tileMap = getTileMap(rewriter.getContext());
  TileValues values;
  values.query = loadMatrixOf(0, query, DimRole::head_dim);
  values.dOutput = loadMatrix(rewriter, loc, frame, op.getDOutput(), op.getDOutputMap(), query,
                              op.getDims(DimRole::value_dim));
  values.lse = loadRowValue(op.getLse(), op.getLseMap());
  values.delta = loadRowValue(delta.value, delta.map);
  values.scores = {createDot(rewriter, loc, viewAs(keyTile, 0, 2), viewAs(values.query, 1, 2),
                             createZeros(rows, columns)),
                   tileMap};
  RegionTile weights = createWeights(values, inputs);
  values.weights = {weights.value, tileMap};
  values.hasMask = weights.hasMask;
  values.weightGradients = {createDot(rewriter, loc, viewAs(valueTile, 0, 2),
                                      viewAs(values.dOutput, 1, 2), createZeros(rows, columns)),
                            tileMap};
  return values;
}

/// dV += P'·dO.
void BackwardTiler::addValueGradient(State &state, const TileValues &values) {
  RegionInputs plain;
  plain.extras = extras;
  Value weighted = values.weights.value;
  if (op.hasProbabilityRegion())
    weighted = createRegionMap(rewriter, loc, frame, op.getProbability(), weighted, plain).value;
  state.dValue =
      createDot(rewriter, loc, {weighted, getDotMap(rewriter.getContext(), 0, 2)},
                viewAs(values.dOutput, 2, 1), state.dValue, values.getZeroFactor(/*isLeft=*/true));
}

/// dK += dS·Q, dQ += dS·K.
void BackwardTiler::addScoreGradients(State &state, const TileValues &values,
                                      const RegionInputs &inputs) {
  MLIRContext *context = rewriter.getContext();
  Value gradient = createGradientTile(values, inputs, std::nullopt);
  if (state.dKey)
    state.dKey =
        createDot(rewriter, loc, {gradient, getDotMap(context, 0, 2)}, viewAs(values.query, 2, 1),
                  state.dKey, values.getZeroFactor(/*isLeft=*/true));
  if (!findSum(0))
    return;
  OpFoldResult headDim = frame.getRoleSize(rewriter, loc, DimRole::head_dim);
  Value zeros = createZeros(headDim, rewriter.getIndexAttr(frame.columns));
  Value tile = createDot(rewriter, loc, viewAs(keyTile, 2, 0), {gradient, getDotMap(context, 2, 1)},
                         zeros, values.getZeroFactor(/*isLeft=*/false));
  addGroup(state, 0, tile, DimRole::head_dim, /*isGroupFirst=*/true, frame.dims.column);
}

/// The five products of one tile, and what it adds to the gradients of extra operands.
BackwardTiler::State BackwardTiler::createTile(State state, bool isFull) {
  RegionInputs inputs = createInputs(isFull);
  TileValues values = createValues(inputs);
  if (state.dValue)
    addValueGradient(state, values);
  if (findSum(0) || findSum(1))
    addScoreGradients(state, values, inputs);
  for (unsigned i = 0, e = op.getExtras().size(); i < e; ++i)
    if (std::optional<unsigned> sum = findSum(3 + i))
      state.sums[*sum] = gradients[*sum].sum.add(rewriter, loc, frame, state.sums[*sum],
                                                 createGradientTile(values, inputs, i),
                                                 {frame.dims.row, frame.dims.column});
  return state;
}
