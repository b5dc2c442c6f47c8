//===- TraceShapes.cpp - Reshapes, slices, concatenations -----------------===//

#include "TraceReshape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// collapse_shape and expand_shape by their own grouping.
static Expr expandGrouped(Tracer &tracer, Value source, Value result, ArrayRef<Expr> indices,
                          ArrayRef<ReassociationIndices> groups, bool isCollapse) {
  ExprContext &exprs = tracer.exprs;
  SmallVector<Expr> parts;
  for (auto [number, group] : llvm::enumerate(groups)) {
    SmallVector<Expr> sizes, inner;
    for (int64_t dimension : group)
      sizes.push_back(tracer.size(isCollapse ? source : result, dimension));
    if (isCollapse) {
      if (!splitIndex(exprs, indices[number], sizes, parts))
        return nullptr;
      continue;
    }
    // What is expanded has as many elements as before, whatever its output sizes are called.
    Expr product = exprs.index(1);
    for (auto [dimension, size] : llvm::zip_equal(group, sizes)) {
      inner.push_back(indices[dimension]);
      product = exprs.multiply(product, size);
    }
    exprs.equate(product, tracer.size(source, number));
    Expr joined = joinIndices(exprs, inner, sizes);
    if (!joined)
      return nullptr;
    parts.push_back(joined);
  }
  // Rank 0 has no groups; the other side is all ones.
  if (groups.empty())
    parts.assign(cast<RankedTensorType>(source.getType()).getRank(), exprs.index(0));
  return tracer.access(source, parts);
}

Expr Tracer::expandSlice(Operation *op, ArrayRef<Expr> indices) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  auto source = cast<RankedTensorType>(slice.getSource().getType());
  Indices parts;
  unsigned next = 0;
  for (int64_t i = 0, e = source.getRank(); i < e; ++i) {
    std::optional<int64_t> stride = getConstantIntValue(slice.getMixedStrides()[i]);
    Expr offset = evaluate(slice.getMixedOffsets()[i]);
    if (!stride || !offset)
      return nullptr;
    Expr index = dropped.test(i) ? exprs.index(0) : indices[next++];
    parts.push_back(exprs.add(exprs.scale(index, *stride), offset));
    // What is cut off where sizes are dynamic does not show in the index.
    bool isWhole = exprs.sameSize(evaluate(slice.getMixedSizes()[i]), size(slice.getSource(), i));
    if (source.isDynamicDim(i) && !isWhole)
      return nullptr;
  }
  return access(slice.getSource(), parts);
}

Expr Tracer::expandInsertSlice(Operation *op, ArrayRef<Expr> indices) {
  auto insert = cast<tensor::InsertSliceOp>(op);
  auto sourceType = insert.getSourceType(), destType = insert.getDestType();
  if (!sourceType.hasStaticShape() || !destType.hasStaticShape() || !insert.hasUnitStride())
    return nullptr;
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  Expr inside = exprs.constant(1, IntegerType::get(exprs.getContext(), 1));
  Indices parts;
  Builder builder(exprs.getContext());
  auto compare = [&](arith::CmpIPredicate predicate, Expr a, Expr b) {
    auto attributes = builder.getDictionaryAttr(
        builder.getNamedAttr("predicate", builder.getI64IntegerAttr(int64_t(predicate))));
    return exprs.apply("arith.cmpi", attributes, {a, b}, builder.getI1Type());
  };
  for (int64_t i = 0, e = destType.getRank(); i < e; ++i) {
    Expr offset = evaluate(insert.getMixedOffsets()[i]);
    Expr extent = evaluate(insert.getMixedSizes()[i]);
    if (!offset || !extent)
      return nullptr;
    Expr index = exprs.subtract(indices[i], offset);
    Expr begins = compare(arith::CmpIPredicate::sge, index, exprs.index(0));
    Expr ends = compare(arith::CmpIPredicate::slt, index, extent);
    inside = exprs.apply("arith.andi", {inside, exprs.apply("arith.andi", {begins, ends})});
    if (!dropped.test(i))
      parts.push_back(index);
  }
  return exprs.select(inside, access(insert.getSource(), parts), access(insert.getDest(), indices));
}

Expr Tracer::expandConcat(Operation *op, ArrayRef<Expr> indices) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t dimension = concat.getDim();
  Builder builder(exprs.getContext());
  auto less = builder.getDictionaryAttr(builder.getNamedAttr(
      "predicate", builder.getI64IntegerAttr(int64_t(arith::CmpIPredicate::slt))));
  Indices starts;
  Expr start = exprs.index(0);
  for (Value input : concat.getInputs()) {
    starts.push_back(start);
    start = exprs.add(start, size(input, dimension));
  }
  Expr value = nullptr;
  for (unsigned i = concat.getInputs().size(); i-- > 0;) {
    Indices parts(indices);
    parts[dimension] = exprs.subtract(indices[dimension], starts[i]);
    // Where sizes are dynamic, the index does not show which part it stays in.
    if (!starts[i]->getInt() ||
        cast<RankedTensorType>(concat.getInputs()[i].getType()).isDynamicDim(dimension))
      return nullptr;
    Expr part = access(concat.getInputs()[i], parts);
    if (!value) {
      value = part;
      continue;
    }
    Expr condition =
        exprs.apply("arith.cmpi", less, {indices[dimension], starts[i + 1]}, builder.getI1Type());
    value = exprs.select(condition, part, value);
  }
  return value;
}

Expr Tracer::expandPad(Operation *op, ArrayRef<Expr> indices) {
  auto pad = cast<tensor::PadOp>(op);
  if (!pad.getConstantPaddingValue() || !pad.getSourceType().hasStaticShape())
    return nullptr;
  Builder builder(exprs.getContext());
  Expr inside = exprs.constant(1, builder.getI1Type());
  Indices parts;
  for (auto [i, index] : llvm::enumerate(indices)) {
    Expr low = evaluate(pad.getMixedLowPad()[i]);
    if (!low)
      return nullptr;
    Expr inner = exprs.subtract(index, low);
    parts.push_back(inner);
    for (auto [predicate, bound] :
         {std::pair(arith::CmpIPredicate::sge, exprs.index(0)),
          std::pair(arith::CmpIPredicate::slt, size(pad.getSource(), i))}) {
      auto attributes = builder.getDictionaryAttr(
          builder.getNamedAttr("predicate", builder.getI64IntegerAttr(int64_t(predicate))));
      inside = exprs.apply(
          "arith.andi",
          {inside, exprs.apply("arith.cmpi", attributes, {inner, bound}, builder.getI1Type())});
    }
  }
  return exprs.select(inside, access(pad.getSource(), parts),
                      evaluate(pad.getConstantPaddingValue()));
}

Expr Tracer::expandShapeOp(Operation *op, ArrayRef<Expr> indices) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return expandGrouped(*this, collapse.getSrc(), collapse, indices,
                         collapse.getReassociationIndices(), true);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expandGrouped(*this, expand.getSrc(), expand, indices, expand.getReassociationIndices(),
                         false);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType()) ? access(cast.getSource(), indices)
                                                             : nullptr;
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    return isa<RankedTensorType>(reshape.getSource().getType()) ? expandReshape(op, indices)
                                                                : nullptr;
  if (isa<tensor::ExtractSliceOp>(op))
    return expandSlice(op, indices);
  if (isa<tensor::InsertSliceOp>(op))
    return expandInsertSlice(op, indices);
  if (isa<tensor::ConcatOp>(op))
    return expandConcat(op, indices);
  if (isa<tensor::PadOp>(op))
    return expandPad(op, indices);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return evaluate(splat.getInput());
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    Body body;
    return evaluateAccess(elements, indices, body);
  }
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    Body body;
    body.scope = op;
    for (auto [argument, index] :
         llvm::zip_equal(generate.getBody().front().getArguments(), indices))
      body.values[argument] = index;
    return evaluate(generate.getBody().front().getTerminator()->getOperand(0), body);
  }
  return nullptr;
}
