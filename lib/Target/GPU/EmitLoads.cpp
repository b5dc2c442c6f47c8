//===- EmitLoads.cpp - Loads from global memory into registers ------------===//

#include "Emitter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// The operand number of a tensor as the artifact counts: arguments first, then results.
unsigned Emitter::operandOf(Value tensor) {
  auto argument = cast<BlockArgument>(tensor);
  if (auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return argument.getArgNumber();
  scf::ForallOp forall = graph.getForall();
  auto function = forall->getParentOfType<FunctionOpInterface>();
  Value result = forall.getTiedOpResult(forall.getTiedOpOperand(argument));
  // A cast between static and dynamic sizes may stand before the return.
  if (result.hasOneUse() && isa<tensor::CastOp>(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  for (OpOperand &use : result.getUses())
    if (use.getOwner()->hasTrait<OpTrait::ReturnLike>())
      return function.getNumArguments() + use.getOperandNumber();
  return function.getNumArguments() + cast<OpResult>(result).getResultNumber();
}

Value Emitter::parameterOf(KernelParameter parameter, Type type) {
  auto it = llvm::find(parameters.list, parameter);
  if (it != parameters.list.end())
    return parameters.values[it - parameters.list.begin()];
  Value value = kernel.getBody().front().addArgument(type, loc);
  parameters.list.push_back(parameter);
  parameters.values.push_back(value);
  return value;
}

/// The address of the window's first element.
FailureOr<Value> Emitter::windowBase(const Window &window) {
  unsigned operand = operandOf(window.tensor);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value base = parameterOf({KernelParameter::Kind::Pointer, operand}, pointer);
  parameters.rules.insert({operand, TensorRule()});
  Value offset;
  for (auto [dim, start] : llvm::enumerate(window.offsets)) {
    if (isZeroInteger(start))
      continue;
    FailureOr<Value> index = scalar(start);
    if (failed(index))
      return failure();
    Value part = widen(*index);
    if (dim + 1 < window.offsets.size())
      part = arith::MulIOp::create(
          b, loc, part,
          parameterOf({KernelParameter::Kind::Stride, operand, static_cast<unsigned>(dim)},
                      b.getI64Type()));
    offset = offset ? Value(arith::AddIOp::create(b, loc, offset, part)) : part;
  }
  if (!offset)
    return base;
  Type element = cast<RankedTensorType>(window.tensor.getType()).getElementType();
  Type stored = element.isInteger(1) ? b.getI8Type() : element;
  return Value(LLVM::GEPOp::create(b, loc, pointer, stored, base, ArrayRef<LLVM::GEPArg>{offset}));
}

/// The address of an element at i32 positions within a window.
Value Emitter::elementPointer(const Window &window, Value base, ArrayRef<Value> position) {
  unsigned operand = operandOf(window.tensor);
  Value offset;
  for (auto [dim, index] : llvm::zip(window.tileDims, position)) {
    Value part = widen(index);
    if (static_cast<size_t>(dim) + 1 < window.offsets.size())
      part = arith::MulIOp::create(
          b, loc, part,
          parameterOf({KernelParameter::Kind::Stride, operand, static_cast<unsigned>(dim)},
                      b.getI64Type()));
    offset = offset ? Value(arith::AddIOp::create(b, loc, offset, part)) : part;
  }
  if (!offset)
    return base;
  Type element = cast<RankedTensorType>(window.tensor.getType()).getElementType();
  Type stored = element.isInteger(1) ? b.getI8Type() : element;
  return LLVM::GEPOp::create(b, loc, base.getType(), stored, base, ArrayRef<LLVM::GEPArg>{offset});
}

/// Booleans are bytes in memory.
Value Emitter::loadGlobal(Value pointer, Type element) {
  Type stored = element.isInteger(1) ? b.getI8Type() : element;
  Value loaded = LLVM::LoadOp::create(b, loc, stored, pointer, /*alignment=*/0,
                                      /*isVolatile=*/false, /*isNonTemporal=*/false,
                                      /*isInvariant=*/true);
  if (!element.isInteger(1))
    return loaded;
  Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, loaded, zero);
}

/// Moves `position` to the last element that exists if it lies beyond it; returns whether it did
/// not, or null if it never does.
FailureOr<Value> Emitter::clampAndCheck(OpFoldResult size, int64_t tileSize, Value &position) {
  std::optional<int64_t> fixed = getConstantIntValue(size);
  if (fixed && *fixed >= boundsOf(position).high + 1)
    return Value();
  FailureOr<Value> length = scalar(size);
  if (failed(length))
    return failure();
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, *length);
  Value last = arith::SubIOp::create(b, loc, *length, constant(1));
  position = arith::MinSIOp::create(b, loc, position, last);
  return isInside;
}

/// One element of a load's tile at i32 positions; zero beyond what exists.
FailureOr<Value> Emitter::loadElement(Node &load, ArrayRef<Value> position) {
  FailureOr<Value> base = windowBase(load.window);
  if (failed(base))
    return failure();
  auto type = cast<RankedTensorType>(load.op->getResult(0).getType());
  SmallVector<Value> clamped(position);
  Value isInside;
  for (auto [dim, index] : llvm::enumerate(clamped)) {
    FailureOr<Value> check = clampAndCheck(load.window.sizes[dim], type.getDimSize(dim), index);
    if (failed(check))
      return failure();
    if (*check)
      isInside = isInside ? Value(arith::AndIOp::create(b, loc, isInside, *check)) : *check;
  }
  Value loaded = loadGlobal(elementPointer(load.window, *base, clamped), type.getElementType());
  if (!isInside)
    return loaded;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return Value(arith::SelectOp::create(b, loc, isInside, loaded, zero));
}

/// Vectors and scalars are loaded where the load stands; matrices for maps where they are used;
/// matrices for dots are copied into shared memory, those of a loop by its chain.
LogicalResult Emitter::emitLoad(Node &node) {
  Value tile = node.op->getResult(0);
  Place place = plan.placeOf(tile);
  // A scalar is loaded where it is asked for: the bounds of loops need it before this block.
  if (place == Place::Global || place == Place::Scalar)
    return success();
  if (place == Place::Shared) {
    if (node.op->getParentOfType<scf::ForOp>())
      return success();
    Value offset = constant(plan.shared[plan.sharedOf.lookup(tile)].offset);
    slotOffsets[tile] = offset;
    if (failed(copyToShared(node, offset)))
      return failure();
    instructions.commitCopies(b, loc);
    hasPendingCopies = true;
    return success();
  }
  TileValues held{place, {}};
  int64_t count = plan.valuesPerThread(tile);
  for (int64_t i = 0; i < count; ++i) {
    Slot slot;
    (place == Place::Row ? slot.rowFragment : slot.columnFragment) = i / 2;
    (place == Place::Row ? slot.half : slot.parity) = i % 2;
    FailureOr<Value> value = loadElement(node, place == Place::Row ? rowOf(slot) : columnOf(slot));
    if (failed(value))
      return failure();
    held.values.push_back(*value);
  }
  tiles[tile] = held;
  return success();
}
