//===- ExpandBackward.cpp - The gradient on whole tensors -----------------===//

#include "WholeTensors.h"
#include "fa/Dialect/Attention/UnitDims.h"
#include "fa/Differentiate/AttentionGradient.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Creates the gradients of one op.
class BackwardExpander {
public:
  BackwardExpander(OpBuilder &builder, AttentionBackwardOp op) : op(op), whole(builder, op) {}

  SmallVector<Value> create();

private:
  WholeValue createDelta();
  WholeValue createElementGradients(std::optional<unsigned> extra);
  WholeValue createGradient(unsigned number);
  WholeValue reduceTo(WholeValue value, AffineMap map);

  WholeValue getOutput() { return {op.getOutput(), op.getOutputMap()}; }
  WholeValue getLse() { return {op.getLse(), op.getLseMap()}; }
  WholeValue getDOutput() { return {op.getDOutput(), op.getDOutputMap()}; }

  AttentionBackwardOp op;
  WholeTensors whole;
  WholeValue scores, weights, probabilities, weightGradients, delta;
};
} // namespace

/// Δ = rowsum(dO∘O) − dLSE.
WholeValue BackwardExpander::createDelta() {
  WholeValue sums = whole.createProduct(getDOutput(), getOutput(), whole.getRowMap());
  if (!op.getDLse())
    return sums;
  WholeValue dLse = {op.getDLse(), op.getDLseMap()};
  return whole.create({sums, dLse}, whole.getRowMap(),
                      [](OpBuilder &b, Location l, ValueRange v) -> Value {
                        return arith::SubFOp::create(b, l, v[0], v[1]);
                      });
}

/// The gradient of every score, or every position's part of the gradient of an extra.
WholeValue BackwardExpander::createElementGradients(std::optional<unsigned> extra) {
  SmallVector<WholeValue> inputs = {scores, weights, weightGradients, delta};
  for (unsigned i = 0, e = op.getExtras().size(); i < e; ++i)
    inputs.push_back(whole.getOperand(3 + i));
  auto body = [&](OpBuilder &b, Location l, ValueRange v) {
    ElementValues values;
    values.weight = v[1];
    values.weightGradient = v[2];
    values.delta = v[3];
    values.extras = SmallVector<Value>(v.drop_front(4).drop_back());
    values.score = {v[0], whole.cloneRegion(b, l, op.getScore(), v[0], values.extras)};
    if (op.hasProbabilityRegion())
      values.probability = {v[1],
                            whole.cloneRegion(b, l, op.getProbability(), v[1], values.extras)};
    return createElementGradient(b, l, values, extra);
  };
  return whole.create(inputs, whole.getScoreMap(), body);
}

WholeValue BackwardExpander::reduceTo(WholeValue value, AffineMap map) {
  return whole.create(
      value, dropConstants(map),
      [](OpBuilder &b, Location l, ValueRange v) -> Value {
        return arith::AddFOp::create(b, l, v[1], v[0]);
      },
      0);
}

WholeValue BackwardExpander::createGradient(unsigned number) {
  AffineMap map = dropConstants(op.getMap(number));
  if (number < 2)
    return whole.createProduct(createElementGradients(std::nullopt), whole.getOperand(1 - number),
                               map);
  if (number == 2)
    return whole.createProduct(probabilities, getDOutput(), map);
  if (number < 3 + op.getExtras().size())
    return reduceTo(createElementGradients(number - 3), map);
  WholeValue rows = whole.create({whole.getOperand(number), getLse(), delta}, whole.getRowMap(),
                                 [](OpBuilder &b, Location l, ValueRange v) -> Value {
                                   return createSinkGradient(b, l, v[0], v[1], v[2]);
                                 });
  return reduceTo(rows, map);
}

SmallVector<Value> BackwardExpander::create() {
  scores = whole.createScores();
  weights = whole.create(
      {whole.createRegion(op.getScore(), scores), getLse()}, whole.getScoreMap(),
      [](OpBuilder &b, Location l, ValueRange v) { return createWeight(b, l, v[0], v[1]); });
  probabilities =
      op.hasProbabilityRegion() ? whole.createRegion(op.getProbability(), weights) : weights;
  weightGradients = whole.createProduct(getDOutput(), whole.getOperand(2), whole.getScoreMap());
  delta = createDelta();
  SmallVector<Value> results;
  for (auto [i, number] : llvm::enumerate(op.getWrt()))
    results.push_back(whole.finish(createGradient(number), op.getMap(number),
                                   cast<RankedTensorType>(op.getResult(i).getType())));
  return results;
}

SmallVector<Value> fa::expandAttentionBackward(OpBuilder &builder, AttentionBackwardOp op) {
  return BackwardExpander(builder, op).create();
}
