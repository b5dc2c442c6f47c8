//===- AttentionGradient.cpp - The gradient of one element of the scores --===//

#include "fa/Differentiate/AttentionGradient.h"
#include "fa/Differentiate/ScalarDerivative.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::fa;

/// Fails if `region` gets its result from one of `inputs` through an op without a derivative.
static LogicalResult checkRegion(AttentionBackwardOp op, Region &region, StringRef name,
                                 ValueRange inputs) {
  Value result = cast<YieldOp>(region.front().getTerminator()).getValue();
  Operation *culprit = findUndifferentiable(result, inputs);
  if (!culprit)
    return success();
  InFlightDiagnostic error = op.emitOpError()
                             << "cannot be differentiated: " << culprit->getName() << " in the "
                             << name << " region has no derivative here";
  error.attachNote(culprit->getLoc()) << "this operation";
  return error;
}

LogicalResult fa::checkDifferentiable(AttentionBackwardOp op) {
  bool needsScore = op.getGradient(0) || op.getGradient(1);
  auto getInputs = [&](Region &region) {
    SmallVector<Value> inputs;
    if (needsScore || &region == &op.getProbability())
      inputs.push_back(region.getArgument(0));
    for (unsigned i = 0, e = op.getExtras().size(); i < e; ++i)
      if (op.getGradient(3 + i))
        inputs.push_back(region.getArgument(1 + op.getIndexedDims().size() + i));
    return inputs;
  };
  if (failed(checkRegion(op, op.getScore(), "score", getInputs(op.getScore()))))
    return failure();
  if (!op.hasProbabilityRegion())
    return success();
  return checkRegion(op, op.getProbability(), "probability", getInputs(op.getProbability()));
}

static Value createConstant(OpBuilder &builder, Location loc, Type type, double value) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
}

/// `value`, or 0 where `compared` is `none`.
static Value zeroWhere(OpBuilder &builder, Location loc, Value compared, double none, Value value) {
  Value isNone = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, compared,
                                       createConstant(builder, loc, compared.getType(), none));
  Value zero = createConstant(builder, loc, value.getType(), 0);
  return arith::SelectOp::create(builder, loc, isNone, zero, value);
}

static constexpr double kNegativeInfinity = -std::numeric_limits<double>::infinity();

Value fa::createWeight(OpBuilder &builder, Location loc, Value score, Value lse) {
  Value weight = math::ExpOp::create(builder, loc, arith::SubFOp::create(builder, loc, score, lse));
  return zeroWhere(builder, loc, score, kNegativeInfinity, weight);
}

Value fa::createElementGradient(OpBuilder &builder, Location loc, const ElementValues &values,
                                std::optional<unsigned> input) {
  SmallVector<Value> inputs;
  if (input)
    inputs.push_back(values.extras[*input]);
  Value weightGradient = values.weightGradient, sum;
  if (values.probability.result) {
    inputs.push_back(values.probability.argument);
    SmallVector<Value> gradients =
        createGradients(builder, values.probability.result, weightGradient, inputs);
    weightGradient = gradients.back();
    if (!weightGradient) // a region that ignores its argument
      weightGradient = createConstant(builder, loc, values.weight.getType(), 0);
    if (input)
      sum = gradients.front();
  }
  Value difference = arith::SubFOp::create(builder, loc, weightGradient, values.delta);
  Value seed = arith::MulFOp::create(builder, loc, values.weight, difference);
  Value wanted = input ? values.extras[*input] : values.score.argument;
  Value product = createGradients(builder, values.score.result, seed, wanted).front();
  if (sum && product)
    sum = arith::AddFOp::create(builder, loc, sum, product);
  else if (!sum)
    sum = product ? product : createConstant(builder, loc, values.weight.getType(), 0);
  return zeroWhere(builder, loc, values.weight, 0, sum);
}

Value fa::createSinkGradient(OpBuilder &builder, Location loc, Value sink, Value lse, Value delta) {
  Value weight = math::ExpOp::create(builder, loc, arith::SubFOp::create(builder, loc, sink, lse));
  Value product = arith::MulFOp::create(builder, loc, weight, delta);
  Value gradient = arith::NegFOp::create(builder, loc, product);
  return zeroWhere(builder, loc, sink, kNegativeInfinity, gradient);
}
