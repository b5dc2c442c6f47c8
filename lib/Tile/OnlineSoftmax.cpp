//===- OnlineSoftmax.cpp - The recurrence of online softmax ---------------===//

#include "OnlineSoftmax.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::fa;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static FloatType getStateType(const SoftmaxState &state) {
  return cast<FloatType>(getElementTypeOrSelf(state.max.getType()));
}

/// max == −inf, elementwise.
static Value isEmpty(OpBuilder &builder, Location loc, Value max) {
  Value none = createFloat(builder, loc, -kInfinity, cast<FloatType>(max.getType()));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, max, none);
}

/// An elementwise map over row vectors.
static Value mapRows(OpBuilder &builder, Location loc, ValueRange rows, TileBody body) {
  SmallVector<TileInput> inputs;
  for (Value row : rows)
    inputs.push_back({row, getVectorMap(builder.getContext())});
  return createMap(builder, loc, inputs, getShape(builder, loc, rows[0]),
                   getElementTypeOrSelf(rows[0].getType()), body);
}

/// What is subtracted from scores: the maximum, or 0 in a row without a key.
static Value createSafeMax(OpBuilder &builder, Location loc, Value max) {
  return mapRows(builder, loc, max, [](OpBuilder &b, Location l, ValueRange v) -> Value {
    Value zero = createFloat(b, l, 0, cast<FloatType>(v[0].getType()));
    return arith::SelectOp::create(b, l, isEmpty(b, l, v[0]), zero, v[0]);
  });
}

/// exp(value − safe) for row vectors.
static Value createRowExp(OpBuilder &builder, Location loc, Value value, Value safe) {
  return mapRows(builder, loc, {value, safe}, [](OpBuilder &b, Location l, ValueRange v) -> Value {
    return math::ExpOp::create(b, l, arith::SubFOp::create(b, l, v[0], v[1]));
  });
}

static Value multiplyRows(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return mapRows(builder, loc, {lhs, rhs}, [](OpBuilder &b, Location l, ValueRange v) -> Value {
    return arith::MulFOp::create(b, l, v[0], v[1]);
  });
}

/// Scales every row of `tile` by its element of the row vector `factor`.
static Value scaleRows(OpBuilder &builder, Location loc, Value tile, Value factor) {
  MLIRContext *context = builder.getContext();
  return createMap(builder, loc, {{tile, getTileMap(context)}, {factor, getRowMap(context)}},
                   getShape(builder, loc, tile), getElementTypeOrSelf(tile.getType()),
                   [](OpBuilder &b, Location l, ValueRange v) -> Value {
                     return arith::MulFOp::create(b, l, v[0], v[1]);
                   });
}

SoftmaxState fa::createInitialState(OpBuilder &builder, Location loc, FloatType type,
                                    OpFoldResult rows, OpFoldResult columns, Value sink) {
  SoftmaxState state;
  state.acc = createFill(builder, loc, 0, type, {rows, columns});
  state.max = sink ? sink : createFill(builder, loc, -kInfinity, type, rows);
  state.sum = createFill(builder, loc, sink ? 1 : 0, type, rows);
  return state;
}

SoftmaxState fa::createStep(OpBuilder &builder, Location loc, SoftmaxState state, Value scores,
                            TileInput values, ZeroFactor zero, function_ref<Value(Value)> weigh) {
  MLIRContext *context = builder.getContext();
  SoftmaxState next;
  next.max = createRowReduction(builder, loc, scores, state.max, RowCombiner::Maximum);
  Value safe = createSafeMax(builder, loc, next.max);
  Value weights = createMap(
      builder, loc, {{scores, getTileMap(context)}, {safe, getRowMap(context)}},
      getShape(builder, loc, scores), getStateType(state),
      [](OpBuilder &b, Location l, ValueRange v) {
        return math::ExpOp::create(b, l, arith::SubFOp::create(b, l, v[0], v[1])).getResult();
      });
  Value alpha = createRowExp(builder, loc, state.max, safe);
  next.sum = createRowReduction(builder, loc, weights, multiplyRows(builder, loc, state.sum, alpha),
                                RowCombiner::Sum);
  AffineExpr row = getAffineDimExpr(0, context), key = getAffineDimExpr(2, context);
  next.acc = createDot(builder, loc, {weigh(weights), AffineMap::get(3, 0, {row, key}, context)},
                       values, scaleRows(builder, loc, state.acc, alpha), zero);
  return next;
}

/// `value`, or in a row without a key `emptyValue`, or NaN if `isNan` holds.
static Value selectEmpty(OpBuilder &builder, Location loc, Value max, Value isNan,
                         double emptyValue, Value value) {
  auto type = cast<FloatType>(value.getType());
  Value replacement = createFloat(builder, loc, emptyValue, type);
  if (isNan) {
    Value nan = createFloat(builder, loc, std::numeric_limits<double>::quiet_NaN(), type);
    replacement = arith::SelectOp::create(builder, loc, isNan, nan, replacement);
  }
  return arith::SelectOp::create(builder, loc, isEmpty(builder, loc, max), replacement, value);
}

SoftmaxResult fa::createFinish(OpBuilder &builder, Location loc, SoftmaxState state, Value isNan,
                               bool wantsLse) {
  MLIRContext *context = builder.getContext();
  SoftmaxResult result;
  result.max = state.max;
  result.output = createMap(builder, loc,
                            {{state.acc, getTileMap(context)},
                             {state.sum, getRowMap(context)},
                             {state.max, getRowMap(context)}},
                            getShape(builder, loc, state.acc), getStateType(state),
                            [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                              Value quotient = arith::DivFOp::create(b, l, v[0], v[1]);
                              return selectEmpty(b, l, v[2], isNan, 0, quotient);
                            });
  if (!wantsLse)
    return result;
  result.lse = mapRows(builder, loc, {state.max, state.sum},
                       [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                         Value sum = math::LogOp::create(b, l, v[1]);
                         Value lse = arith::AddFOp::create(b, l, v[0], sum);
                         return selectEmpty(b, l, v[0], isNan, -kInfinity, lse);
                       });
  return result;
}
