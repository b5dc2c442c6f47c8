//===- EmitCopies.cpp - Copies into shared memory -------------------------===//

#include "Emitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

/// The bytes that can be copied at once: a power of two up to 16 that divides every row's start in
/// a dense tensor, 0 if the rows are not contiguous or less than 4 bytes are sure. Becomes a rule
/// for the caller.
static int64_t provableAlignment(const Window &window) {
  auto type = cast<RankedTensorType>(window.tensor.getType());
  int64_t inner = type.getRank() - 1;
  if (window.tileDims.back() != inner || type.isDynamicDim(inner))
    return 0;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t row = type.getDimSize(inner) * bytes;
  std::optional<int64_t> start = getConstantIntValue(window.offsets[inner]);
  // Without other rows there is no stride to keep.
  int64_t alignment = std::min<int64_t>(16, row & -row);
  if (!start)
    return 0;
  if (*start)
    alignment = std::min(alignment, (*start * bytes) & -(*start * bytes));
  return alignment < 4 ? 0 : alignment;
}

/// The place of a 16-byte unit within its row, as swizzleUnit computes it.
Value Emitter::swizzled(const SharedTile &tile, Value row, Value unit) {
  auto xorWith = [&](int64_t shift, int64_t mask) {
    Value bits = b.createOrFold<arith::ShRUIOp>(loc, row, constant(shift));
    bits = b.createOrFold<arith::AndIOp>(loc, bits, constant(mask));
    return b.createOrFold<arith::XOrIOp>(loc, unit, bits);
  };
  switch (tile.swizzle) {
  case Swizzle::None:
    return unit;
  case Swizzle::Xor2:
    return xorWith(2, 1);
  case Swizzle::Xor4:
    return xorWith(1, 3);
  case Swizzle::Xor8:
    return xorWith(0, 7);
  }
  return unit;
}

LogicalResult Emitter::copyToShared(Node &load, Value slotOffset) {
  int64_t bytes = plan.isAligned ? provableAlignment(load.window) : 0;
  if (!bytes)
    return copyElements(load, slotOffset);
  TensorRule &rule = parameters.rules[operandOf(load.window.tensor)];
  rule.alignment = std::max(rule.alignment, bytes);
  return copyUnits(load, slotOffset, bytes);
}

/// Lanes side by side copy a row, so that every access covers whole sectors; `bytes` a copy. What
/// depends on the thread is computed once; rows and copies of one thread are constant steps apart.
LogicalResult Emitter::copyUnits(Node &load, Value slotOffset, int64_t bytes) {
  const SharedTile &tile = plan.shared[plan.sharedOf.lookup(load.op->getResult(0))];
  FailureOr<Value> base = windowBase(load.window);
  FailureOr<Value> rows = scalar(load.window.sizes[0]);
  FailureOr<Value> columns = scalar(load.window.sizes[1]);
  if (failed(base) || failed(rows) || failed(columns))
    return failure();
  CopyShape shape;
  int64_t copies = llvm::divideCeil(tile.columns * tile.elementBytes, bytes);
  shape.lanes = std::min<int64_t>(8, copies & -copies);
  shape.perLane = copies / shape.lanes;
  shape.rowsAtOnce = plan.threads() / shape.lanes;
  if (getConstantIntValue(load.window.sizes[0]) != tile.rows)
    shape.rows = *rows;
  if (getConstantIntValue(load.window.sizes[1]) != tile.columns)
    shape.columns = *columns;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
    shape.row = b.createOrFold<arith::ShRUIOp>(loc, thread, constant(llvm::Log2_64(shape.lanes)));
    shape.byte =
        mul(b.createOrFold<arith::AndIOp>(loc, thread, constant(shape.lanes - 1)), constant(bytes));
  }
  Value column =
      b.createOrFold<arith::ShRUIOp>(loc, shape.byte, constant(llvm::Log2_64(tile.elementBytes)));
  Value source = elementPointer(load.window, *base, {shape.row, column});
  Value step = elementPointer(load.window, LLVM::ZeroOp::create(b, loc, base->getType()),
                              {constant(shape.rowsAtOnce), constant(0)});
  step = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), step);

  for (int64_t start = 0; start < tile.rows; start += shape.rowsAtOnce) {
    if (start)
      source = LLVM::GEPOp::create(b, loc, source.getType(), b.getI8Type(), source,
                                   ArrayRef<LLVM::GEPArg>{step});
    Block *after = nullptr;
    if (start + shape.rowsAtOnce > tile.rows) {
      Block *inside = addBlock();
      after = addBlock();
      Value isRow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, shape.row,
                                          constant(tile.rows - start));
      LLVM::CondBrOp::create(b, loc, isRow, inside, after);
      b.setInsertionPointToEnd(inside);
    }
    copyRow(tile, shape, source, slotOffset, start, bytes);
    if (after) {
      LLVM::BrOp::create(b, loc, after);
      b.setInsertionPointToEnd(after);
    }
  }
  return success();
}

/// The copies of one row that a thread makes.
void Emitter::copyRow(const SharedTile &tile, const CopyShape &shape, Value source,
                      Value slotOffset, int64_t start, int64_t bytes) {
  Value isRow;
  if (shape.rows)
    isRow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                  add(shape.row, constant(start)), shape.rows);
  for (int64_t j = 0; j < shape.perLane; ++j) {
    int64_t constantByte = j * shape.lanes * bytes;
    Value offset;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
      Value row = add(shape.row, constant(start % 8));
      Value byte = add(shape.byte, constant(constantByte));
      Value unit = b.createOrFold<arith::ShRUIOp>(loc, byte, constant(4));
      Value within = b.createOrFold<arith::AndIOp>(loc, byte, constant(15));
      offset = add(mul(row, constant(tile.rowBytes)),
                   add(mul(swizzled(tile, row, unit), constant(kUnitBytes)), within));
    }
    Value target = sharedPointer(add(slotOffset, offset), (start - start % 8) * tile.rowBytes);
    Value from = LLVM::GEPOp::create(b, loc, source.getType(), b.getI8Type(), source,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constantByte)});
    Value valid;
    if (shape.rows || shape.columns)
      valid = constant(bytes);
    if (shape.columns) {
      Value left = mul(shape.columns, constant(tile.elementBytes));
      left = arith::SubIOp::create(b, loc, left, add(shape.byte, constant(constantByte)));
      left = arith::MaxSIOp::create(b, loc, left, constant(0));
      valid = arith::MinSIOp::create(b, loc, left, valid);
    }
    if (shape.rows)
      valid = arith::SelectOp::create(b, loc, isRow, valid, constant(0));
    instructions.startCopy(b, loc, target, from, bytes, valid);
  }
}

/// Any layout and alignment: loads of single elements, stored as they come.
LogicalResult Emitter::copyElements(Node &load, Value slotOffset) {
  const SharedTile &tile = plan.shared[plan.sharedOf.lookup(load.op->getResult(0))];
  int64_t perUnit = kUnitBytes / tile.elementBytes;
  Type i32 = b.getI32Type();

  // for (e = thread; e < rows * columns; e += threads)
  Block *test = addBlock({i32}), *body = addBlock(), *done = addBlock();
  LLVM::BrOp::create(b, loc, ValueRange{thread}, test);
  b.setInsertionPointToEnd(test);
  Value index = test->getArgument(0);
  Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index,
                                       constant(tile.rows * tile.columns));
  LLVM::CondBrOp::create(b, loc, isLeft, body, done);
  b.setInsertionPointToEnd(body);
  Value row = arith::DivUIOp::create(b, loc, index, constant(tile.columns));
  Value column = arith::RemUIOp::create(b, loc, index, constant(tile.columns));
  setBounds(row, {0, tile.rows - 1});
  setBounds(column, {0, tile.columns - 1});
  FailureOr<Value> value = loadElement(load, {row, column});
  if (failed(value))
    return failure();
  Value unit = arith::DivUIOp::create(b, loc, column, constant(perUnit));
  Value within = arith::RemUIOp::create(b, loc, column, constant(perUnit));
  Value offset = add(mul(row, constant(tile.rowBytes)),
                     add(mul(swizzled(tile, row, unit), constant(kUnitBytes)),
                         mul(within, constant(tile.elementBytes))));
  LLVM::StoreOp::create(b, loc, *value, sharedPointer(add(slotOffset, offset)));
  LLVM::BrOp::create(b, loc, ValueRange{add(index, constant(plan.threads()))}, test);
  b.setInsertionPointToEnd(done);
  return success();
}

/// Zeros behind the data and between rows, once: copies never touch them.
void Emitter::clearPadding() {
  bool isCleared = false;
  Value zero = arith::ConstantOp::create(
      preamble, loc, DenseElementsAttr::get(VectorType::get(4, b.getI32Type()), int32_t(0)));
  for (const SharedTile &tile : plan.shared) {
    bool isDense = tile.paddedRows * tile.unitsPerRow() * kUnitBytes == tile.slotBytes;
    if (isDense && tile.rows == tile.paddedRows && tile.columns == tile.paddedColumns)
      continue;
    isCleared = true;
    // for (offset = 16 * thread; offset < bytes; offset += 16 * threads)
    Block *test = addBlock({b.getI32Type()}), *body = addBlock(), *done = addBlock();
    LLVM::BrOp::create(b, loc, ValueRange{mul(thread, constant(kUnitBytes))}, test);
    b.setInsertionPointToEnd(test);
    Value offset = test->getArgument(0);
    Value isLeft =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, offset, constant(tile.bytes()));
    LLVM::CondBrOp::create(b, loc, isLeft, body, done);
    b.setInsertionPointToEnd(body);
    LLVM::StoreOp::create(b, loc, zero, sharedPointer(offset, tile.offset), /*alignment=*/16);
    LLVM::BrOp::create(b, loc, ValueRange{add(offset, constant(kUnitBytes * plan.threads()))},
                       test);
    b.setInsertionPointToEnd(done);
  }
  if (isCleared)
    barrier();
}
