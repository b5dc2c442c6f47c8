//===- LaunchMetadata.cpp - How the runtime launches a kernel -------------===//

#include "LaunchMetadata.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;
using fa_runtime::Expr;

static fa_runtime::DType dtypeOf(Type type) {
  using fa_runtime::DType;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isIndex())
    return DType::I64;
  if (!type.isInteger())
    return DType::Invalid;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return DType::Invalid;
  }
}

static std::optional<Expr::Op> operationOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Expr::Op>>(op)
      .Case([](arith::AddIOp) { return Expr::Op::Add; })
      .Case([](arith::SubIOp) { return Expr::Op::Sub; })
      .Case([](arith::MulIOp) { return Expr::Op::Mul; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](Operation *) { return Expr::Op::CeilDiv; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [](Operation *) { return Expr::Op::FloorDiv; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](Operation *) { return Expr::Op::Min; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](Operation *) { return Expr::Op::Max; })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<Expr> mlir::fa::describeSize(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return Expr(*number);
  Value value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(), "expects sizes that follow from those of the arguments"),
           failure();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    if (argument && dim.getConstantIndex())
      return fa_runtime::dim(argument.getArgNumber(), *dim.getConstantIndex());
  }
  std::optional<Expr::Op> operation = operationOf(op);
  if (!operation)
    return op->emitOpError("expects a size that is simple arithmetic on the arguments' sizes"),
           failure();
  FailureOr<Expr> left = describeSize(op->getOperand(0)), right = describeSize(op->getOperand(1));
  if (failed(left) || failed(right))
    return failure();
  return Expr(*operation, {*left, *right});
}

static fa_runtime::Parameter describeParameter(const KernelParameter &parameter) {
  using fa_runtime::Parameter;
  switch (parameter.kind) {
  case KernelParameter::Kind::Pointer:
    return Parameter::pointer(parameter.operand);
  case KernelParameter::Kind::Dim:
    return Parameter::int32(fa_runtime::dim(parameter.operand, parameter.dim));
  case KernelParameter::Kind::Stride:
    return Parameter::int64(fa_runtime::stride(parameter.operand, parameter.dim));
  case KernelParameter::Kind::Scalar:
    return Parameter::scalar(parameter.operand);
  }
  llvm_unreachable("all kinds are handled");
}

FailureOr<fa_runtime::Launch> mlir::fa::describeLaunch(const BuiltKernel &kernel, int32_t index) {
  fa_runtime::Launch launch;
  launch.kernel = index;
  scf::ForallOp forall = kernel.forall;
  Expr blocks = 1;
  for (auto [low, high, step] :
       llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(), forall.getMixedStep())) {
    FailureOr<Expr> first = describeSize(low), last = describeSize(high), by = describeSize(step);
    if (failed(first) || failed(last) || failed(by))
      return failure();
    Expr extent = isZeroInteger(low) ? *last : *last - *first;
    blocks = blocks * (isOneInteger(step) ? extent : fa_runtime::ceilDiv(extent, *by));
  }
  launch.grid[0] = blocks;
  launch.block[0] = kernel.plan.threads();
  launch.sharedBytes = kernel.plan.sharedBytes;
  for (const KernelParameter &parameter : kernel.parameters.list)
    launch.parameters.push_back(describeParameter(parameter));
  return launch;
}

static RankedTensorType typeOfOperand(func::FuncOp function, unsigned operand) {
  unsigned numArguments = function.getNumArguments();
  Type type = operand < numArguments ? function.getArgumentTypes()[operand]
                                     : function.getResultTypes()[operand - numArguments];
  return cast<RankedTensorType>(type);
}

Expr mlir::fa::describeAlignment(func::FuncOp function, const KernelParameters &parameters) {
  Expr result = 1;
  bool isFirst = true;
  auto require = [&](Expr condition) {
    result = isFirst ? condition : fa_runtime::both(result, condition);
    isFirst = false;
  };
  for (auto &[operand, rule] : parameters.rules) {
    RankedTensorType type = typeOfOperand(function, operand);
    int64_t elements = rule.alignment * 8 / std::max(8u, type.getElementTypeBitWidth());
    if (elements <= 1)
      continue;
    require(fa_runtime::lessEqual(rule.alignment, fa_runtime::alignment(operand)));
    for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
      require(fa_runtime::either(
          fa_runtime::lessEqual(fa_runtime::dim(operand, dim), 1),
          fa_runtime::equal(fa_runtime::mod(fa_runtime::stride(operand, dim), elements), 0)));
  }
  return result;
}

/// Kernels step through the last dim one by one; all other strides are theirs to take.
static std::vector<int64_t> describeStrides(RankedTensorType type) {
  std::vector<int64_t> strides(type.getRank(), -1);
  if (!strides.empty())
    strides.back() = 1;
  return strides;
}

/// The sizes of a result: its destination is an empty tensor.
static FailureOr<std::vector<Expr>> describeResultSizes(Value result) {
  while (auto cast = result.getDefiningOp<tensor::CastOp>())
    result = cast.getSource();
  auto forall = result.getDefiningOp<scf::ForallOp>();
  auto empty =
      forall
          ? forall.getTiedOpOperand(cast<OpResult>(result))->get().getDefiningOp<tensor::EmptyOp>()
          : tensor::EmptyOp();
  if (!empty)
    return emitError(result.getLoc(), "expects results that tile programs write from scratch"),
           failure();
  std::vector<Expr> sizes;
  for (OpFoldResult size : empty.getMixedSizes()) {
    FailureOr<Expr> expr = describeSize(size);
    if (failed(expr))
      return failure();
    sizes.push_back(*expr);
  }
  return sizes;
}

FailureOr<fa_runtime::Region> mlir::fa::describeRegion(func::FuncOp function, StringRef name) {
  fa_runtime::Region region;
  region.name = name.str();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    fa_runtime::Argument argument;
    argument.name = "arg" + std::to_string(index);
    argument.dtype = dtypeOf(getElementTypeOrSelf(type));
    if (argument.dtype == fa_runtime::DType::Invalid)
      return function.emitOpError("expects element types that the runtime knows, got ") << type,
             failure();
    auto tensor = dyn_cast<RankedTensorType>(type);
    argument.isScalar = !tensor;
    if (tensor) {
      for (int64_t size : tensor.getShape())
        argument.dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
      argument.strides = describeStrides(tensor);
    }
    region.arguments.push_back(argument);
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    fa_runtime::Result result;
    result.name = "res" + std::to_string(index);
    result.dtype = dtypeOf(type.getElementType());
    FailureOr<std::vector<Expr>> sizes = describeResultSizes(value);
    if (failed(sizes))
      return failure();
    result.dims = *sizes;
    result.strides = describeStrides(type);
    region.results.push_back(result);
  }
  return region;
}
