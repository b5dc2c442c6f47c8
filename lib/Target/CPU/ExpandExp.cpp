//===- ExpandExp.cpp - fa-cpu-expand-exp ----------------------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_EXPANDEXP
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Arithmetic on f32 vectors of one shape.
struct VectorArithmetic {
  OpBuilder &builder;
  Location loc;
  VectorType type;

  Value constant(double value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getFloatAttr(type.getElementType(), value)));
  }
  Value fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, loc, a, b, c); }
};
} // namespace

/// Adding it rounds an f32 below 2^22 to an integer, which stands in the low bits of the sum.
static constexpr double kRounder = 12582912; // 1.5 · 2^23

/// exp(r) for |r| ≤ ln 2 / 2, within an ulp, by Cephes' polynomial.
static Value createPolynomial(VectorArithmetic math, Value r) {
  Value p = math.constant(1.9875691500e-4);
  for (double coefficient :
       {1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1})
    p = math.fma(p, r, math.constant(coefficient));
  Value square = arith::MulFOp::create(math.builder, math.loc, r, r);
  p = math.fma(p, square, r);
  return arith::AddFOp::create(math.builder, math.loc, p, math.constant(1));
}

/// exp(x) = 2^n · exp(r) with n = round(x / ln 2) and r = x − n·ln 2, in two steps so that it is
/// exact enough; 2^n is added to the exponent of exp(r).
static Value expand(OpBuilder &builder, math::ExpOp op) {
  auto type = cast<VectorType>(op.getType());
  Location loc = op.getLoc();
  VectorArithmetic math{builder, loc, type};
  Value x = op.getOperand();
  Value shifted = math.fma(x, math.constant(1.44269504088896341), math.constant(kRounder));
  Value n = arith::SubFOp::create(builder, loc, shifted, math.constant(kRounder));
  Value r = math.fma(n, math.constant(-0.693359375), x);
  r = math.fma(n, math.constant(2.12194440e-4), r);
  Value p = createPolynomial(math, r);

  auto integers = type.clone(builder.getI32Type());
  auto position = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(integers, builder.getI32IntegerAttr(23)));
  Value exponent = arith::BitcastOp::create(builder, loc, integers, shifted);
  exponent = arith::ShLIOp::create(builder, loc, exponent, position);
  Value bits = arith::BitcastOp::create(builder, loc, integers, p);
  bits = arith::AddIOp::create(builder, loc, bits, exponent);
  Value result = arith::BitcastOp::create(builder, loc, type, bits);

  // Beyond these the exponent leaves its field.
  constexpr double kLargest = 88.72283, kSmallest = -87.33;
  auto choose = [&](arith::CmpFPredicate predicate, Value bound, Value value) {
    Value isBeyond = arith::CmpFOp::create(builder, loc, predicate, x, bound);
    result = arith::SelectOp::create(builder, loc, isBeyond, value, result);
  };
  choose(arith::CmpFPredicate::OLT, math.constant(kSmallest), math.constant(0));
  choose(arith::CmpFPredicate::OGT, math.constant(kLargest),
         math.constant(std::numeric_limits<double>::infinity()));
  choose(arith::CmpFPredicate::UNO, x, x);
  return result;
}

namespace {
struct ExpandExp : fa::impl::ExpandExpBase<ExpandExp> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<math::ExpOp> ops;
    getOperation()->walk([&](math::ExpOp op) {
      auto type = dyn_cast<VectorType>(op.getType());
      if (type && type.getElementType().isF32())
        ops.push_back(op);
    });
    for (math::ExpOp op : ops) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, expand(rewriter, op));
    }
  }
};
} // namespace
