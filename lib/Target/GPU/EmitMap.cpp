//===- EmitMap.cpp - Elementwise arithmetic -------------------------------===//
//
// The body of a map is emitted once for every element that a thread holds; what depends on the
// row, the column or nothing only, once for each of these.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "TileFacts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

namespace mlir::fa {

/// Emits the body of one map.
class MapEmitter {
public:
  MapEmitter(Emitter &emitter, Node &node);

  LogicalResult run();

private:
  /// What a value of the body depends on: bits.
  enum Dependence : unsigned { None = 0, OnRow = 1, OnColumn = 2 };
  using Key = std::tuple<Value, int64_t, int64_t>;

  unsigned dependenceOf(Value value);
  Key keyOf(Value value, const Slot &slot);
  FailureOr<Value> valueOf(Value value, const Slot &slot);
  FailureOr<Value> compute(Value value, const Slot &slot);
  FailureOr<Value> argument(BlockArgument value, const Slot &slot);
  FailureOr<Value> divide(arith::DivFOp op, const Slot &slot);
  bool canFoldExp(math::ExpOp op);
  FailureOr<Value> foldExp(math::ExpOp op, const Slot &slot);
  SmallVector<Slot> slotsOf(Value result) const;

  Emitter &emitter;
  linalg::GenericOp op;
  /// The loops that are the tile's rows and columns; -1 if there is none.
  int64_t rowLoop = -1, columnLoop = -1;
  DenseMap<Value, unsigned> dependences;
  DenseMap<Value, bool> foldable;
  DenseMap<Key, Value> memo;
};

} // namespace mlir::fa

MapEmitter::MapEmitter(Emitter &emitter, Node &node) : emitter(emitter), op(node.generic()) {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  if (map.getNumResults() == 2) {
    rowLoop = map.getDimPosition(0);
    columnLoop = map.getDimPosition(1);
  } else if (map.getNumResults() == 1) {
    bool isRow = emitter.plan.placeOf(op.getResult(0)) == Place::Row;
    (isRow ? rowLoop : columnLoop) = map.getDimPosition(0);
  }
}

unsigned MapEmitter::dependenceOf(Value value) {
  auto it = dependences.find(value);
  if (it != dependences.end())
    return it->second;
  auto ofLoop = [&](int64_t loop) {
    return loop == rowLoop ? OnRow : loop == columnLoop ? OnColumn : None;
  };
  unsigned result = None;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == op.getBlock()) {
      AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
      for (AffineExpr expr : map.getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          result |= ofLoop(dim.getPosition());
    }
  } else if (value.getParentBlock() == op.getBlock()) {
    Operation *producer = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(producer))
      result = ofLoop(index.getDim());
    for (Value operand : producer->getOperands())
      result |= dependenceOf(operand);
  }
  return dependences[value] = result;
}

MapEmitter::Key MapEmitter::keyOf(Value value, const Slot &slot) {
  unsigned dependence = dependenceOf(value);
  return {value, dependence & OnRow ? slot.rowFragment * 2 + slot.half : -1,
          dependence & OnColumn ? slot.columnFragment * 2 + slot.parity : -1};
}

/// An operand's element: from registers, or from where it is in memory.
FailureOr<Value> MapEmitter::argument(BlockArgument value, const Slot &slot) {
  Value operand = op->getOperand(value.getArgNumber());
  if (!isa<RankedTensorType>(operand.getType()))
    return emitter.scalar(operand);
  Node *load = emitter.graph.loadOf(operand);
  if (!load || emitter.plan.placeOf(operand) == Place::Row ||
      emitter.plan.placeOf(operand) == Place::Column) {
    if (!emitter.tiles.count(operand))
      return op.emitOpError("expects operands that are tiles"), failure();
    return emitter.valueAt(operand, slot);
  }
  SmallVector<Value> position;
  for (AffineExpr expr : op.getIndexingMapsArray()[value.getArgNumber()].getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    position.push_back(!dim                                    ? emitter.constant(0)
                       : int64_t(dim.getPosition()) == rowLoop ? emitter.rowOf(slot)
                                                               : emitter.columnOf(slot));
  }
  return emitter.loadElement(*load, position);
}

FailureOr<Value> MapEmitter::valueOf(Value value, const Slot &slot) {
  if (auto blockArgument = dyn_cast<BlockArgument>(value))
    if (blockArgument.getOwner() != op.getBlock())
      return emitter.scalar(value);
  if (value.getDefiningOp() && value.getParentBlock() != op.getBlock())
    return emitter.scalar(value);
  Key key = keyOf(value, slot);
  if (Value known = memo.lookup(key))
    return known;
  FailureOr<Value> result = compute(value, slot);
  if (succeeded(result))
    memo[key] = *result;
  return result;
}

/// A quotient by a value of the row: one reciprocal for the row, a product for each element.
FailureOr<Value> MapEmitter::divide(arith::DivFOp division, const Slot &slot) {
  FailureOr<Value> left = valueOf(division.getLhs(), slot);
  FailureOr<Value> right = valueOf(division.getRhs(), slot);
  if (failed(left) || failed(right))
    return failure();
  OpBuilder &b = emitter.b;
  bool isPerElement = dependenceOf(division.getLhs()) & OnColumn;
  if (!isPerElement || dependenceOf(division.getRhs()) & OnColumn)
    return Value(arith::DivFOp::create(b, emitter.loc, *left, *right));
  auto [it, isNew] =
      memo.try_emplace(Key{division.getResult(), slot.rowFragment * 2 + slot.half, -2}, Value());
  if (isNew) {
    Value one = arith::ConstantOp::create(b, emitter.loc, b.getFloatAttr(division.getType(), 1.0));
    it->second = arith::DivFOp::create(b, emitter.loc, one, *right);
  }
  return Value(arith::MulFOp::create(b, emitter.loc, *left, it->second));
}

/// exp(x - r) with r of the row may become exp2(x·log2(e) - r·log2(e)), one multiply-add, where
/// neither product overflows and 16-bit products make the rounding of r·log2(e) invisible.
bool MapEmitter::canFoldExp(math::ExpOp exp) {
  auto difference = exp.getOperand().getDefiningOp<arith::SubFOp>();
  if (!difference || !exp.getType().isF32() || emitter.hasWideDots ||
      !(dependenceOf(difference.getLhs()) & OnColumn) ||
      (dependenceOf(difference.getRhs()) & OnColumn))
    return false;
  Magnitudes magnitudes(emitter.graph);
  return magnitudes.isModerate(difference.getLhs()) && magnitudes.isModerate(difference.getRhs());
}

FailureOr<Value> MapEmitter::foldExp(math::ExpOp exp, const Slot &slot) {
  auto difference = exp.getOperand().getDefiningOp<arith::SubFOp>();
  FailureOr<Value> left = valueOf(difference.getLhs(), slot);
  FailureOr<Value> right = valueOf(difference.getRhs(), slot);
  if (failed(left) || failed(right))
    return failure();
  OpBuilder &b = emitter.b;
  Location loc = emitter.loc;
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(emitter.preamble, loc, b.getF32FloatAttr(value));
  };
  double factor = llvm::numbers::log2e;
  // The factor of a scaled tile is folded, too.
  auto argument = dyn_cast<BlockArgument>(difference.getLhs());
  if (argument && argument.getOwner() == op.getBlock() &&
      op.getIndexingMapsArray()[argument.getArgNumber()].isIdentity())
    if (std::optional<ScaledTile> scaled =
            findScale(emitter.graph, op->getOperand(argument.getArgNumber()));
        scaled && emitter.tiles.count(scaled->source)) {
      left = emitter.valueAt(scaled->source, slot);
      factor *= scaled->factor;
    }
  auto [it, isNew] =
      memo.try_emplace(Key{exp.getResult(), slot.rowFragment * 2 + slot.half, -2}, Value());
  if (isNew)
    it->second = arith::MulFOp::create(b, loc, *right, number(-llvm::numbers::log2e));
  Value exponent = LLVM::FMAOp::create(b, loc, *left, number(factor), it->second);
  return emitter.exp2(exponent);
}

FailureOr<Value> MapEmitter::compute(Value value, const Slot &slot) {
  if (auto blockArgument = dyn_cast<BlockArgument>(value))
    return argument(blockArgument, slot);
  Operation *producer = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(producer))
    return int64_t(index.getDim()) == rowLoop ? emitter.rowOf(slot) : emitter.columnOf(slot);
  if (auto division = dyn_cast<arith::DivFOp>(producer))
    return divide(division, slot);
  if (auto exp = dyn_cast<math::ExpOp>(producer)) {
    auto [it, isNew] = foldable.try_emplace(value, false);
    if (isNew)
      it->second = canFoldExp(exp);
    if (it->second)
      return foldExp(exp, slot);
  }
  SmallVector<Value> operands;
  for (Value operand : producer->getOperands()) {
    FailureOr<Value> emitted = valueOf(operand, slot);
    if (failed(emitted))
      return failure();
    operands.push_back(*emitted);
  }
  return emitter.scalarOp(producer, operands);
}

SmallVector<Slot> MapEmitter::slotsOf(Value result) const {
  SmallVector<Slot> slots;
  int64_t rows = rowLoop >= 0 ? emitter.plan.rowFragments : 1, halves = rowLoop >= 0 ? 2 : 1;
  int64_t columns = columnLoop >= 0 ? KernelPlan::columnFragments(result) : 1;
  int64_t parities = columnLoop >= 0 ? 2 : 1;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t half = 0; half < halves; ++half)
        for (int64_t parity = 0; parity < parities; ++parity)
          slots.push_back({row, half, column, parity});
  return slots;
}

LogicalResult MapEmitter::run() {
  Operation *terminator = op.getBlock()->getTerminator();
  SmallVector<TileValues> results;
  for (Value result : op->getResults())
    results.push_back({emitter.plan.placeOf(result), {}});
  for (const Slot &slot : slotsOf(op->getResult(0)))
    for (auto [result, yielded] : llvm::zip(results, terminator->getOperands())) {
      FailureOr<Value> value = valueOf(yielded, slot);
      if (failed(value))
        return failure();
      result.values.push_back(*value);
    }
  for (auto [value, held] : llvm::zip(op->getResults(), results))
    emitter.tiles[value] = held;
  return success();
}

LogicalResult Emitter::emitMap(Node &node) { return MapEmitter(*this, node).run(); }
