//===- EmitDot.cpp - Products of matrices ---------------------------------===//
//
// Row operands come from shared memory or from a fragment: two neighbouring values of an
// accumulator are a register of the row operand, so nothing is exchanged between threads. For f32
// the accumulator's columns 2i and 2i + 1 take the places i and i + 4 of a step's contraction
// index, and the column operand is read in the same order.
//
//===----------------------------------------------------------------------===//

#include "DotShape.h"
#include "Emitter.h"

using namespace mlir;
using namespace mlir::fa;

Value Emitter::slotOffsetOf(Value load) { return slotOffsets.lookup(load); }

/// The address of 16 bytes of an operand in shared memory. The part that depends on the thread is
/// computed once per kernel, and is the same for as many constants as possible.
Value Emitter::matrixAddress(Value load, const Cell &cell) {
  const SharedTile &tile = plan.shared[plan.sharedOf.lookup(load)];
  // Swizzling permutes within eight units.
  int64_t within = tile.swizzle == Swizzle::None ? 0 : cell.constantColumn % 8;
  Value offset;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
    Value place = swizzled(tile, cell.row, add(cell.column, constant(within)));
    offset = add(mul(cell.row, constant(tile.rowBytes)), mul(place, constant(kUnitBytes)));
  }
  return sharedPointer(add(slotOffsetOf(load), offset),
                       cell.constantRow * tile.rowBytes +
                           (cell.constantColumn - within) * kUnitBytes);
}

/// One 32-bit element of an operand in shared memory, as bits.
Value Emitter::loadWord(Value load, const Cell &cell) {
  const SharedTile &tile = plan.shared[plan.sharedOf.lookup(load)];
  int64_t constantUnit = cell.constantColumn / 4;
  int64_t within = tile.swizzle == Swizzle::None ? 0 : constantUnit % 8;
  Value offset;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
    Value unit = b.createOrFold<arith::ShRUIOp>(loc, cell.column, constant(2));
    Value byte = mul(b.createOrFold<arith::AndIOp>(loc, cell.column, constant(3)), constant(4));
    Value place = swizzled(tile, cell.row, add(unit, constant(within)));
    offset =
        add(mul(cell.row, constant(tile.rowBytes)), add(mul(place, constant(kUnitBytes)), byte));
  }
  Value address =
      sharedPointer(add(slotOffsetOf(load), offset),
                    cell.constantRow * tile.rowBytes + (constantUnit - within) * kUnitBytes);
  return LLVM::LoadOp::create(b, loc, b.getI32Type(), address);
}

/// Emits at the end of the first block what `compute` builds.
template <typename F> static auto emitAt(OpBuilder &b, const OpBuilder &place, F compute) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(place.getInsertionBlock(), place.getInsertionPoint());
  return compute();
}

/// Neighbouring accumulator values as registers of a row operand; `change` is applied to each
/// first.
SmallVector<Value> Emitter::packFragment(Value rows, Type element, int64_t rowFragment,
                                         int64_t step, function_ref<Value(Value)> change) {
  SmallVector<Value> registers;
  Type i32 = b.getI32Type();
  auto at = [&](int64_t column, int64_t half, int64_t parity) {
    Slot slot;
    slot.rowFragment = rowFragment, slot.half = half;
    slot.columnFragment = column, slot.parity = parity;
    Value value = valueAt(rows, slot);
    return change ? change(value) : value;
  };
  if (element.isF32()) {
    for (int64_t parity : {0, 1})
      for (int64_t half : {0, 1})
        registers.push_back(arith::BitcastOp::create(b, loc, i32, at(step, half, parity)));
    return registers;
  }
  auto pair = VectorType::get(2, element);
  for (int64_t column : {2 * step, 2 * step + 1})
    for (int64_t half : {0, 1}) {
      Value low = at(column, half, 0), high = at(column, half, 1);
      Type from = low.getType();
      Value both = LLVM::PoisonOp::create(b, loc, VectorType::get(2, from));
      both = LLVM::InsertElementOp::create(b, loc, both, low, constant(0));
      both = LLVM::InsertElementOp::create(b, loc, both, high, constant(1));
      if (from != element)
        both = LLVM::FPTruncOp::create(b, loc, pair, both);
      registers.push_back(LLVM::BitcastOp::create(b, loc, i32, both));
    }
  return registers;
}

/// Four 8x8 blocks: rows 0-7 and 8-15 of the first half of the depth, then of the second.
SmallVector<Value> Emitter::loadRowOperand(Node &node, int64_t rowFragment, int64_t step) {
  DotShape shape(node);
  int64_t firstRow = rowFragment * kFragmentRows;
  if (shape.isRowsTransposed && shape.element.isF32()) {
    SmallVector<Value> registers;
    for (int64_t second : {0, 1})
      for (int64_t half : {0, 1}) {
        auto [depth, row] = emitAt(b, preamble, [&] {
          Value index = b.createOrFold<arith::ShRUIOp>(loc, quadColumn, constant(1));
          return std::pair(add(index, constant(second * 4)),
                           add(add(warpRow, quadRow), constant(half * 8)));
        });
        registers.push_back(loadWord(shape.rows, {depth, step * 8, row, firstRow}));
      }
    return registers;
  }
  Cell cell = emitAt(b, preamble, [&]() -> Cell {
    Value matrix = b.createOrFold<arith::ShRUIOp>(loc, lane, constant(3));
    Value within = b.createOrFold<arith::AndIOp>(loc, lane, constant(7));
    Value lower = b.createOrFold<arith::AndIOp>(loc, matrix, constant(1));
    Value later = b.createOrFold<arith::ShRUIOp>(loc, matrix, constant(1));
    if (!shape.isRowsTransposed)
      return {add(add(warpRow, within), mul(lower, constant(8))), firstRow, later, 2 * step};
    Value firstUnit = b.createOrFold<arith::ShRUIOp>(loc, warpRow, constant(3));
    return {add(within, mul(later, constant(8))), step * 16, add(firstUnit, lower), firstRow / 8};
  });
  return instructions.loadMatrices(b, loc, matrixAddress(shape.rows, cell), shape.isRowsTransposed);
}

/// The registers of two neighbouring column fragments at one step of the depth: two for each.
SmallVector<Value> Emitter::loadColumnOperand(Node &node, int64_t pair, int64_t step) {
  DotShape shape(node);
  bool isFromFragment = plan.placeOf(shape.rows) == Place::Fragment;
  if (shape.element.isF32() && (isFromFragment || shape.isColumnsDepthMajor)) {
    SmallVector<Value> registers;
    for (int64_t fragment : {2 * pair, 2 * pair + 1})
      for (int64_t second : {0, 1}) {
        Value depth = emitAt(b, preamble, [&] {
          if (isFromFragment)
            return add(quadColumn, constant(second));
          Value index = b.createOrFold<arith::ShRUIOp>(loc, quadColumn, constant(1));
          return add(index, constant(second * 4));
        });
        Cell cell = {depth, step * 8, quadRow, fragment * 8};
        if (!shape.isColumnsDepthMajor)
          cell = {quadRow, fragment * 8, depth, step * 8};
        registers.push_back(loadWord(shape.columns, cell));
      }
    return registers;
  }
  Cell cell = emitAt(b, preamble, [&]() -> Cell {
    Value matrix = b.createOrFold<arith::ShRUIOp>(loc, lane, constant(3));
    Value within = b.createOrFold<arith::AndIOp>(loc, lane, constant(7));
    Value odd = b.createOrFold<arith::AndIOp>(loc, matrix, constant(1));
    Value later = b.createOrFold<arith::ShRUIOp>(loc, matrix, constant(1));
    if (shape.isColumnsDepthMajor)
      return {add(within, mul(odd, constant(8))), step * 16, later, 2 * pair};
    return {add(within, mul(later, constant(8))), pair * 16, odd, 2 * step};
  });
  return instructions.loadMatrices(b, loc, matrixAddress(shape.columns, cell),
                                   shape.isColumnsDepthMajor);
}

/// Reads the row operands that stay in registers; their copies have arrived.
void Emitter::makeResident() {
  for (Node *node : plan.residentOperands) {
    DotShape shape(*node);
    SmallVector<SmallVector<Value>> &registers = resident[shape.rows];
    if (!registers.empty())
      continue;
    for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment)
      for (int64_t step = 0; step < shape.steps(); ++step)
        registers.push_back(loadRowOperand(*node, fragment, step));
  }
}

FailureOr<SmallVector<Value>> Emitter::rowOperand(Node &node, int64_t rowFragment, int64_t step) {
  DotShape shape(node);
  SmallVector<Value> registers;
  auto it = resident.find(shape.rows);
  if (plan.placeOf(shape.rows) == Place::Fragment)
    registers = packFragment(shape.rows, shape.element, rowFragment, step);
  else if (it != resident.end())
    registers = it->second[rowFragment * shape.steps() + step];
  else
    registers = loadRowOperand(node, rowFragment, step);
  return instructions.prepareRows(b, loc, shape.element, registers);
}

LogicalResult Emitter::emitDot(Node &node) {
  if (hasPendingCopies) {
    instructions.waitForCopies(b, loc, 0);
    barrier();
    hasPendingCopies = false;
  }
  TileValues product = tiles[node.generic().getDpsInits()[0]];
  product.place = Place::Fragment;
  Value rows = node.generic().getDpsInputs()[node.rowInput];
  bool isGuarded = node.guard == node.rowInput && plan.placeOf(rows) == Place::Fragment;
  if (failed(isGuarded ? emitGuardedDot(node, product.values) : multiplyAll(node, product.values)))
    return failure();
  tiles[node.op->getResult(0)] = product;
  return success();
}

/// product += rows · columns.
LogicalResult Emitter::multiplyAll(Node &node, MutableArrayRef<Value> product) {
  DotShape shape(node);
  int64_t pairs = llvm::divideCeil(shape.columnFragments, 2);
  for (int64_t step = 0; step < shape.steps(); ++step) {
    SmallVector<SmallVector<Value>> rows;
    for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment) {
      FailureOr<SmallVector<Value>> operand = rowOperand(node, fragment, step);
      if (failed(operand))
        return failure();
      rows.push_back(*operand);
    }
    for (int64_t pair = 0; pair < pairs; ++pair) {
      SmallVector<Value> loaded = loadColumnOperand(node, pair, step);
      for (int64_t odd = 0; odd < 2 && 2 * pair + odd < shape.columnFragments; ++odd) {
        SmallVector<Value> columns =
            instructions.prepareColumns(b, loc, shape.element, ArrayRef(loaded).slice(2 * odd, 2));
        for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment)
          instructions.multiply(b, loc, shape.element, rows[fragment], columns,
                                product.slice(shape.fragmentAt(fragment, 2 * pair + odd), 4));
      }
    }
  }
  return success();
}
