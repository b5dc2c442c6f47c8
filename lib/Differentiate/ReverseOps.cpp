//===- ReverseOps.cpp - Gradients through ops on whole tensors ------------===//

#include "ReverseOps.h"
#include "fa/Dialect/Attention/UnitDims.h"
#include "fa/Differentiate/ScalarDerivative.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

Value fa::createZeroLike(OpBuilder &builder, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  if (!isa<RankedTensorType>(value.getType()))
    return zero;
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, loc, value);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  Value filled = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return builder.createOrFold<tensor::CastOp>(loc, value.getType(), filled);
}

/// A cast between floats, or nothing.
static Value castFloat(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value TensorGradients::getOrCreateZero(Location loc, Value value) {
  Value gradient = get(value);
  return gradient ? gradient : createZeroLike(builder, loc, value);
}

void TensorGradients::add(Location loc, Value value, Value gradient) {
  if (!isActive(value))
    return;
  assert(gradient.getType() == value.getType() && "a gradient has the type of its value");
  Value &sum = gradients[value];
  if (!sum) {
    sum = gradient;
    return;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    sum = arith::AddFOp::create(builder, loc, sum, gradient);
    return;
  }
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, value),
                                        type.getElementType());
  Value added =
      linalg::GenericOp::create(builder, loc, empty.getType(), ValueRange{sum, gradient}, empty,
                                ArrayRef<AffineMap>{identity, identity, identity}, iterators,
                                [](OpBuilder &b, Location l, ValueRange v) {
                                  Value both = arith::AddFOp::create(b, l, v[0], v[1]);
                                  linalg::YieldOp::create(b, l, both);
                                })
          .getResult(0);
  sum = builder.createOrFold<tensor::CastOp>(loc, type, added);
}

static LogicalResult refuse(Operation *op, const Twine &reason) {
  return op->emitOpError() << "cannot be differentiated: " << reason;
}

/// Whether a gradient can go through the op: elementwise, reading by plain dimensions.
static LogicalResult checkElementwise(linalg::GenericOp op, const TensorGradients &gradients) {
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return refuse(op, "only ops that move, scale or cast elements are, besides attention");
  OpOperand *init = op.getDpsInitOperand(0);
  if (op.payloadUsesValueFromOperand(init) || !op.getMatchingIndexingMap(init).isPermutation())
    return refuse(op, "expects it to write every element once");
  for (OpOperand *input : op.getDpsInputOperands()) {
    llvm::SmallDenseSet<unsigned> seen;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool isPlain = dim ? seen.insert(dim.getPosition()).second : isa<AffineConstantExpr>(expr);
      if (!isPlain && gradients.isActive(input->get()))
        return refuse(op, "expects operands that are indexed by plain dimensions");
    }
  }
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    if (gradients.isActive(input->get()))
      inputs.push_back(op.getMatchingBlockArgument(input));
  WalkResult captures = op.getBody()->walk([&](Operation *inner) {
    auto isCaptured = [&](Value operand) {
      return operand.getParentBlock() != op.getBody() && gradients.isActive(operand);
    };
    return llvm::any_of(inner->getOperands(), isCaptured) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
  });
  if (captures.wasInterrupted())
    return refuse(op, "its body reads a value from outside that the gradient depends on");
  Value result = op.getBody()->getTerminator()->getOperand(0);
  if (Operation *culprit = findUndifferentiable(result, inputs))
    return refuse(culprit, "it has no derivative here");
  return success();
}

/// `tensor` with elements of another floating-point type.
static Value castTensor(OpBuilder &builder, Location loc, Value tensor, Type element) {
  if (getElementTypeOrSelf(tensor.getType()) == element)
    return tensor;
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, loc, tensor);
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, empty.getType(), tensor, empty,
                                   ArrayRef<AffineMap>{identity, identity}, iterators,
                                   [&](OpBuilder &b, Location l, ValueRange v) {
                                     linalg::YieldOp::create(b, l, castFloat(b, l, v[0], element));
                                   })
      .getResult(0);
}

/// In a body with the arguments of `op`'s, then the gradient of its result: gradient · ∂op/∂input
/// in type `type`.
static Value createElementProduct(OpBuilder &b, Location l, linalg::GenericOp op,
                                  ValueRange arguments, unsigned input, Type type) {
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(op.getBody()->getArguments(), arguments.drop_back()))
    mapping.map(argument, value);
  for (Operation &inner : op.getBody()->without_terminator())
    b.clone(inner, mapping);
  Value result = mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
  Value seed = castFloat(b, l, arguments.back(), type);
  Value product = createGradients(b, result, seed, arguments[input]).front();
  return product ? product : arith::ConstantOp::create(b, l, b.getZeroAttr(type)).getResult();
}

/// The gradient of one input of an elementwise op: summed over the dimensions it is broadcast
/// along.
static Value reverseInput(OpBuilder &builder, linalg::GenericOp op, OpOperand *input,
                          Value gradient) {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(input);
  auto type = cast<RankedTensorType>(input->get().getType());
  SmallVector<AffineExpr> exprs;
  SmallVector<OpFoldResult> shape;
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    if (!isa<AffineDimExpr>(expr))
      continue;
    exprs.push_back(expr);
    shape.push_back(tensor::getMixedSize(builder, loc, input->get(), axis));
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    iterators.push_back(map.isFunctionOfDim(dim) ? utils::IteratorType::parallel
                                                 : utils::IteratorType::reduction);
  // Narrow values are multiplied and summed in f32.
  Type element = type.getElementType();
  Type wide = element.getIntOrFloatBitWidth() < 32 ? builder.getF32Type() : element;
  bool isSum = exprs.size() < op.getNumLoops();
  Type sumType = isSum ? wide : element;
  Value init = tensor::EmptyOp::create(builder, loc, shape, sumType);
  if (isSum)
    init = createZeroLike(builder, loc, init);
  SmallVector<Value> operands = op.getDpsInputs();
  operands.push_back(gradient);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.push_back(AffineMap::get(op.getNumLoops(), 0, exprs, builder.getContext()));
  auto body = [&](OpBuilder &b, Location l, ValueRange v) {
    Value product = createElementProduct(b, l, op, v.drop_back(), input->getOperandNumber(), wide);
    if (isSum)
      product = arith::AddFOp::create(b, l, v.back(), product);
    linalg::YieldOp::create(b, l, castFloat(b, l, product, sumType));
  };
  Value sum =
      linalg::GenericOp::create(builder, loc, init.getType(), operands, init, maps, iterators, body)
          .getResult(0);
  sum = createUnitDims(builder, loc, castTensor(builder, loc, sum, element), map);
  return builder.createOrFold<tensor::CastOp>(loc, type, sum);
}

static LogicalResult reverseGeneric(linalg::GenericOp op, TensorGradients &gradients) {
  if (failed(checkElementwise(op, gradients)))
    return failure();
  OpBuilder &builder = gradients.getBuilder();
  Value gradient = gradients.get(op.getResult(0));
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!gradients.isActive(input->get()))
      continue;
    if (!isa<RankedTensorType>(input->get().getType()))
      return refuse(op, "a scalar operand depends on what is differentiated by");
    gradients.add(op.getLoc(), input->get(), reverseInput(builder, op, input, gradient));
  }
  return success();
}

/// Slices and reshapes: the gradient is moved back.
static LogicalResult reverseMove(Operation *op, TensorGradients &gradients) {
  OpBuilder &b = gradients.getBuilder();
  Location loc = op->getLoc();
  Value gradient = gradients.get(op->getResult(0));
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::CastOp cast) {
        Value source = cast.getSource();
        gradients.add(loc, source, b.createOrFold<tensor::CastOp>(loc, source.getType(), gradient));
        return success();
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        gradients.add(loc, expand.getSrc(),
                      tensor::CollapseShapeOp::create(b, loc, expand.getSrcType(), gradient,
                                                      expand.getReassociationIndices()));
        return success();
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        Value source = collapse.getSrc();
        gradients.add(loc, source,
                      tensor::ExpandShapeOp::create(b, loc, source.getType(), gradient,
                                                    collapse.getReassociationIndices(),
                                                    tensor::getMixedSizes(b, loc, source)));
        return success();
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        Value source = slice.getSource();
        gradients.add(loc, source,
                      tensor::InsertSliceOp::create(
                          b, loc, gradient, createZeroLike(b, loc, source), slice.getMixedOffsets(),
                          slice.getMixedSizes(), slice.getMixedStrides()));
        return success();
      })
      .Case([&](tensor::InsertSliceOp insert) {
        gradients.add(loc, insert.getSource(),
                      tensor::ExtractSliceOp::create(
                          b, loc, insert.getSourceType(), gradient, insert.getMixedOffsets(),
                          insert.getMixedSizes(), insert.getMixedStrides()));
        if (gradients.isActive(insert.getDest()))
          gradients.add(
              loc, insert.getDest(),
              tensor::InsertSliceOp::create(b, loc, createZeroLike(b, loc, insert.getSource()),
                                            gradient, insert.getMixedOffsets(),
                                            insert.getMixedSizes(), insert.getMixedStrides()));
        return success();
      })
      .Default([&](Operation *other) {
        return refuse(other, "only ops that move, scale or cast elements are, besides attention");
      });
}

LogicalResult fa::reverseTensorOp(Operation *op, TensorGradients &gradients) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return reverseGeneric(generic, gradients);
  return reverseMove(op, gradients);
}
