//===- EmitStore.cpp - Stores of results ----------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mlir::fa;

LogicalResult Emitter::emitStore(Node &node) {
  FailureOr<Value> base = windowBase(node.window);
  if (failed(base))
    return failure();
  if (!tiles.count(node.source))
    return node.op->emitOpError("expects to store a computed tile");
  return storeElements(node, *base);
}

/// Stores row by row: neighbouring columns of a thread together where the rule on the result's
/// strides makes that aligned.
LogicalResult Emitter::storeElements(Node &node, Value base) {
  auto type = cast<RankedTensorType>(node.source.getType());
  Place place = plan.placeOf(node.source);
  if (type.getElementType().getIntOrFloatBitWidth() < 8)
    return node.op->emitOpError("expects results of at least 8 bits");
  SmallVector<Value> lengths;
  for (OpFoldResult size : node.window.sizes) {
    FailureOr<Value> length = scalar(size);
    if (failed(length))
      return failure();
    lengths.push_back(*length);
  }
  auto storeIf = [&](Value condition, function_ref<void()> store) {
    if (!condition)
      return store();
    Block *inside = addBlock(), *after = addBlock();
    LLVM::CondBrOp::create(b, loc, condition, inside, after);
    b.setInsertionPointToEnd(inside);
    store();
    LLVM::BrOp::create(b, loc, after);
    b.setInsertionPointToEnd(after);
  };
  auto isBelow = [&](Value position, Value length) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, length);
  };
  auto storeAt = [&](ArrayRef<Value> position, Value value) {
    LLVM::StoreOp::create(b, loc, value, elementPointer(node.window, base, position));
  };

  if (place == Place::Scalar) {
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, constant(0));
    storeIf(isFirst, [&] { storeAt({}, valueAt(node.source, {})); });
    return success();
  }
  if (place == Place::Column)
    return node.op->emitOpError("expects to store matrices and vectors along rows");
  // Vectors are equal in the four lanes of a row: the first one stores.
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, quadColumn, constant(0));
  int64_t columns = place == Place::Row ? 0 : KernelPlan::columnFragments(node.source);
  std::optional<int64_t> fixedColumns =
      place == Place::Row ? std::nullopt : getConstantIntValue(node.window.sizes[1]);
  bool isPaired =
      plan.isAligned && fixedColumns && *fixedColumns % 2 == 0 &&
      node.window.tileDims.back() == static_cast<int64_t>(node.window.offsets.size()) - 1 &&
      isZeroInteger(node.window.offsets.back()) && type.getElementTypeBitWidth() <= 32;
  if (isPaired) {
    TensorRule &rule = parameters.rules[operandOf(node.window.tensor)];
    rule.alignment = std::max<int64_t>(rule.alignment, 2 * type.getElementTypeBitWidth() / 8);
  }
  for (int64_t i = 0; i < plan.rowFragments * 2; ++i) {
    Slot slot;
    slot.rowFragment = i / 2, slot.half = i % 2;
    Value row = rowOf(slot), isRow = isBelow(row, lengths[0]);
    if (place == Place::Row) {
      isRow = arith::AndIOp::create(b, loc, isRow, isFirst);
      storeIf(isRow, [&] { storeAt({row}, valueAt(node.source, slot)); });
      continue;
    }
    storeIf(isRow, [&] {
      for (slot.columnFragment = 0; slot.columnFragment < columns; ++slot.columnFragment) {
        bool isWhole =
            fixedColumns && (slot.columnFragment + 1) * kFragmentColumns <= *fixedColumns;
        Slot first = slot, second = slot;
        first.parity = 0, second.parity = 1;
        if (isPaired) {
          Value low = valueAt(node.source, first), high = valueAt(node.source, second);
          Value pair = LLVM::PoisonOp::create(b, loc, VectorType::get(2, type.getElementType()));
          pair = LLVM::InsertElementOp::create(b, loc, pair, low, constant(0));
          pair = LLVM::InsertElementOp::create(b, loc, pair, high, constant(1));
          Value column = columnOf(first);
          storeIf(isWhole ? Value() : isBelow(column, lengths[1]),
                  [&] { storeAt({row, column}, pair); });
          continue;
        }
        for (Slot &one : {std::ref(first), std::ref(second)}) {
          Value column = columnOf(one);
          storeIf(isWhole ? Value() : isBelow(column, lengths[1]),
                  [&] { storeAt({row, column}, valueAt(node.source, one)); });
        }
      }
    });
  }
  return success();
}
