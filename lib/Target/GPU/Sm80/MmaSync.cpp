//===- MmaSync.cpp - Products by mma.sync, operands by ldmatrix -----------===//

#include "Sm80Instructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

static Value constantI32(OpBuilder &b, Location loc, int32_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

/// Splits f32 values (as i32 bits) into a TF32 value and the TF32 rest, `big` values first. The
/// big part is cut, so that the rest is exact in f32; together they keep 21 bits. Where nothing is
/// cut off, which includes infinities, a tiny part of the value stands for the rest of 0: a product
/// of the rest with an infinity must have the sign of the whole product, not be NaN.
static SmallVector<Value> splitTF32(OpBuilder &b, Location loc, ArrayRef<Value> registers) {
  SmallVector<Value> parts;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value keep = constantI32(b, loc, 0xFFFFE000);
  Value tiny = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0x1p-30f));
  for (Value bits : registers)
    parts.push_back(arith::AndIOp::create(b, loc, bits, keep));
  for (auto [index, bits] : llvm::enumerate(registers)) {
    Value whole = arith::BitcastOp::create(b, loc, f32, bits);
    Value big = arith::BitcastOp::create(b, loc, f32, parts[index]);
    // Cutting can make a NaN infinite; it is unequal to anything.
    Value isCut = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, whole, big);
    Value rest = arith::SelectOp::create(b, loc, isCut, arith::SubFOp::create(b, loc, whole, big),
                                         arith::MulFOp::create(b, loc, whole, tiny));
    parts.push_back(arith::BitcastOp::create(b, loc, i32, rest));
  }
  return parts;
}

/// f16 registers are pairs for the mma op, all others plain 32-bit words.
static SmallVector<Value> asOperands(OpBuilder &b, Location loc, Type element,
                                     ArrayRef<Value> registers) {
  if (!element.isF16())
    return SmallVector<Value>(registers);
  SmallVector<Value> pairs;
  for (Value word : registers)
    pairs.push_back(LLVM::BitcastOp::create(b, loc, VectorType::get(2, element), word));
  return pairs;
}

SmallVector<Value> Sm80Instructions::prepareRows(OpBuilder &b, Location loc, Type element,
                                                 ArrayRef<Value> registers) const {
  return element.isF32() ? splitTF32(b, loc, registers) : asOperands(b, loc, element, registers);
}

SmallVector<Value> Sm80Instructions::prepareColumns(OpBuilder &b, Location loc, Type element,
                                                    ArrayRef<Value> registers) const {
  return prepareRows(b, loc, element, registers);
}

static void multiplyOnce(OpBuilder &b, Location loc, NVVM::MMATypes type, int64_t depth,
                         ArrayRef<Value> rows, ArrayRef<Value> columns,
                         MutableArrayRef<Value> accumulator) {
  Type f32 = b.getF32Type();
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  Value product = NVVM::MmaOp::create(
      b, loc, result, rows, columns, ValueRange(accumulator), ArrayRef<int64_t>{16, 8, depth},
      std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [index, value] : llvm::enumerate(accumulator))
    value = LLVM::ExtractValueOp::create(b, loc, product, index);
}

void Sm80Instructions::multiply(OpBuilder &b, Location loc, Type element, ArrayRef<Value> rows,
                                ArrayRef<Value> columns, MutableArrayRef<Value> accumulator) const {
  if (!element.isF32()) {
    NVVM::MMATypes type = element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
    return multiplyOnce(b, loc, type, 16, rows, columns, accumulator);
  }
  // Small products first: they would vanish beside a large accumulator's rounding.
  ArrayRef<Value> bigRows = rows.take_front(4), smallRows = rows.drop_front(4);
  ArrayRef<Value> bigColumns = columns.take_front(2), smallColumns = columns.drop_front(2);
  NVVM::MMATypes type = NVVM::MMATypes::tf32;
  multiplyOnce(b, loc, type, 8, smallRows, bigColumns, accumulator);
  multiplyOnce(b, loc, type, 8, bigRows, smallColumns, accumulator);
  multiplyOnce(b, loc, type, 8, bigRows, bigColumns, accumulator);
}

void Sm80Instructions::multiplyIntegers(OpBuilder &b, Location loc, Type element,
                                        ArrayRef<Value> rows, ArrayRef<Value> columns,
                                        MutableArrayRef<Value> accumulator) const {
  if (element.isF32())
    return multiplyOnce(b, loc, NVVM::MMATypes::tf32, 8, rows, columns, accumulator);
  multiply(b, loc, element, asOperands(b, loc, element, rows), asOperands(b, loc, element, columns),
           accumulator);
}

SmallVector<Value> Sm80Instructions::loadMatrices(OpBuilder &b, Location loc, Value address,
                                                  bool transpose) const {
  MLIRContext *context = b.getContext();
  Type i32 = b.getI32Type();
  Type result = LLVM::LLVMStructType::getLiteral(context, {i32, i32, i32, i32});
  Value matrices = NVVM::LdMatrixOp::create(
      b, loc, result, address, 4, transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8), NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(b, loc, matrices, i));
  return registers;
}
