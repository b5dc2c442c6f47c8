//===- BuildRegions.cpp - Expressions as values and as regions ------------===//

#include "AccessLayout.h"
#include "BuildAttention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// True for what is the same for every score: it is computed once, outside.
bool AttentionBuilder::isHoisted(Expr e) {
  if (e->atoms != 0 || e->kind == ExprKind::Constant || e->kind == ExprKind::Load)
    return false;
  if (e->kind == ExprKind::Marker)
    return false;
  return llvm::all_of(e->operands, [&](Expr operand) {
    return operand->kind == ExprKind::Constant || isHoisted(operand);
  });
}

void AttentionBuilder::collectExtras(Expr e, llvm::DenseSet<Expr> &seen) {
  if (!seen.insert(e).second)
    return;
  bool isLoad = e->kind == ExprKind::Load;
  if (isLoad || isHoisted(e)) {
    Operand operand = isLoad ? readOperand(e) : getScalarOperand(e);
    for (auto [number, known] : llvm::enumerate(extras))
      if (known.value == operand.value && known.map == operand.map) {
        extraNumbers[e] = number;
        return;
      }
    extraNumbers[e] = extras.size();
    extras.push_back(operand);
    return;
  }
  for (Expr operand : e->operands)
    collectExtras(operand, seen);
}

/// A sink has the accumulation type; another one gets a copy, which is one number per row.
AttentionBuilder::Operand AttentionBuilder::readSink() {
  Expr sink = match.sink;
  if (sink->kind == ExprKind::Load && getElementTypeOrSelf(sink->value.getType()) == accumulation)
    return readOperand(sink);
  return copyExpression(sink);
}

/// Everything in `e` that exists outside of loops: tensors, scalars, sizes.
static void collectOutside(Expr e, llvm::SetVector<Expr> &found) {
  if (found.contains(e))
    return;
  if (e->kind == ExprKind::Load || e->kind == ExprKind::Scalar || e->kind == ExprKind::Dim)
    found.insert(e);
  for (Expr operand : e->operands)
    collectOutside(operand, found);
}

/// A tensor with the value of `e` for all its atoms: what no view can express.
AttentionBuilder::Operand AttentionBuilder::copyExpression(Expr e) {
  SmallVector<Expr> atoms;
  SmallVector<AffineExpr> results;
  SmallVector<OpFoldResult> sizes;
  for (Expr atom : dims.atoms)
    if (atom->atoms & e->atoms) {
      atoms.push_back(atom);
      results.push_back(builder.getAffineDimExpr(dims.getDim(atom)));
      Expr size = exprs.getAtomSize(atom->number);
      std::optional<int64_t> constant = size->getInt();
      sizes.push_back(constant ? OpFoldResult(builder.getIndexAttr(*constant))
                               : OpFoldResult(emitScalar(size)));
    }
  // Loads that have a layout are inputs, by the same views as everywhere; others are read by index.
  llvm::SetVector<Expr> outside;
  collectOutside(e, outside);
  SmallVector<AffineExpr> loops(dims.atoms.size(), builder.getAffineConstantExpr(0));
  for (auto [i, atom] : llvm::enumerate(atoms))
    loops[dims.getDim(atom)] = builder.getAffineDimExpr(i);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<Expr> read;
  llvm::DenseMap<Expr, Value> values;
  for (Expr part : outside) {
    if (part->kind != ExprKind::Load) {
      values[part] = convert(builder, emitScalar(part));
    } else if (getLayout(exprs, part)) {
      Operand operand = readOperand(part);
      inputs.push_back(operand.value);
      maps.push_back(operand.map.replaceDimsAndSymbols(loops, {}, atoms.size(), 0));
      read.push_back(part);
    } else {
      materialize(part->value);
    }
  }
  maps.push_back(builder.getMultiDimIdentityMap(atoms.size()));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, getType(e->type));
  SmallVector<utils::IteratorType> iterators(atoms.size(), utils::IteratorType::parallel);
  auto copy =
      linalg::GenericOp::create(builder, loc, empty.getType(), inputs, empty, maps, iterators,
                                [&](OpBuilder &inside, Location loc, ValueRange arguments) {
                                  for (auto [load, argument] : llvm::zip(read, arguments))
                                    values[load] = convert(inside, argument);
                                  for (auto [i, atom] : llvm::enumerate(atoms))
                                    values[atom] = linalg::IndexOp::create(inside, loc, i);
                                  linalg::YieldOp::create(inside, loc, emit(inside, e, values));
                                });
  return {copy.getResult(0), AffineMap::get(dims.atoms.size(), 0, results, builder.getContext())};
}

/// A float in the accumulation type; anything else as it is.
Value AttentionBuilder::convert(OpBuilder &inside, Value value) {
  return isa<FloatType>(value.getType()) ? castFloat(inside, value, accumulation) : value;
}

Value AttentionBuilder::castFloat(OpBuilder &inside, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(inside, loc, type, value);
  return arith::TruncFOp::create(inside, loc, type, value);
}

Value AttentionBuilder::emitScalar(Expr e) {
  if (Value known = scalars.lookup(e))
    return known;
  if (e->kind == ExprKind::Scalar)
    return scalars[e] = materialize(e->value);
  if (e->kind == ExprKind::Dim)
    return scalars[e] = tensor::DimOp::create(builder, loc, materialize(e->value), e->number);
  llvm::DenseMap<Expr, Value> values;
  std::function<void(Expr)> bind = [&](Expr operand) {
    if (operand->kind == ExprKind::Scalar || operand->kind == ExprKind::Dim)
      values[operand] = convert(builder, emitScalar(operand));
    else if (operand->kind == ExprKind::Load)
      values[operand] = emitElement(operand);
    else
      llvm::for_each(operand->operands, bind);
  };
  bind(e);
  return scalars[e] = emit(builder, e, values);
}

/// An element that no loop index selects.
Value AttentionBuilder::emitElement(Expr load) {
  SmallVector<Value> indices;
  for (Expr index : load->operands)
    indices.push_back(emitScalar(index));
  return convert(builder,
                 tensor::ExtractOp::create(builder, loc, materialize(load->value), indices));
}

void AttentionBuilder::fillRegion(Region &region, Expr e, int64_t marker) {
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder inside(builder.getContext());
  Block *block = inside.createBlock(&region);
  llvm::DenseMap<Expr, Value> values;
  values[exprs.marker(marker)] = block->addArgument(accumulation, loc);
  for (auto [atom, role] : llvm::zip_equal(dims.atoms, dims.roles))
    if (role != DimRole::head_dim && role != DimRole::value_dim)
      values[atom] = block->addArgument(builder.getIndexType(), loc);
  SmallVector<Value> arguments;
  for (Operand &extra : extras)
    arguments.push_back(block->addArgument(getElementTypeOrSelf(extra.value.getType()), loc));
  inside.setInsertionPointToStart(block);
  llvm::DenseSet<Expr> seen;
  std::function<void(Expr)> bind = [&](Expr operand) {
    if (!seen.insert(operand).second)
      return;
    auto known = extraNumbers.find(operand);
    if (known != extraNumbers.end())
      values[operand] = convert(inside, arguments[known->second]);
    else
      llvm::for_each(operand->operands, bind);
  };
  bind(e);
  YieldOp::create(inside, loc, emit(inside, e, values));
}

Value AttentionBuilder::emitIndex(OpBuilder &inside, Expr e, llvm::DenseMap<Expr, Value> &values) {
  auto constant = [&](int64_t value) -> Value { return emit(inside, exprs.index(value), values); };
  if (e->kind == ExprKind::Linear) {
    // Negative terms are subtracted, so that m - n reads as it was written.
    Value sum;
    for (bool isNegative : {false, true})
      for (auto [operand, coefficient] : llvm::zip_equal(e->operands, e->coefficients)) {
        if ((coefficient < 0) != isNegative)
          continue;
        Value term = emit(inside, operand, values);
        bool isSubtracted = isNegative && sum;
        int64_t factor = isSubtracted ? -coefficient : coefficient;
        if (factor != 1)
          term = arith::MulIOp::create(inside, loc, term, constant(factor));
        if (!sum)
          sum = term;
        else if (isSubtracted)
          sum = arith::SubIOp::create(inside, loc, sum, term);
        else
          sum = arith::AddIOp::create(inside, loc, sum, term);
      }
    return e->number ? arith::AddIOp::create(inside, loc, sum, constant(e->number)) : sum;
  }
  Value operand = emit(inside, e->operands[0], values), divisor = constant(e->number);
  bool isNonNegative = e->operands[0]->low >= 0;
  if (e->kind == ExprKind::FloorDiv)
    return isNonNegative ? Value(arith::DivSIOp::create(inside, loc, operand, divisor))
                         : Value(arith::FloorDivSIOp::create(inside, loc, operand, divisor));
  if (isNonNegative)
    return arith::RemSIOp::create(inside, loc, operand, divisor);
  Value quotient = arith::FloorDivSIOp::create(inside, loc, operand, divisor);
  return arith::SubIOp::create(inside, loc, operand,
                               arith::MulIOp::create(inside, loc, quotient, divisor));
}

Value AttentionBuilder::emit(OpBuilder &inside, Expr e, llvm::DenseMap<Expr, Value> &values) {
  if (Value known = values.lookup(e))
    return known;
  Value result;
  switch (e->kind) {
  case ExprKind::Constant: {
    TypedAttr attribute = cast<TypedAttr>(e->attr);
    if (std::optional<double> real = e->getFloat())
      attribute = FloatAttr::get(accumulation, *real);
    result = arith::ConstantOp::create(inside, loc, attribute);
    break;
  }
  case ExprKind::Linear:
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    result = emitIndex(inside, e, values);
    break;
  case ExprKind::Apply: {
    SmallVector<Value> operands;
    for (Expr operand : e->operands)
      operands.push_back(emit(inside, operand, values));
    // A product of more than two sizes is one node.
    if (operands.size() > 2 && e->isOp("arith.muli")) {
      result = operands[0];
      for (Value factor : ArrayRef(operands).drop_front())
        result = arith::MulIOp::create(inside, loc, result, factor);
      break;
    }
    OperationState state(loc, e->name.getValue(), operands, getType(e->type),
                         cast<DictionaryAttr>(e->attr).getValue());
    result = inside.create(state)->getResult(0);
    break;
  }
  case ExprKind::Load: {
    SmallVector<Value> indices;
    for (Expr index : e->operands)
      indices.push_back(emit(inside, index, values));
    result =
        convert(inside, tensor::ExtractOp::create(inside, loc, materialize(e->value), indices));
    break;
  }
  default:
    llvm_unreachable("atoms, scalars and markers are bound before a region is filled");
  }
  return values[e] = result;
}
