//===- ExpandAttention.cpp - fa-expand-attention --------------------------===//

#include "WholeTensors.h"
#include "fa/Dialect/Attention/UnitDims.h"
#include "fa/Differentiate/AttentionGradient.h"
#include "fa/Reference/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_EXPANDATTENTION
#include "fa/Reference/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Value createConstant(OpBuilder &builder, Location loc, Type type, double value) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
}

/// `value`, or where the row has no key `replacement`, if that is not null.
static Value selectEmpty(OpBuilder &b, Location l, Value max, Value replacement, Value value) {
  Value isEmpty = arith::CmpFOp::create(b, l, arith::CmpFPredicate::OEQ, max,
                                        createConstant(b, l, max.getType(), -kInfinity));
  return arith::SelectOp::create(b, l, isEmpty, replacement, value);
}

namespace {
/// The forward op's statistics, per row.
struct Softmax {
  WholeValue max, sum, weights;
};
} // namespace

static Softmax createSoftmax(WholeTensors &whole, AttentionOp op, WholeValue scores) {
  Softmax softmax;
  softmax.max = whole.create(
      scores, whole.getRowMap(),
      [](OpBuilder &b, Location l, ValueRange v) -> Value {
        return arith::MaximumFOp::create(b, l, v[0], v[1]);
      },
      -kInfinity);
  WholeValue sink;
  if (op.getSink()) {
    sink = {op.getSink(), op.getSinkMap()};
    softmax.max = whole.create({softmax.max, sink}, whole.getRowMap(),
                               [](OpBuilder &b, Location l, ValueRange v) -> Value {
                                 return arith::MaximumFOp::create(b, l, v[0], v[1]);
                               });
  }
  // Without a guard an empty row has exp(−inf − −inf) = NaN.
  bool isGuarded = op.getEmptyRows() == EmptyRows::zero;
  auto exponential = [&](OpBuilder &b, Location l, ValueRange v) -> Value {
    Value subtracted = v[1];
    if (isGuarded)
      subtracted = selectEmpty(b, l, v[1], createConstant(b, l, whole.getType(), 0), v[1]);
    return math::ExpOp::create(b, l, arith::SubFOp::create(b, l, v[0], subtracted));
  };
  softmax.weights = whole.create({scores, softmax.max}, whole.getScoreMap(), exponential);
  auto add = [](OpBuilder &b, Location l, ValueRange v) -> Value {
    return arith::AddFOp::create(b, l, v[0], v[1]);
  };
  softmax.sum = whole.create(softmax.weights, whole.getRowMap(), add, 0);
  if (sink.value) {
    WholeValue weight = whole.create({sink, softmax.max}, whole.getRowMap(), exponential);
    softmax.sum = whole.create({softmax.sum, weight}, whole.getRowMap(), add);
  }
  softmax.weights = whole.create({softmax.weights, softmax.sum}, whole.getScoreMap(),
                                 [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                                   Value quotient = arith::DivFOp::create(b, l, v[0], v[1]);
                                   if (!isGuarded)
                                     return quotient;
                                   Value zero = createConstant(b, l, whole.getType(), 0);
                                   Value isEmpty = arith::CmpFOp::create(
                                       b, l, arith::CmpFPredicate::OEQ, v[1], zero);
                                   return arith::SelectOp::create(b, l, isEmpty, zero, quotient);
                                 });
  return softmax;
}

/// LSE = max + ln(sum): −inf for a row without keys, NaN if `empty_rows` says so.
static WholeValue createLse(WholeTensors &whole, const Softmax &softmax) {
  return whole.create({softmax.max, softmax.sum}, whole.getRowMap(),
                      [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                        Value log = math::LogOp::create(b, l, v[1]);
                        return arith::AddFOp::create(b, l, v[0], log);
                      });
}

SmallVector<Value> fa::expandAttention(OpBuilder &builder, AttentionOp op) {
  WholeTensors whole(builder, op);
  Softmax softmax =
      createSoftmax(whole, op, whole.createRegion(op.getScore(), whole.createScores()));
  WholeValue weights = softmax.weights;
  if (op.hasProbabilityRegion())
    weights = whole.createRegion(op.getProbability(), weights);
  AffineMap outputMap = dropConstants(op.getResultMap(0));
  SmallVector<WholeValue> values = {whole.createProduct(weights, whole.getOperand(2), outputMap)};
  if (op.getLse())
    values.push_back(createLse(whole, softmax));
  if (op.getRowMax())
    values.push_back(softmax.max);
  if (op.getProbabilities())
    values.push_back(softmax.weights);
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(values)) {
    AffineMap map = op.getResultMap(i);
    if (value.map != dropConstants(map)) // in another order
      value = whole.create(value, dropConstants(map),
                           [](OpBuilder &, Location, ValueRange v) { return v[0]; });
    results.push_back(whole.finish(value, map, cast<RankedTensorType>(op.getResult(i).getType())));
  }
  return results;
}

namespace {
struct ExpandAttention : fa::impl::ExpandAttentionBase<ExpandAttention> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](AttentionInterface op) { ops.push_back(op); });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      SmallVector<Value> results;
      if (auto backward = dyn_cast<AttentionBackwardOp>(op)) {
        if (failed(checkDifferentiable(backward)))
          return signalPassFailure();
        results = expandAttentionBackward(builder, backward);
      } else {
        results = expandAttention(builder, cast<AttentionOp>(op));
      }
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};
} // namespace
