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

/// `score`, or −inf where the key does not exist.
static Value maskPadding(OpBuilder &builder, Location loc, Value score, Value key, Value numKeys) {
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, key, numKeys);
  Value none = createFloat(builder, loc, -std::numeric_limits<double>::infinity(),
                           cast<FloatType>(score.getType()));
  return arith::SelectOp::create(builder, loc, exists, score, none);
}

RegionTile fa::createRegionMap(OpBuilder &builder, Location loc, const TileFrame &frame,
                               Region &region, Value tile, const RegionInputs &inputs) {
  MLIRContext *context = builder.getContext();
  AttentionOp op = frame.op;
  SmallVector<TileInput> operands = {{tile, getTileMap(context)}};
  for (const TileInput &extra : inputs.extras)
    if (extra.map)
      operands.push_back(extra);
  RegionTile result{Value(), false};
  auto body = [&](OpBuilder &nested, Location nestedLoc, ValueRange elements) -> Value {
    IndexArithmetic math(nested, nestedLoc);
    IRMapping mapping;
    unsigned argument = 0, element = 0;
    mapping.map(region.getArgument(argument++), elements[element++]);
    Value key;
    for (unsigned dim : op.getIndexedDims()) {
      Value position = math.get(frame.offsets[dim]);
      if (frame.isTiled(dim)) {
        Value index = linalg::IndexOp::create(nested, nestedLoc, dim == frame.dims.key ? 1 : 0);
        position = math.add(position, index);
      }
      if (dim == frame.dims.key)
        key = position;
      mapping.map(region.getArgument(argument++), position);
    }
    for (const TileInput &extra : inputs.extras)
      mapping.map(region.getArgument(argument++), extra.map ? elements[element++] : extra.value);
    for (const KeyCondition &condition : inputs.folded)
      mapping.map(condition.value, arith::ConstantOp::create(
                                       nested, nestedLoc, nested.getBoolAttr(condition.expected)));
    Value yielded = cloneRegion(nested, region, mapping, result.hasMask);
    return inputs.numKeys ? maskPadding(nested, nestedLoc, yielded, key, inputs.numKeys) : yielded;
  };
  result.value = createMap(builder, loc, operands, getShape(builder, loc, tile),
                           op.getAccumulationType(), body);
  return result;
}
