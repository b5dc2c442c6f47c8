//===- EmitMath.cpp - Mathematical functions ------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

Value Emitter::exp2(Value exponent) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                       b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
                                       ValueRange{exponent})
      .getResult(0);
}

/// Exponentials become the chip's exp2, with an error of 2 units in the last place. All others are
/// left as they are for ExpandMath.
FailureOr<Value> Emitter::mathOp(Operation *op, ValueRange operands) {
  Type f32 = b.getF32Type();
  Type type = op->getResult(0).getType();
  bool isExp = isa<math::ExpOp>(op), isExp2 = isa<math::Exp2Op>(op);
  bool isShort = type.isF16() || type.isBF16();
  if ((!isExp && !isExp2) || !(type == f32 || isShort)) {
    Operation *copy = b.create(loc, op->getName().getIdentifier(), operands, op->getResultTypes(),
                               op->getAttrDictionary().getValue());
    return copy->getResult(0);
  }
  Value exponent = operands[0];
  if (isShort)
    exponent = arith::ExtFOp::create(b, loc, f32, exponent);
  if (isExp) {
    Value log2e = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(llvm::numbers::log2e));
    exponent = arith::MulFOp::create(b, loc, exponent, log2e);
  }
  Value power = exp2(exponent);
  if (isShort)
    power = arith::TruncFOp::create(b, loc, type, power);
  return power;
}
