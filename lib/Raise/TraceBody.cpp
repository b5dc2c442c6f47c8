//===- TraceBody.cpp - Scalar arithmetic in bodies and outside ------------===//

#include "TraceBody.h"
#include "TraceAccess.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

Expr mlir::fa::applyOp(ExprContext &exprs, Operation *op, ArrayRef<Expr> operands,
                       Type resultType) {
  StringRef dialect = op->getName().getDialectNamespace();
  if ((dialect != "arith" && dialect != "math") || op->getNumRegions() != 0 ||
      op->getNumResults() != 1 || isa<arith::BitcastOp>(op))
    return nullptr;
  auto isKnown = [](Type type) { return getElementTypeOrSelf(type).isIntOrIndexOrFloat(); };
  if (!isKnown(resultType) || !llvm::all_of(op->getOperandTypes(), isKnown))
    return nullptr;
  return exprs.apply(op->getName().getStringRef(), op->getAttrDictionary(), operands, resultType);
}

Expr mlir::fa::applyAffine(ExprContext &exprs, AffineExpr expr, ArrayRef<Expr> dims,
                           ArrayRef<Expr> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return exprs.index(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr left = applyAffine(exprs, binary.getLHS(), dims, symbols);
  Expr right = applyAffine(exprs, binary.getRHS(), dims, symbols);
  if (!left || !right)
    return nullptr;
  std::optional<int64_t> divisor = right->getInt();
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return exprs.add(left, right);
  case AffineExprKind::Mul:
    return exprs.multiply(left, right);
  case AffineExprKind::FloorDiv:
    return divisor && *divisor > 0 ? exprs.floorDiv(left, *divisor) : nullptr;
  case AffineExprKind::CeilDiv:
    return divisor && *divisor > 0
               ? exprs.floorDiv(exprs.add(left, exprs.index(*divisor - 1)), *divisor)
               : nullptr;
  case AffineExprKind::Mod:
    return divisor && *divisor > 0 ? exprs.mod(left, *divisor) : nullptr;
  default:
    return nullptr;
  }
}

LogicalResult Tracer::enterBody(linalg::LinalgOp op, ArrayRef<Expr> loops, Body &body) {
  body.loops.assign(loops.begin(), loops.end());
  body.scope = op;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument)
      return failure();
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType())) {
      Expr scalar = evaluate(value);
      if (!scalar)
        return failure();
      body.values[argument] = scalar;
      continue;
    }
    Indices indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      Expr index = applyAffine(exprs, expr, loops, {});
      if (!index)
        return failure();
      indices.push_back(index);
    }
    body.values[argument] = access(value, indices);
  }
  return success();
}

Expr Tracer::evaluate(Value scalar) {
  scalar = meaning.getBound(scalar);
  auto known = scalars.find(scalar);
  if (known != scalars.end())
    return known->second;
  Expr e = nullptr;
  Body body;
  if (auto result = dyn_cast<OpResult>(scalar)) {
    e = evaluateOp(result.getOwner(), result.getResultNumber(), body);
    if (!e)
      if (Value value = meaning.getMeaning(result))
        e = evaluate(value);
  }
  if (!e)
    e = exprs.scalar(scalar);
  return scalars[scalar] = e;
}

Expr Tracer::evaluate(Value value, Body &body) {
  auto known = body.values.find(value);
  if (known != body.values.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  Region *region = value.getParentRegion();
  bool isInside = body.scope && body.scope->isProperAncestor(region->getParentOp());
  isInside |= body.scope && region->getParentOp() == body.scope;
  if (!isInside)
    return evaluate(value);
  if (!op)
    return nullptr;
  Expr e = evaluateOp(op, cast<OpResult>(value).getResultNumber(), body);
  return body.values[value] = e;
}

Expr Tracer::evaluateAccess(Value tensor, ArrayRef<Expr> indices, Body &body) {
  if (auto elements = tensor.getDefiningOp<tensor::FromElementsOp>()) {
    int64_t position = 0;
    for (auto [index, size] : llvm::zip_equal(indices, elements.getType().getShape())) {
      std::optional<int64_t> constant = index->getInt();
      if (!constant || *constant < 0 || *constant >= size)
        return nullptr;
      position = position * size + *constant;
    }
    return evaluate(elements.getElements()[position], body);
  }
  Region *region = tensor.getParentRegion();
  if (body.scope &&
      (region->getParentOp() == body.scope || body.scope->isProperAncestor(region->getParentOp())))
    return nullptr;
  tensor = meaning.getBound(tensor);
  if (!coversKnownSizes(tensor, indices))
    return nullptr;
  return access(tensor, indices);
}

Expr Tracer::evaluateOp(Operation *op, unsigned result, Body &body) {
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return isa<IntegerAttr, FloatAttr>(constant) ? exprs.constant(constant) : nullptr;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim() < body.loops.size() ? body.loops[index.getDim()] : nullptr;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Expr condition = evaluate(branch.getCondition(), body);
    if (!condition || branch.getElseRegion().empty() || !body.scope)
      return nullptr;
    Expr whenTrue = evaluate(branch.thenYield().getOperand(result), body);
    Expr whenFalse = evaluate(branch.elseYield().getOperand(result), body);
    return whenTrue && whenFalse ? exprs.select(condition, whenTrue, whenFalse) : nullptr;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> position = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    bool isKnown = position && type && *position >= 0 && *position < type.getRank();
    return isKnown ? size(dim.getSource(), *position) : nullptr;
  }
  Indices operands;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    for (Value index : extract.getIndices()) {
      Expr e = evaluate(index, body);
      if (!e)
        return nullptr;
      operands.push_back(e);
    }
    return evaluateAccess(extract.getTensor(), operands, body);
  }
  if (op->getNumRegions() != 0)
    return nullptr;
  for (Value operand : op->getOperands()) {
    Expr e = operand.getType().isIntOrIndexOrFloat() ? evaluate(operand, body) : nullptr;
    if (!e)
      return nullptr;
    operands.push_back(e);
  }
  if (auto affine = dyn_cast<affine::AffineApplyOp>(op)) {
    unsigned numDims = affine.getAffineMap().getNumDims();
    return applyAffine(exprs, affine.getAffineMap().getResult(0),
                       ArrayRef(operands).take_front(numDims),
                       ArrayRef(operands).drop_front(numDims));
  }
  return applyOp(exprs, op, operands, op->getResult(result).getType());
}

bool Tracer::coversKnownSizes(Value tensor, ArrayRef<Expr> indices) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    Expr extent = type.isDynamicDim(dimension) ? exprs.getExtent(index) : nullptr;
    if (type.isDynamicDim(dimension) &&
        !(extent && exprs.sameSize(size(tensor, dimension), extent)))
      return false;
  }
  return true;
}
