//===- ColumnRanges.cpp - Conditions on positions as bounds on the key -------===//

#include "ColumnRanges.h"
#include "IndexArithmetic.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// What the bounds of one tile are computed from.
struct RangeInputs {
  Value firstRow;   ///< index; null without a tiled row dimension
  int64_t rows = 1; ///< rows of a tile
  int64_t columns = 1;
  OpFoldResult numColumns;
  /// The value, an index, of an argument that is not a tiled position.
  function_ref<Value(BlockArgument)> getValue;
  /// The size, an index, of the loop dimension that a position counts.
  function_ref<OpFoldResult(BlockArgument)> getSize;
};

/// Bounds on the column for one tile of rows; null where there is none.
struct KeyBounds {
  Value low, high;         ///< outside [low, high) the condition fails for every row
  Value fullLow, fullHigh; ///< inside [fullLow, fullHigh) it holds for every row
};

/// Turns conditions into bounds for one tile.
class BoundsBuilder {
public:
  BoundsBuilder(OpBuilder &builder, Location loc, AttentionInterface op, TiledDims dims,
                const RangeInputs &inputs)
      : math(builder, loc), inputs(inputs) {
    for (auto [i, dim] : llvm::enumerate(op.getIndexedDims())) {
      BlockArgument argument = op.getScore().getArgument(1 + i);
      if (dim == dims.column)
        column = argument;
      if (dim == dims.row)
        row = argument;
    }
  }

  KeyBounds create(const PositionCondition &condition);
  ColumnRange createRange(const KeyBounds &bounds);
  KeyBounds intersect(KeyBounds lhs, KeyBounds rhs) const;

private:
  KeyBounds createLinear(const LinearForm &form);
  Value createNoWrap(const LinearForm &form);
  KeyBounds unite(KeyBounds lhs, KeyBounds rhs) const;

  IndexArithmetic math;
  const RangeInputs &inputs;
  BlockArgument column, row;
};
} // namespace

/// `combine` of two values that may be missing.
static Value combineIfAny(Value lhs, Value rhs, function_ref<Value(Value, Value)> combine) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return combine(lhs, rhs);
}

KeyBounds BoundsBuilder::intersect(KeyBounds lhs, KeyBounds rhs) const {
  auto max = [&](Value a, Value b) { return math.max(a, b); };
  auto min = [&](Value a, Value b) { return math.min(a, b); };
  return {combineIfAny(lhs.low, rhs.low, max), combineIfAny(lhs.high, rhs.high, min),
          combineIfAny(lhs.fullLow, rhs.fullLow, max),
          combineIfAny(lhs.fullHigh, rhs.fullHigh, min)};
}

KeyBounds BoundsBuilder::unite(KeyBounds lhs, KeyBounds rhs) const {
  KeyBounds bounds;
  if (lhs.low && rhs.low)
    bounds.low = math.min(lhs.low, rhs.low);
  if (lhs.high && rhs.high)
    bounds.high = math.max(lhs.high, rhs.high);
  // A union of intervals is one only where both are open on the same side.
  bounds.fullLow = lhs.fullLow;
  bounds.fullHigh = lhs.fullHigh;
  if (!lhs.fullLow && !rhs.fullLow)
    bounds.fullHigh = lhs.fullHigh && rhs.fullHigh ? math.max(lhs.fullHigh, rhs.fullHigh) : Value();
  else if (!lhs.fullHigh && !rhs.fullHigh)
    bounds.fullLow = lhs.fullLow && rhs.fullLow ? math.min(lhs.fullLow, rhs.fullLow) : Value();
  return bounds;
}

KeyBounds BoundsBuilder::create(const PositionCondition &condition) {
  if (condition.kind == PositionCondition::Kind::NonNegative)
    return createLinear(condition.form);
  bool isAll = condition.kind == PositionCondition::Kind::All;
  KeyBounds bounds = create(condition.operands.front());
  for (const PositionCondition &operand : llvm::drop_begin(condition.operands))
    bounds = isAll ? intersect(bounds, create(operand)) : unite(bounds, create(operand));
  return bounds;
}

/// An i1 that holds if no step of the region's arithmetic wraps around; null if that is known.
Value BoundsBuilder::createNoWrap(const LinearForm &form) {
  Value holds;
  for (const LinearForm::Term &term : form.terms) {
    int64_t limit = form.getLimit(term);
    Type type = term.argument.getType();
    Value lower, upper;
    if (isPosition(term.argument)) {
      OpFoldResult size = inputs.getSize(term.argument);
      // No tensor has 2^40 elements along a dimension of unknown size.
      int64_t known = getConstantIntValue(size).value_or(int64_t(1) << 40);
      if (known <= limit)
        continue;
      upper = math.get(size);
    } else {
      if (type.isInteger() && type.getIntOrFloatBitWidth() <= 32 &&
          (int64_t(1) << (type.getIntOrFloatBitWidth() - 1)) <= limit)
        continue;
      lower = upper = inputs.getValue(term.argument);
    }
    Value fits = math.compare(arith::CmpIPredicate::sle, upper, math.get(limit));
    if (lower)
      fits = math.both(fits, math.compare(arith::CmpIPredicate::sge, lower, math.get(-limit)));
    holds = holds ? math.both(holds, fits) : fits;
  }
  return holds;
}

/// The bounds of form ≥ 0.
KeyBounds BoundsBuilder::createLinear(const LinearForm &form) {
  Value rest = math.get(form.constant);
  for (const LinearForm::Term &term : form.terms)
    if (term.argument != column && term.argument != row)
      rest = math.add(rest, math.mul(inputs.getValue(term.argument), term.coefficient));
  Value largest = rest, smallest = rest;
  if (int64_t slope = row ? form.getCoefficient(row) : 0) {
    Value atFirst = math.add(rest, math.mul(inputs.firstRow, slope));
    Value atLast = math.add(atFirst, math.get(slope * (inputs.rows - 1)));
    largest = slope > 0 ? atLast : atFirst;
    smallest = slope > 0 ? atFirst : atLast;
  }

  KeyBounds bounds;
  Value zero = math.get(0), numColumns = math.get(inputs.numColumns);
  int64_t slope = form.getCoefficient(column);
  if (slope == 0) {
    // The same for every column: all or none.
    auto allIf = [&](Value value) {
      return math.select(math.compare(arith::CmpIPredicate::sge, value, zero), numColumns, zero);
    };
    bounds.high = allIf(largest);
    bounds.fullHigh = allIf(smallest);
  } else if (slope < 0) {
    bounds.high = math.add(math.floorDiv(largest, -slope), math.get(1));
    bounds.fullHigh = math.add(math.floorDiv(smallest, -slope), math.get(1));
  } else {
    bounds.low = math.ceilDiv(math.sub(zero, largest), slope);
    bounds.fullLow = math.ceilDiv(math.sub(zero, smallest), slope);
  }
  Value holds = createNoWrap(form);
  if (!holds)
    return bounds;
  if (bounds.low)
    bounds.low = math.select(holds, bounds.low, zero);
  if (bounds.high)
    bounds.high = math.select(holds, bounds.high, numColumns);
  // Nothing is full.
  bounds.fullHigh = math.select(holds, bounds.fullHigh ? bounds.fullHigh : numColumns, zero);
  return bounds;
}

ColumnRange BoundsBuilder::createRange(const KeyBounds &bounds) {
  Value zero = math.get(0), numColumns = math.get(inputs.numColumns);
  auto clamp = [&](Value value) { return math.max(zero, math.min(value, numColumns)); };
  Value begin = zero, end = numColumns;
  if (bounds.low)
    begin = math.alignDown(clamp(bounds.low), inputs.columns);
  if (bounds.high)
    end = bounds.low ? math.max(begin, clamp(bounds.high)) : clamp(bounds.high);
  Value fullBegin = begin, fullEnd = end;
  if (bounds.fullLow) {
    Value aligned = math.alignUp(clamp(bounds.fullLow), inputs.columns);
    fullBegin = math.min(math.max(begin, aligned), end);
  }
  if (bounds.fullHigh)
    fullEnd = math.min(clamp(bounds.fullHigh), end);
  fullEnd = math.alignDown(fullEnd, inputs.columns);
  if (bounds.low || bounds.fullLow)
    fullEnd = math.max(fullBegin, fullEnd);
  return {getAsOpFoldResult(begin), getAsOpFoldResult(fullBegin), getAsOpFoldResult(fullEnd),
          getAsOpFoldResult(end)};
}

ColumnRange fa::createColumnRange(OpBuilder &builder, Location loc, const TileFrame &frame,
                                  ArrayRef<KeyCondition> conditions, ArrayRef<TileInput> extras) {
  IndexArithmetic math(builder, loc);
  AttentionInterface op = frame.op;
  SmallVector<unsigned> indexed = op.getIndexedDims();
  auto getValue = [&](BlockArgument argument) -> Value {
    unsigned number = argument.getArgNumber() - 1;
    if (number < indexed.size())
      return math.get(frame.offsets[indexed[number]]);
    Value scalar = extras[number - indexed.size()].value;
    if (scalar.getType().isIndex())
      return scalar;
    return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), scalar);
  };
  auto getSize = [&](BlockArgument argument) {
    return frame.sizes[indexed[argument.getArgNumber() - 1]];
  };
  RangeInputs inputs;
  if (frame.dims.row)
    inputs.firstRow = math.get(frame.offsets[*frame.dims.row]);
  inputs.rows = frame.rows;
  inputs.columns = frame.columns;
  inputs.numColumns = frame.sizes[*frame.dims.column];
  inputs.getValue = getValue;
  inputs.getSize = getSize;
  BoundsBuilder bounds(builder, loc, op, frame.dims, inputs);
  KeyBounds all;
  for (const KeyCondition &condition : conditions)
    all = bounds.intersect(all, bounds.create(condition.condition));
  return bounds.createRange(all);
}
