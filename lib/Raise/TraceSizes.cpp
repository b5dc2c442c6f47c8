//===- TraceSizes.cpp - Sizes of dimensions, and constants ----------------===//

#include "TraceAccess.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

Expr Tracer::evaluate(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return exprs.index(*constant);
  return evaluate(cast<Value>(value));
}

Expr Tracer::size(Value tensor, int64_t dimension) {
  tensor = meaning.getBound(tensor);
  int64_t known = cast<RankedTensorType>(tensor.getType()).getDimSize(dimension);
  if (!ShapedType::isDynamic(known))
    return exprs.index(known);
  auto [entry, isNew] = sizes.try_emplace({tensor, dimension}, nullptr);
  if (!isNew && entry->second)
    return entry->second;
  Expr e = computeSize(tensor, dimension);
  if (Expr index = e ? exprs.asIndex(e) : nullptr)
    e = index;
  if (!e || !e->type.isIndex())
    e = exprs.dim(tensor, dimension);
  return sizes[{tensor, dimension}] = e;
}

/// The size of a dimension that a reshape makes from `group` of `source`.
static Expr multiplySizes(Tracer &tracer, Value source, ArrayRef<int64_t> group) {
  Expr product = tracer.exprs.index(1);
  for (int64_t dimension : group)
    product = tracer.exprs.multiply(product, tracer.size(source, dimension));
  return product;
}

Expr Tracer::computeSize(Value tensor, int64_t dimension) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return evaluate(empty.getMixedSizes()[dimension]);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return size(linalgOp.getDpsInitOperand(result.getResultNumber())->get(), dimension);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return evaluate(expand.getMixedOutputShape()[dimension]);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return multiplySizes(*this, collapse.getSrc(), collapse.getReassociationIndices()[dimension]);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType()) ? size(cast.getSource(), dimension)
                                                             : nullptr;
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return size(insert.getDest(), dimension);
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    Body body;
    return evaluateAccess(reshape.getShape(), exprs.index(dimension), body);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t next = 0;
    for (auto [i, extent] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(i) && next++ == dimension)
        return evaluate(extent);
    return nullptr;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (dimension != int64_t(concat.getDim()))
      return size(concat.getInputs()[0], dimension);
    Expr sum = exprs.index(0);
    for (Value input : concat.getInputs())
      sum = exprs.add(sum, size(input, dimension));
    return sum;
  }
  if (op->hasTrait<OpTrait::Elementwise>())
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return size(operand, dimension);
  if (Value value = meaning.getMeaning(result))
    return size(value, dimension);
  return nullptr;
}

/// The coefficients of a constant that is linear in its indices, the constant term first; none if
/// it is not.
static std::optional<SmallVector<int64_t>> fitLinear(DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> strides(type.getRank(), 1), fit(type.getRank() + 1, 0);
  for (int64_t i = type.getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  auto values = value.getValues<APInt>();
  fit[0] = values[0].getSExtValue();
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.getDimSize(i) > 1)
      fit[i + 1] = values[strides[i]].getSExtValue() - fit[0];
  for (int64_t flat = 0, e = type.getNumElements(); flat < e; ++flat) {
    int64_t expected = fit[0];
    for (int64_t i = 0; i < type.getRank(); ++i)
      expected += fit[i + 1] * (flat / strides[i] % type.getDimSize(i));
    if (values[flat].getSExtValue() != expected)
      return std::nullopt;
  }
  return fit;
}

Expr Tracer::expandConstant(Value constant, DenseElementsAttr value, ArrayRef<Expr> indices) {
  Type element = value.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return nullptr;
  if (value.isSplat())
    return exprs.constant(value.getSplatValue<Attribute>());
  bool isOneElement = llvm::all_of(indices, [](Expr e) { return e->getInt().has_value(); });
  if (isOneElement) {
    SmallVector<uint64_t> position;
    for (Expr index : indices)
      position.push_back(*index->getInt());
    return ElementsAttr::isValidIndex(value.getType(), position)
               ? exprs.constant(value.getValues<Attribute>()[position])
               : nullptr;
  }
  bool isInteger = element.isInteger(32) || element.isInteger(64) || element.isIndex();
  if (!isInteger || value.getNumElements() > 65536)
    return nullptr;
  std::optional<SmallVector<int64_t>> fit = fitLinear(value);
  if (!fit)
    return nullptr;
  Expr sum = exprs.index(fit->front());
  for (auto [coefficient, index] : llvm::zip_equal(ArrayRef(*fit).drop_front(), indices))
    sum = exprs.add(sum, exprs.scale(index, coefficient));
  return exprs.castIndex(sum, element);
}
