//===- EmitScalar.cpp - Index and scalar arithmetic -----------------------===//
//
// An index is an i32 where its bounds are known to fit, otherwise an i64.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

Value Emitter::setBounds(Value value, Bounds known) {
  bounds[value] = known;
  return value;
}

Bounds Emitter::boundsOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return {number.getSExtValue(), number.getSExtValue()};
  auto it = bounds.find(value);
  if (it != bounds.end())
    return it->second;
  if (value.getType().isInteger(32))
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  return {};
}

Value Emitter::dimOf(Value tensor, int64_t dim) {
  auto argument = cast<BlockArgument>(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  unsigned operand = argument.getArgNumber();
  KernelParameter parameter{KernelParameter::Kind::Dim, operand, static_cast<unsigned>(dim)};
  return setBounds(parameterOf(parameter, b.getI32Type()), {0, kMaxDimSize});
}

/// A scalar argument. An index comes as 64 bits, a boolean as a byte.
Value Emitter::scalarParameter(unsigned operand, Type type) {
  KernelParameter parameter{KernelParameter::Kind::Scalar, operand};
  if (type.isIndex())
    return parameterOf(parameter, b.getI64Type());
  if (!type.isInteger(1))
    return parameterOf(parameter, type);
  Value byte = parameterOf(parameter, b.getI8Type());
  Value zero = arith::ConstantOp::create(preamble, loc, b.getI8IntegerAttr(0));
  return arith::CmpIOp::create(preamble, loc, arith::CmpIPredicate::ne, byte, zero);
}

FailureOr<Value> Emitter::scalar(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value)) {
    int64_t number = cast<IntegerAttr>(attribute).getInt();
    return llvm::isInt<32>(number) ? constant(number) : constant64(number);
  }
  return scalar(cast<Value>(value));
}

FailureOr<Value> Emitter::scalar(Value value) {
  for (DenseMap<Value, Value> &scope : llvm::reverse(scopes))
    if (Value emitted = scope.lookup(value))
      return emitted;
  Operation *op = value.getDefiningOp();
  if (!op) {
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    if (isa<FunctionOpInterface>(value.getParentBlock()->getParentOp()))
      return scalarParameter(number, value.getType());
    return graph.getForall().emitOpError("uses a value that is no argument of the function"),
           failure();
  }
  // Outside of loops a value is the same for the whole kernel.
  bool isInvariant = !op->getParentOfType<scf::ForOp>();
  OpBuilder::InsertionGuard guard(b);
  if (isInvariant)
    b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
  SmallVector<Value> operands;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    if (!index || !argument || !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      return dim.emitOpError("expects a constant dim of a function argument"), failure();
    return dimOf(argument, *index);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Node *load = graph.loadOf(extract.getTensor());
    if (!load || !extract.getIndices().empty())
      return extract.emitOpError("expects the only element of a slice of an argument"), failure();
    FailureOr<Value> loaded = loadElement(*load, {});
    if (succeeded(loaded))
      (isInvariant ? scopes.front() : scopes.back())[value] = *loaded;
    return loaded;
  }
  for (Value operand : op->getOperands()) {
    FailureOr<Value> emitted = scalar(operand);
    if (failed(emitted))
      return failure();
    operands.push_back(*emitted);
  }
  FailureOr<Value> result = scalarOp(op, operands);
  if (succeeded(result))
    (isInvariant ? scopes.front() : scopes.back())[value] = *result;
  return result;
}

/// Operations on an index: at least one operand or the result is one.
static bool isIndexOp(Operation *op) {
  auto isIndex = [](Type type) { return type.isIndex(); };
  return llvm::any_of(op->getOperandTypes(), isIndex) ||
         llvm::any_of(op->getResultTypes(), isIndex);
}

FailureOr<Value> Emitter::scalarOp(Operation *op, ValueRange operands) {
  if (op->getNumResults() != 1)
    return op->emitOpError("expects one result in scalar code for the GPU"), failure();
  if (isIndexOp(op))
    return indexOp(op, operands);
  if (op->getName().getDialectNamespace() == "math")
    return mathOp(op, operands);
  if (op->getName().getDialectNamespace() != "arith")
    return op->emitOpError("expects arith or math in scalar code for the GPU"), failure();
  Operation *copy = b.create(loc, op->getName().getIdentifier(), operands, op->getResultTypes(),
                             op->getAttrDictionary().getValue());
  SmallVector<Value> folded;
  // A fold in place changes the op and gives no value.
  if (succeeded(b.tryFold(copy, folded)) && !folded.empty()) {
    copy->erase();
    return folded[0];
  }
  return copy->getResult(0);
}

Value Emitter::indexBinary(StringRef opName, Value left, Value right, Bounds known) {
  bool isNarrow = left.getType().isInteger(32) && right.getType().isInteger(32) &&
                  llvm::isInt<32>(known.low) && llvm::isInt<32>(known.high);
  if (!isNarrow)
    left = widen(left), right = widen(right);
  Operation *op = b.create(loc, b.getStringAttr(opName), {left, right}, {left.getType()});
  SmallVector<Value> folded;
  Value result = op->getResult(0);
  if (succeeded(b.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    result = folded[0];
  }
  bool isSmall = llvm::isInt<32>(known.low) && llvm::isInt<32>(known.high);
  if (isSmall && result.getType().isInteger(64))
    result = b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), result);
  return setBounds(result, known);
}

namespace {

/// Interval arithmetic on the few operations that positions are made of; anything else is
/// unbounded, i.e. 64 bits.
struct IntervalOps {
  Bounds a, b;

  std::optional<Bounds> of(StringRef name) const {
    if (!isSmall(a) || !isSmall(b))
      return std::nullopt;
    if (name == "arith.addi")
      return Bounds{a.low + b.low, a.high + b.high};
    if (name == "arith.subi")
      return Bounds{a.low - b.high, a.high - b.low};
    if (name == "arith.muli") {
      int64_t products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      return Bounds{*std::min_element(products, products + 4),
                    *std::max_element(products, products + 4)};
    }
    if (name == "arith.minsi")
      return Bounds{std::min(a.low, b.low), std::min(a.high, b.high)};
    if (name == "arith.maxsi")
      return Bounds{std::max(a.low, b.low), std::max(a.high, b.high)};
    bool isSigned = name.ends_with("si");
    if (b.low < 1 || !(isSigned || a.low >= 0))
      return std::nullopt;
    if (name.contains("div"))
      return Bounds{llvm::divideFloorSigned(a.low, a.low < 0 ? b.low : b.high),
                    llvm::divideCeilSigned(a.high, a.high < 0 ? b.high : b.low)};
    if (name.contains("rem"))
      return Bounds{std::max(std::min<int64_t>(a.low, 0), -b.high),
                    std::min(std::max<int64_t>(a.high, 0), b.high)};
    return std::nullopt;
  }

private:
  static bool isSmall(Bounds bounds) {
    return llvm::isInt<32>(bounds.low) && llvm::isInt<32>(bounds.high);
  }
};

} // namespace

FailureOr<Value> Emitter::indexOp(Operation *op, ValueRange operands) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return scalar(OpFoldResult(constantOp.getValue()));
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return affine(apply.getAffineMap().getResult(0),
                  operands.take_front(apply.getAffineMap().getNumDims()),
                  operands.drop_front(apply.getAffineMap().getNumDims()));
  if (isa<affine::AffineMinOp, affine::AffineMaxOp>(op)) {
    auto map = cast<AffineMapAttr>(op->getAttr("map")).getValue();
    Value best;
    for (AffineExpr expr : map.getResults()) {
      FailureOr<Value> value = affine(expr, operands.take_front(map.getNumDims()),
                                      operands.drop_front(map.getNumDims()));
      if (failed(value))
        return failure();
      StringRef name = isa<affine::AffineMinOp>(op) ? "arith.minsi" : "arith.maxsi";
      best = best ? indexBinary(
                        name, best, *value,
                        IntervalOps{boundsOf(best), boundsOf(*value)}.of(name).value_or(Bounds()))
                  : *value;
    }
    return best;
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
    Type target = cast.getType().isIndex() ? b.getI64Type() : cast.getType();
    Value in = operands[0];
    unsigned from = in.getType().getIntOrFloatBitWidth(), to = target.getIntOrFloatBitWidth();
    if (cast.getType().isIndex() && from <= 32)
      return from == 32 ? in : b.createOrFold<arith::ExtSIOp>(loc, b.getI32Type(), in);
    Value out = from == to  ? in
                : from < to ? b.createOrFold<arith::ExtSIOp>(loc, target, in)
                            : b.createOrFold<arith::TruncIOp>(loc, target, in);
    return setBounds(out, boundsOf(in));
  }
  StringRef name = op->getName().getStringRef();
  bool isSupported = isa<arith::CmpIOp, arith::SelectOp>(op) ||
                     (op->getName().getDialectNamespace() == "arith" && operands.size() == 2 &&
                      op->getResult(0).getType().isIndex());
  if (!isSupported)
    return op->emitOpError("expects arithmetic on indices that the GPU code generator knows"),
           failure();
  SmallVector<Value> values(operands);
  unsigned firstIndex = isa<arith::SelectOp>(op) ? 1 : 0;
  Value &left = values[firstIndex], &right = values[firstIndex + 1];
  if (!isa<arith::CmpIOp, arith::SelectOp>(op)) {
    Bounds known = IntervalOps{boundsOf(left), boundsOf(right)}.of(name).value_or(Bounds());
    return indexBinary(name, left, right, known);
  }
  Bounds a = boundsOf(left), c = boundsOf(right);
  if (left.getType() != right.getType())
    left = widen(left), right = widen(right);
  Type type = isa<arith::CmpIOp>(op) ? b.getI1Type() : left.getType();
  Value result = b.create(loc, op->getName().getIdentifier(), values, {type},
                          op->getAttrDictionary().getValue())
                     ->getResult(0);
  return setBounds(result, {std::min(a.low, c.low), std::max(a.high, c.high)});
}

FailureOr<Value> Emitter::affine(AffineExpr expr, ValueRange dims, ValueRange symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return scalar(OpFoldResult(b.getIndexAttr(number.getValue())));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<Value> left = affine(binary.getLHS(), dims, symbols);
  FailureOr<Value> right = affine(binary.getRHS(), dims, symbols);
  StringRef name = expr.getKind() == AffineExprKind::Add        ? "arith.addi"
                   : expr.getKind() == AffineExprKind::Mul      ? "arith.muli"
                   : expr.getKind() == AffineExprKind::FloorDiv ? "arith.floordivsi"
                   : expr.getKind() == AffineExprKind::CeilDiv  ? "arith.ceildivsi"
                                                                : "arith.remsi";
  Bounds known = IntervalOps{boundsOf(*left), boundsOf(*right)}.of(name).value_or(Bounds());
  // A remainder in an affine map is never negative, one of arith has the dividend's sign.
  if (name == "arith.remsi" && boundsOf(*left).low < 0) {
    Value rest = indexBinary(name, *left, *right, known);
    name = "arith.remsi";
    Value shifted = indexBinary("arith.addi", rest, *right, Bounds());
    return indexBinary(name, shifted, *right, Bounds());
  }
  return indexBinary(name, *left, *right, known);
}
