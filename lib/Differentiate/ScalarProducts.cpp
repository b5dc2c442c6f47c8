//===- ScalarProducts.cpp - The derivative of each scalar op --------------===//

#include "fa/Differentiate/ScalarDerivative.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

bool fa::isPiecewiseConstant(Operation *op) {
  return isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundOp, math::RoundEvenOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp>(op);
}

bool fa::hasDerivative(Operation *op) {
  if (op->getNumResults() != 1 || !isa<FloatType>(op->getResult(0).getType()))
    return false;
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp, math::AbsFOp,
             math::CopySignOp, math::FmaOp, math::ClampFOp, math::SqrtOp, math::RsqrtOp,
             math::CbrtOp, math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
             math::Log10Op, math::Log1pOp, math::PowFOp, math::FPowIOp, math::SinOp, math::CosOp,
             math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp, math::Atan2Op, math::SinhOp,
             math::CoshOp, math::TanhOp, math::AsinhOp, math::AcoshOp, math::AtanhOp, math::ErfOp,
             math::ErfcOp>(op);
}

namespace {
/// Emits arithmetic in one type.
class Products {
public:
  Products(OpBuilder &builder, OpOperand &operand, Value factor)
      : builder(builder), op(operand.getOwner()), loc(op->getLoc()),
        number(operand.getOperandNumber()), g(factor), type(cast<FloatType>(factor.getType())) {}

  Value createArithmetic();
  Value createExponential();
  Value createTrigonometric();
  Value createHyperbolic();

private:
  template <typename Op, typename... Args> Value create(Args... args) {
    return builder.createOrFold<Op>(loc, args...);
  }
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  }
  Value add(Value a, Value b) { return create<arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return create<arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return create<arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return create<arith::DivFOp>(a, b); }
  Value neg(Value a) { return create<arith::NegFOp>(a); }
  Value sqrt(Value a) { return create<math::SqrtOp>(a); }
  Value scale(double a, Value b) { return mul(constant(a), b); }
  Value select(Value condition, Value a, Value b) {
    return create<arith::SelectOp>(condition, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return create<arith::CmpFOp>(predicate, a, b);
  }
  /// 1 with the sign of `a`.
  Value signOf(Value a) { return create<math::CopySignOp>(constant(1), a); }
  Value convert(Value value);
  Value x(unsigned i) { return convert(op->getOperand(i)); }
  Value x() { return x(number); }
  Value result() { return convert(op->getResult(0)); }
  Value pick(Value chosen, Value other, bool isMaximum, Value gradient);
  Value createClamp();
  Value createPower();

  OpBuilder &builder;
  Operation *op;
  Location loc;
  unsigned number;
  Value g;
  FloatType type;
};
} // namespace

/// `value` in the type of the gradient.
Value Products::convert(Value value) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return create<arith::ExtFOp>(type, value);
  return create<arith::TruncFOp>(type, value);
}

/// The gradient of `chosen` in a maximum or minimum with `other`: all, half of it where they are
/// equal, or nothing; all where one is NaN.
Value Products::pick(Value chosen, Value other, bool isMaximum, Value gradient) {
  using Predicate = arith::CmpFPredicate;
  Value isChosen = compare(isMaximum ? Predicate::UGT : Predicate::ULT, chosen, other);
  Value isEqual = compare(Predicate::OEQ, chosen, other);
  return select(isChosen, gradient, select(isEqual, scale(0.5, gradient), constant(0)));
}

/// clampf(v, lo, hi) = minimum(maximum(v, lo), hi).
Value Products::createClamp() {
  Value lower = create<arith::MaximumFOp>(x(0), x(1));
  if (number == 2)
    return pick(x(2), lower, /*isMaximum=*/false, g);
  Value inner = pick(lower, x(2), /*isMaximum=*/false, g);
  return pick(x(), x(1 - number), /*isMaximum=*/true, inner);
}

/// Null if `op` is none of these.
Value Products::createArithmetic() {
  if (isa<arith::AddFOp, arith::ExtFOp, arith::TruncFOp>(op))
    return g;
  if (isa<arith::SubFOp>(op))
    return number == 0 ? g : neg(g);
  if (isa<arith::NegFOp>(op))
    return neg(g);
  if (isa<arith::MulFOp>(op))
    return mul(g, x(1 - number));
  if (isa<arith::DivFOp>(op))
    return number == 0 ? div(g, x(1)) : neg(div(mul(g, result()), x(1)));
  if (isa<arith::RemFOp>(op))
    return number == 0 ? g : neg(mul(g, create<math::TruncOp>(div(x(0), x(1)))));
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return pick(x(), x(1 - number), /*isMaximum=*/true, g);
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return pick(x(), x(1 - number), /*isMaximum=*/false, g);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return number == 1 ? select(choice.getCondition(), g, constant(0))
                       : select(choice.getCondition(), constant(0), g);
  if (isa<math::FmaOp>(op))
    return number == 2 ? g : mul(g, x(1 - number));
  if (isa<math::ClampFOp>(op))
    return createClamp();
  if (isa<math::AbsFOp>(op))
    return select(compare(arith::CmpFPredicate::OEQ, x(), constant(0)), constant(0),
                  mul(g, signOf(x())));
  if (isa<math::CopySignOp>(op))
    return mul(g, mul(signOf(x(0)), signOf(x(1)))); // the sign's operand has none
  return Value();
}

Value Products::createPower() {
  Value zero = constant(0);
  if (auto power = dyn_cast<math::FPowIOp>(op)) {
    Value exponent = power.getRhs();
    Value one = arith::ConstantOp::create(builder, loc, builder.getOneAttr(exponent.getType()));
    Value less = create<arith::SubIOp>(exponent, one);
    Value slope = mul(create<arith::SIToFPOp>(type, exponent), create<math::FPowIOp>(x(0), less));
    Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(exponent.getType()));
    Value isConstant = create<arith::CmpIOp>(arith::CmpIPredicate::eq, exponent, none);
    return select(isConstant, zero, mul(g, slope));
  }
  // x^0 is 1 for every x, and 0^y does not change with y: no 0·∞ at these points.
  if (number == 0) {
    Value slope = mul(x(1), create<math::PowFOp>(x(0), sub(x(1), constant(1))));
    return select(compare(arith::CmpFPredicate::OEQ, x(1), zero), zero, mul(g, slope));
  }
  Value slope = mul(result(), create<math::LogOp>(x(0)));
  return select(compare(arith::CmpFPredicate::OEQ, x(0), zero), zero, mul(g, slope));
}

/// Powers, roots, exponentials, logarithms, the error function; null if `op` is none of these.
Value Products::createExponential() {
  if (isa<math::PowFOp, math::FPowIOp>(op))
    return createPower();
  if (isa<math::SqrtOp>(op))
    return div(scale(0.5, g), result());
  if (isa<math::RsqrtOp>(op))
    return div(mul(scale(-0.5, g), result()), x());
  if (isa<math::CbrtOp>(op))
    return div(g, scale(3, mul(result(), result())));
  if (isa<math::ExpOp>(op))
    return mul(g, result());
  if (isa<math::Exp2Op>(op))
    return mul(g, scale(M_LN2, result()));
  if (isa<math::ExpM1Op>(op))
    return mul(g, add(result(), constant(1)));
  if (isa<math::LogOp>(op))
    return div(g, x());
  if (isa<math::Log2Op>(op))
    return div(g, scale(M_LN2, x()));
  if (isa<math::Log10Op>(op))
    return div(g, scale(M_LN10, x()));
  if (isa<math::Log1pOp>(op))
    return div(g, add(x(), constant(1)));
  if (isa<math::ErfOp, math::ErfcOp>(op)) {
    double slope = isa<math::ErfOp>(op) ? M_2_SQRTPI : -M_2_SQRTPI;
    return mul(g, scale(slope, create<math::ExpOp>(neg(mul(x(), x())))));
  }
  return Value();
}

/// Null if `op` is none of these.
Value Products::createTrigonometric() {
  if (isa<math::SinOp>(op))
    return mul(g, create<math::CosOp>(x()));
  if (isa<math::CosOp>(op))
    return neg(mul(g, create<math::SinOp>(x())));
  if (isa<math::TanOp>(op))
    return mul(g, add(constant(1), mul(result(), result())));
  // (1 − x)(1 + x) keeps its digits near ±1, where 1 − x² loses them.
  auto complement = [&] { return mul(sub(constant(1), x()), add(constant(1), x())); };
  if (isa<math::AsinOp>(op))
    return div(g, sqrt(complement()));
  if (isa<math::AcosOp>(op))
    return neg(div(g, sqrt(complement())));
  if (isa<math::AtanOp>(op))
    return div(g, add(constant(1), mul(x(), x())));
  if (isa<math::Atan2Op>(op)) {
    Value squares = add(mul(x(0), x(0)), mul(x(1), x(1)));
    return number == 0 ? div(mul(g, x(1)), squares) : neg(div(mul(g, x(0)), squares));
  }
  return Value();
}

/// Null if `op` is none of these.
Value Products::createHyperbolic() {
  if (isa<math::SinhOp>(op))
    return mul(g, create<math::CoshOp>(x()));
  if (isa<math::CoshOp>(op))
    return mul(g, create<math::SinhOp>(x()));
  if (isa<math::TanhOp>(op))
    return mul(g, sub(constant(1), mul(result(), result())));
  if (isa<math::AsinhOp>(op))
    return div(g, sqrt(add(mul(x(), x()), constant(1))));
  if (isa<math::AcoshOp>(op))
    return div(g, sqrt(mul(sub(x(), constant(1)), add(x(), constant(1)))));
  if (isa<math::AtanhOp>(op))
    return div(g, mul(sub(constant(1), x()), add(constant(1), x())));
  return Value();
}

Value fa::createProduct(OpBuilder &builder, OpOperand &operand, Value factor) {
  assert(hasDerivative(operand.getOwner()) && "checked by the caller");
  bool isSign = isa<math::CopySignOp>(operand.getOwner()) && operand.getOperandNumber() == 1;
  if (isSign || !isa<FloatType>(operand.get().getType()))
    return Value();
  Products products(builder, operand, factor);
  if (Value product = products.createArithmetic())
    return product;
  if (Value product = products.createExponential())
    return product;
  if (Value product = products.createTrigonometric())
    return product;
  Value product = products.createHyperbolic();
  assert(product && "hasDerivative lists the ops of the functions above");
  return product;
}
