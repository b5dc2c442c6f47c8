//===- ReverseAttention.cpp - fa.attention_backward for fa.attention ------===//

#include "ReverseOps.h"
#include "fa/Differentiate/AttentionGradient.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fa;

/// Fails where a gradient would have to go through a result that has none.
static LogicalResult checkResults(AttentionOp op, const TensorGradients &gradients) {
  for (auto [value, name] : {std::pair<Value, StringRef>(op.getRowMax(), "row maximum"),
                             std::pair<Value, StringRef>(op.getProbabilities(), "probabilities")})
    if (value && gradients.get(value))
      return op.emitOpError() << "cannot be differentiated through its " << name
                              << "; use the output or lse";
  return success();
}

/// The operands that have a gradient, and its types.
static void listGradients(AttentionOp op, const TensorGradients &gradients,
                          SmallVectorImpl<int64_t> &numbers, SmallVectorImpl<Type> &types) {
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    Type type = operand.getType();
    if (!gradients.isActive(operand) || !isa<FloatType>(getElementTypeOrSelf(type)))
      continue;
    numbers.push_back(number);
    types.push_back(isa<RankedTensorType>(type) ? type : RankedTensorType::get({}, type));
  }
}

LogicalResult fa::reverseAttention(AttentionOp op, Value output, Value lse, AffineMap lseMap,
                                   TensorGradients &gradients) {
  if (failed(checkResults(op, gradients)))
    return failure();
  Value dLse = op.getLse() ? gradients.get(op.getLse()) : Value();
  if (!gradients.get(op.getOutput()) && !dLse)
    return success();
  OpBuilder &builder = gradients.getBuilder();
  Location loc = op.getLoc();
  SmallVector<int64_t> numbers;
  SmallVector<Type> types;
  listGradients(op, gradients, numbers, types);
  if (numbers.empty())
    return success();

  Value dOutput = gradients.getOrCreateZero(loc, op.getOutput());
  SmallVector<Attribute> maps(op.getMaps().getValue().take_front(op->getNumOperands() + 1));
  Attribute outputMap = maps.back();
  maps.append({AffineMapAttr::get(lseMap), outputMap});
  if (dLse)
    maps.push_back(AffineMapAttr::get(lseMap));
  auto backward = AttentionBackwardOp::create(
      builder, loc, types, op.getQuery(), op.getKey(), op.getValue(), op.getExtras(), op.getSink(),
      output, lse, dOutput, dLse, builder.getDenseI64ArrayAttr(numbers), op.getRoles(),
      builder.getArrayAttr(maps), op.getScheduleAttr());
  IRMapping mapping;
  op.getScore().cloneInto(&backward.getScore(), mapping);
  op.getProbability().cloneInto(&backward.getProbability(), mapping);
  if (failed(checkDifferentiable(backward)))
    return failure();
  for (auto [number, gradient] : llvm::zip_equal(numbers, backward.getResults())) {
    Value operand = op->getOperand(number);
    Value value = gradient;
    if (!isa<RankedTensorType>(operand.getType()))
      value = tensor::ExtractOp::create(builder, loc, value, ValueRange());
    gradients.add(loc, operand, value);
  }
  return success();
}
