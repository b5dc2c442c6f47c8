//===- TensorViews.cpp ----------------------------------------------------===//

#include "TensorViews.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;
using fa_runtime::Constraint;
using fa_runtime::Expr;
using fa_runtime::View;

static bool isOne(const Expr &expr) { return expr.op == Expr::Op::Constant && expr.value == 1; }

static Expr multiply(const Expr &a, const Expr &b) {
  if (isOne(a))
    return b;
  if (isOne(b))
    return a;
  if (a.op == Expr::Op::Constant && b.op == Expr::Op::Constant)
    return Expr(a.value * b.value);
  return a * b;
}

/// Joins each group of dimensions into one; asks for strides that allow it.
static View collapse(const View &source, ArrayRef<ReassociationIndices> groups,
                     Constraints &constraints) {
  View result = source;
  result.dims.clear();
  result.strides.clear();
  for (const ReassociationIndices &group : groups) {
    Expr size = 1, stride = 1;
    std::optional<int64_t> inner; // the dimension inside the current one, of a size other than 1
    for (int64_t dim : llvm::reverse(group)) {
      if (isOne(source.dims[dim]))
        continue;
      if (!inner)
        stride = source.strides[dim];
      else
        constraints.push_back(Constraint{
            equal(source.strides[dim], multiply(source.dims[*inner], source.strides[*inner])),
            "dimensions that are used as one lie one after the other in memory"});
      size = multiply(source.dims[dim], size);
      inner = dim;
    }
    result.dims.push_back(size);
    result.strides.push_back(stride);
  }
  return result;
}

/// Splits each dimension into a group, whose sizes `type` has, at most one of them dynamic.
static std::optional<View> expand(const View &source, ArrayRef<ReassociationIndices> groups,
                                  RankedTensorType type) {
  View result = source;
  result.dims.assign(type.getRank(), Expr(1));
  result.strides.assign(type.getRank(), Expr(1));
  for (auto [number, group] : llvm::enumerate(groups)) {
    int64_t known = 1;
    int64_t numDynamic = 0;
    for (int64_t dim : group)
      if (type.isDynamicDim(dim))
        ++numDynamic;
      else
        known *= type.getDimSize(dim);
    if (numDynamic > 1 || (numDynamic && known == 0))
      return std::nullopt;
    Expr stride = source.strides[number];
    for (int64_t dim : llvm::reverse(group)) {
      result.dims[dim] = !type.isDynamicDim(dim) ? Expr(type.getDimSize(dim))
                         : known == 1            ? source.dims[number]
                                                 : floorDiv(source.dims[number], Expr(known));
      result.strides[dim] = stride;
      stride = multiply(stride, result.dims[dim]);
    }
  }
  return result;
}

static std::optional<View> slice(const View &source, tensor::ExtractSliceOp op) {
  auto isDynamic = [](int64_t value) { return ShapedType::isDynamic(value); };
  if (llvm::any_of(op.getStaticOffsets(), isDynamic) ||
      llvm::any_of(op.getStaticSizes(), isDynamic) ||
      llvm::any_of(op.getStaticStrides(), isDynamic))
    return std::nullopt;
  View result = source;
  result.dims.clear();
  result.strides.clear();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (int64_t dim = 0; dim < static_cast<int64_t>(source.dims.size()); ++dim) {
    if (int64_t offset = op.getStaticOffset(dim))
      result.offset = result.offset + multiply(Expr(offset), source.strides[dim]);
    if (dropped.test(dim))
      continue;
    result.dims.push_back(Expr(op.getStaticSize(dim)));
    result.strides.push_back(multiply(Expr(op.getStaticStride(dim)), source.strides[dim]));
  }
  return result;
}

/// Dimension i of the result is dimension `permutation[i]` of the source.
static View permute(const View &source, ArrayRef<int64_t> permutation) {
  View result = source;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    result.dims[i] = source.dims[dim];
    result.strides[i] = source.strides[dim];
  }
  return result;
}

std::optional<View> mlir::fa::applyView(Operation *op, const View &source,
                                        Constraints &constraints) {
  return llvm::TypeSwitch<Operation *, std::optional<View>>(op)
      .Case([&](tensor::CastOp) { return source; })
      .Case([&](tensor::CollapseShapeOp collapseOp) {
        return collapse(source, collapseOp.getReassociationIndices(), constraints);
      })
      .Case([&](tensor::ExpandShapeOp expandOp) {
        return expand(source, expandOp.getReassociationIndices(), expandOp.getResultType());
      })
      .Case([&](tensor::ExtractSliceOp sliceOp) { return slice(source, sliceOp); })
      .Case([&](linalg::TransposeOp transpose) {
        return permute(source, transpose.getPermutation());
      })
      .Default(std::nullopt);
}

std::optional<View> mlir::fa::invertView(Operation *op, const View &result,
                                         Constraints &constraints) {
  return llvm::TypeSwitch<Operation *, std::optional<View>>(op)
      .Case([&](tensor::CastOp) { return result; })
      .Case([&](tensor::CollapseShapeOp collapseOp) {
        return expand(result, collapseOp.getReassociationIndices(), collapseOp.getSrcType());
      })
      .Case([&](tensor::ExpandShapeOp expandOp) {
        return collapse(result, expandOp.getReassociationIndices(), constraints);
      })
      .Case([&](linalg::TransposeOp transpose) {
        return permute(result, invertPermutationVector(transpose.getPermutation()));
      })
      .Default(std::nullopt);
}
