//===- WidenToF64.cpp - The reference in f64 with f32's range --------------===//

#include "fa/Reference/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WIDENTOF64
#include "fa/Reference/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Half a unit in the last place above FLT_MAX: what rounds to infinity in f32.
static constexpr double kBeyondF32 = 0x1.ffffffp127;

/// Whether a type is a float, or holds floats.
static bool holdsFloat(Type type) {
  bool found = false;
  type.walk([&](FloatType) { found = true; });
  return found;
}

static bool touchesFloats(Operation *op) {
  auto isFloat = [](Type type) { return holdsFloat(type); };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

/// Fails at an op whose meaning would change with the width of its floats.
static LogicalResult checkOp(Operation *op) {
  static const llvm::StringSet<> known = {"arith",  "math", "linalg",        "tensor", "scf",
                                          "cf",     "func", "bufferization", "memref", "shape",
                                          "affine", "ub",   "vector"};
  if (!touchesFloats(op))
    return success();
  if (!known.contains(op->getName().getDialectNamespace()))
    return op->emitOpError(
        "cannot be evaluated in f64: expects ops of linalg, tensor, arith, math, "
        "scf, cf and func; lower it first");
  if (isa<arith::BitcastOp, tensor::BitcastOp, vector::BitCastOp, memref::ViewOp,
          arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return op->emitOpError("cannot be evaluated in f64: it depends on the bits of a float");
  auto isComplex = [](Type type) { return isa<ComplexType>(getElementTypeOrSelf(type)); };
  if (llvm::any_of(op->getOperandTypes(), isComplex) ||
      llvm::any_of(op->getResultTypes(), isComplex))
    return op->emitOpError("cannot be evaluated in f64: complex numbers are not supported");
  bool computes = isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (computes && !isa<arith::ConstantOp>(op) &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
    return op->emitOpError("cannot be evaluated in f64: expects arithmetic on scalars; run "
                           "-convert-elementwise-to-linalg first");
  return success();
}

/// Whether an op's result can lie outside f32's range though its operands do not.
static bool canOverflow(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::ExpOp, math::Exp2Op,
             math::ExpM1Op, math::PowFOp, math::FPowIOp, math::FmaOp, math::SinhOp, math::CoshOp,
             math::TanOp, math::RsqrtOp>(op);
}

/// The width of the float that a value is or holds; 0 if it holds none.
static unsigned getFloatWidth(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element ? element.getWidth() : 0;
}

namespace {
/// Rewrites types and constants.
class Widening {
public:
  explicit Widening(MLIRContext *context) : f64(Float64Type::get(context)) {
    replacer.addReplacement(
        [this](FloatType) -> std::pair<Type, WalkResult> { return {f64, WalkResult::skip()}; });
    replacer.addReplacement([this](FloatAttr attr) -> std::pair<Attribute, WalkResult> {
      return {FloatAttr::get(f64, widen(attr.getValue())), WalkResult::skip()};
    });
    replacer.addReplacement([this](DenseFPElementsAttr attr) -> std::pair<Attribute, WalkResult> {
      return {
          attr.mapValues(f64, [](const APFloat &value) { return widen(value).bitcastToAPInt(); }),
          WalkResult::skip()};
    });
    replacer.addReplacement(
        [this](DenseResourceElementsAttr attr) -> std::pair<Attribute, WalkResult> {
          return {widenResource(attr), WalkResult::skip()};
        });
    // Its elements are not of a type that the IR computes with.
    replacer.addReplacement([](DenseArrayAttr attr) -> std::pair<Attribute, WalkResult> {
      return {attr, WalkResult::skip()};
    });
  }

  void apply(Operation *op) {
    replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

private:
  static APFloat widen(APFloat value) {
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value;
  }

  /// A weight kept beside the IR becomes an ordinary constant.
  Attribute widenResource(DenseResourceElementsAttr attr) {
    auto element = dyn_cast<FloatType>(attr.getType().getElementType());
    AsmResourceBlob *blob = attr.getRawHandle().getBlob();
    if (!element || !blob)
      return attr;
    auto narrow =
        DenseElementsAttr::getFromRawBuffer(cast<ShapedType>(attr.getType()), blob->getData());
    return cast<DenseFPElementsAttr>(narrow).mapValues(
        f64, [](const APFloat &value) { return widen(value).bitcastToAPInt(); });
  }

  Float64Type f64;
  AttrTypeReplacer replacer;
};
} // namespace

/// A float constant of `type`, which is f64 or a vector of it.
static Value createConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attr = builder.getF64FloatAttr(value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// x as f32 would hold it, but for its rounding: ±inf beyond f32's range.
static Value limitToF32Range(OpBuilder &builder, Location loc, Value x) {
  Type type = x.getType();
  Value limit = createConstant(builder, loc, type, kBeyondF32);
  Value infinity = createConstant(builder, loc, type, std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  Value isBeyond = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, magnitude, limit);
  Value signedInfinity = math::CopySignOp::create(builder, loc, infinity, x);
  return arith::SelectOp::create(builder, loc, isBeyond, signedInfinity, x);
}

/// Replaces all uses of `value` but those that `limitToF32Range` makes.
static void limitUses(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value value = op->getResult(0);
  SmallVector<OpOperand *> uses =
      llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; });
  Value limited = limitToF32Range(builder, op->getLoc(), value);
  for (OpOperand *use : uses)
    use->set(limited);
}

namespace {
struct WidenToF64 : fa::impl::WidenToF64Base<WidenToF64> {
  void runOnOperation() override {
    SmallVector<Operation *> limited, casts;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (failed(checkOp(op)))
        return WalkResult::interrupt();
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        casts.push_back(op);
      if (canOverflow(op) && getFloatWidth(op->getResult(0).getType()) <= 32)
        limited.push_back(op);
      else if (isa<arith::TruncFOp>(op) && getFloatWidth(op->getOperand(0).getType()) > 32)
        limited.push_back(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    Widening(&getContext()).apply(getOperation());
    for (Operation *op : limited)
      limitUses(op);
    for (Operation *op : casts) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  }
};
} // namespace
