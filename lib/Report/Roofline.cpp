//===- Roofline.cpp - Work, traffic and bound of one attention op ---------===//

#include "fa/Report/Roofline.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fa;

/// The most query rows that count as decoding: one position for a group of heads.
static constexpr int64_t kMaxDecodeRows = 16;

StringRef mlir::fa::stringifyPhase(Phase phase) {
  switch (phase) {
  case Phase::Prefill:
    return "prefill";
  case Phase::ChunkedPrefill:
    return "chunked prefill";
  case Phase::Decode:
    return "decode";
  }
  llvm_unreachable("a phase that is not in the list");
}

SmallVector<int64_t> mlir::fa::getLoopSizes(AttentionOp op, const AssumedSizes &assumed) {
  SmallVector<int64_t> sizes;
  for (unsigned dim = 0, e = op.getNumLoops(); dim < e; ++dim) {
    int64_t size = op.getStaticLoopSize(dim);
    if (ShapedType::isDynamic(size))
      size = assumed[unsigned(op.getRole(dim))].value_or(ShapedType::kDynamic);
    sizes.push_back(size);
  }
  return sizes;
}

/// The bytes of an operand or result, the number of elements taken from the loop sizes.
static double countBytes(Type type, AffineMap map, ArrayRef<int64_t> loopSizes) {
  double elements = 1;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      elements *= double(loopSizes[dim.getPosition()]);
  Type element = getElementTypeOrSelf(type);
  // An index is passed as 64 bits, a bool as a byte.
  unsigned bits = element.isIndex() ? 64 : std::max(8u, element.getIntOrFloatBitWidth());
  return elements * bits / 8;
}

/// Which phase of serving a model asks for this many queries and keys.
static Phase classify(ArrayRef<int64_t> queryDims, double keys) {
  double rows = 1, longest = 1;
  for (int64_t size : queryDims) {
    rows *= double(size);
    longest = std::max(longest, double(size));
  }
  if (rows <= 1)
    return Phase::Decode;
  // With several query dims the longest is the position, the others are groups of heads.
  if (longest >= keys)
    return Phase::Prefill;
  return rows <= kMaxDecodeRows ? Phase::Decode : Phase::ChunkedPrefill;
}

std::optional<Work> mlir::fa::computeWork(AttentionOp op, ArrayRef<int64_t> loopSizes) {
  if (llvm::any_of(loopSizes, ShapedType::isDynamic))
    return std::nullopt;
  auto product = [&](DimRole role) {
    double size = 1;
    for (unsigned dim : op.getDims(role))
      size *= double(loopSizes[dim]);
    return size;
  };
  double scores = product(DimRole::batch) * product(DimRole::query) * product(DimRole::key);

  Work work;
  work.flops = 2 * scores * (product(DimRole::head_dim) + product(DimRole::value_dim));
  work.fusedBytes = 0;
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    work.fusedBytes += countBytes(operand.getType(), op.getMap(i), loopSizes);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    work.fusedBytes += countBytes(result.getType(), op.getResultMap(i), loopSizes);
  // Written by the first product, read and written by the softmax, read by the second product.
  unsigned scoreBytes =
      std::max(8u, getElementTypeOrSelf(op.getQuery()).getIntOrFloatBitWidth()) / 8;
  work.unfusedBytes = work.fusedBytes + 4 * scores * scoreBytes;

  SmallVector<int64_t> queryDims;
  for (unsigned dim : op.getDims(DimRole::query))
    queryDims.push_back(loopSizes[dim]);
  work.phase = classify(queryDims, product(DimRole::key));
  return work;
}

Arithmetic mlir::fa::getArithmetic(AttentionOp op) {
  Type widest = getElementTypeOrSelf(op.getQuery());
  for (Value operand : {op.getKey(), op.getValue()}) {
    Type type = getElementTypeOrSelf(operand);
    if (type.getIntOrFloatBitWidth() > widest.getIntOrFloatBitWidth())
      widest = type;
  }
  if (widest.isF64())
    return Arithmetic::F64;
  if (widest.isF32())
    return Arithmetic::F32;
  return widest.isBF16() ? Arithmetic::BF16 : Arithmetic::F16;
}

Bound mlir::fa::computeBound(double flops, double bytes, double peak, double bandwidth) {
  Bound bound;
  bound.bytes = bytes;
  bound.intensity = bytes == 0 ? 0 : flops / bytes;
  bound.isCompute = bound.intensity >= peak / bandwidth;
  bound.seconds = std::max(flops / peak, bytes / bandwidth);
  bound.rate = bound.seconds == 0 ? 0 : flops / bound.seconds;
  return bound;
}
