//===- ScoreTile.cpp - A region of attention as a map over a tile ---------===//

#include "ScoreTile.h"
#include "IndexArithmetic.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>

using namespace mlir;
using namespace mlir::fa;

/// True if `op` selects −inf on one side.
static bool isMask(Operation &op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select &&
         llvm::any_of(ValueRange{select.getTrueValue(), select.getFalseValue()}, [](Value value) {
           APFloat constant(0.0f);
           return matchPattern(value, m_ConstantFloat(&constant)) && constant.isInfinity() &&
                  constant.isNegative();
         });
}

/// Elements of padding are computed too: a division by one of them must not trap.
static void guardDivisor(OpBuilder &builder, Operation *op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
           arith::CeilDivUIOp, arith::FloorDivSIOp>(op) ||
      matchPattern(op->getOperand(1), m_Constant()))
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value divisor = op->getOperand(1);
  Type type = divisor.getType();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value one = arith::ConstantOp::create(builder, loc, builder.getOneAttr(type));
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, divisor, zero);
  op->setOperand(1, arith::SelectOp::create(builder, loc, isZero, one, divisor));
}

/// Copies the region's ops to `builder`, folding what has become constant; returns what is yielded.
static Value cloneRegion(OpBuilder &builder, Region &region, IRMapping &mapping, bool &hasMask) {
  SmallVector<Operation *> clones;
  for (Operation &op : region.front().without_terminator()) {
    if (llvm::all_of(op.getResults(), [&](Value result) { return mapping.contains(result); }))
      continue;
    Operation *clone = builder.clone(op, mapping);
    guardDivisor(builder, clone);
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(clone, folded)) && !folded.empty())
      mapping.map(op.getResults(), ValueRange(folded));
    clones.push_back(clone);
  }
  Value yielded = mapping.lookup(region.front().getTerminator()->getOperand(0));
  for (Operation *clone : llvm::reverse(clones)) {
    if (clone != yielded.getDefiningOp() && isOpTriviallyDead(clone))
      clone->erase();
    else
      hasMask |= isMask(*clone);
  }
  return yielded;
}

/// The position of the element in a loop dimension, inside a map over (rows, columns).
static Value getPosition(OpBuilder &nested, Location loc, const TileFrame &frame, unsigned dim) {
  IndexArithmetic math(nested, loc);
  Value position = math.get(frame.offsets[dim]);
  if (!frame.isTiled(dim))
    return position;
  return math.add(position, linalg::IndexOp::create(nested, loc, dim == frame.dims.column ? 1 : 0));
}

Value fa::createRegionCode(OpBuilder &nested, Location loc, const TileFrame &frame, Region &region,
                           Value first, ValueRange extras, ArrayRef<KeyCondition> folded,
                           bool &hasMask) {
  IRMapping mapping;
  unsigned argument = 0;
  mapping.map(region.getArgument(argument++), first);
  for (unsigned dim : AttentionInterface(frame.op).getIndexedDims())
    mapping.map(region.getArgument(argument++), getPosition(nested, loc, frame, dim));
  for (Value extra : extras)
    mapping.map(region.getArgument(argument++), extra);
  for (const KeyCondition &condition : folded)
    mapping.map(condition.value,
                arith::ConstantOp::create(nested, loc, nested.getBoolAttr(condition.expected)));
  return cloneRegion(nested, region, mapping, hasMask);
}

Value fa::maskPadding(OpBuilder &nested, Location loc, const TileFrame &frame, Value score,
                      const RegionInputs &inputs) {
  auto mask = [&](std::optional<unsigned> dim, Value size) {
    if (!size)
      return;
    Value exists = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::slt,
                                         getPosition(nested, loc, frame, *dim), size);
    Value none = createFloat(nested, loc, -std::numeric_limits<double>::infinity(),
                             cast<FloatType>(score.getType()));
    score = arith::SelectOp::create(nested, loc, exists, score, none);
  };
  mask(frame.dims.row, inputs.numRows);
  mask(frame.dims.column, inputs.numColumns);
  return score;
}

RegionTile fa::createRegionMap(OpBuilder &builder, Location loc, const TileFrame &frame,
                               Region &region, Value tile, const RegionInputs &inputs) {
  SmallVector<TileInput> operands = {{tile, getTileMap(builder.getContext())}};
  for (const TileInput &extra : inputs.extras)
    if (extra.map)
      operands.push_back(extra);
  RegionTile result{Value(), false};
  auto body = [&](OpBuilder &nested, Location nestedLoc, ValueRange elements) -> Value {
    unsigned element = 1;
    SmallVector<Value> extras;
    for (const TileInput &extra : inputs.extras)
      extras.push_back(extra.map ? elements[element++] : extra.value);
    Value yielded = createRegionCode(nested, nestedLoc, frame, region, elements[0], extras,
                                     inputs.folded, result.hasMask);
    return maskPadding(nested, nestedLoc, frame, yielded, inputs);
  };
  result.value = createMap(builder, loc, operands, getShape(builder, loc, tile),
                           AttentionInterface(frame.op).getAccumulationType(), body);
  return result;
}
