//===- DifferentiateFunction.cpp - fa-differentiate-function --------------===//

#include "ReverseOps.h"
#include "fa/Differentiate/Passes.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::fa {
#define GEN_PASS_DEF_DIFFERENTIATEFUNCTION
#include "fa/Differentiate/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

static bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

/// The map of an attention op's LSE, which it may not have: batch and query dims in loop order.
static AffineMap getLseMap(AttentionOp op) {
  if (op.getLse())
    return op.getResultMap(1);
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : op.getIndexedDims())
    if (op.getRole(dim) != DimRole::key)
      exprs.push_back(getAffineDimExpr(dim, op.getContext()));
  return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

static RankedTensorType getLseType(AttentionOp op) {
  if (op.getLse())
    return cast<RankedTensorType>(op.getLse().getType());
  SmallVector<int64_t> shape;
  for (AffineExpr expr : getLseMap(op).getResults())
    shape.push_back(op.getStaticLoopSize(cast<AffineDimExpr>(expr).getPosition()));
  return RankedTensorType::get(shape, op.getAccumulationType());
}

/// The same op with its LSE as a result.
static AttentionOp addLse(AttentionOp op) {
  if (op.getLse())
    return op;
  OpBuilder builder(op);
  SmallVector<Type> types(op->getResultTypes());
  types.insert(types.begin() + 1, getLseType(op));
  SmallVector<Attribute> maps(op.getMaps().getValue());
  maps.insert(maps.begin() + op->getNumOperands() + 1, AffineMapAttr::get(getLseMap(op)));
  auto withLse =
      AttentionOp::create(builder, op.getLoc(), types, op->getOperands(), op->getAttrs());
  withLse.setMapsAttr(builder.getArrayAttr(maps));
  auto segments = op.getProperties().getResultSegmentSizes();
  withLse.getProperties().setResultSegmentSizes({segments[0], 1, segments[2], segments[3]});
  withLse.getProperties().setOperandSegmentSizes(op.getProperties().getOperandSegmentSizes());
  withLse.getScore().takeBody(op.getScore());
  withLse.getProbability().takeBody(op.getProbability());
  SmallVector<Value> replacements(withLse->getResults());
  replacements.erase(replacements.begin() + 1);
  op->replaceAllUsesWith(replacements);
  op.erase();
  return withLse;
}

static SmallVector<AttentionOp> listAttention(func::FuncOp function) {
  SmallVector<AttentionOp> ops;
  function.walk([&](AttentionOp op) { ops.push_back(op); });
  return ops;
}

/// Writes named and elementwise ops as linalg.generic.
static LogicalResult generalize(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return !OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() == 0 ||
           !isa<RankedTensorType>(op->getResult(0).getType());
  });
  if (failed(applyPartialConversion(function, target, std::move(patterns))))
    return failure();
  IRRewriter rewriter(context);
  SmallVector<linalg::LinalgOp> named;
  function.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  return success();
}

/// What depends on one of `inputs` through floating-point values.
static llvm::DenseSet<Value> findActive(func::FuncOp function, ArrayRef<Value> inputs) {
  llvm::DenseSet<Value> active(inputs.begin(), inputs.end());
  for (Operation &op : function.getBody().front())
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return active.contains(operand); }))
      for (Value result : op.getResults())
        if (isFloat(result.getType()))
          active.insert(result);
  return active;
}

namespace {
struct DifferentiateFunction : fa::impl::DifferentiateFunctionBase<DifferentiateFunction> {
  using DifferentiateFunctionBase::DifferentiateFunctionBase;

  FailureOr<func::FuncOp> findFunction();
  LogicalResult check(func::FuncOp source);
  LogicalResult lowerTosa(func::FuncOp vjp);
  FailureOr<SmallVector<int64_t>> listArguments(func::FuncOp source);
  void createForward(func::FuncOp source);
  LogicalResult createVjp(func::FuncOp source, ArrayRef<int64_t> arguments);
  LogicalResult reverse(func::FuncOp vjp, ArrayRef<Value> saved, ArrayRef<Value> cotangents,
                        ArrayRef<Value> inputs);
  func::FuncOp cloneAs(func::FuncOp source, const Twine &name);

  void runOnOperation() override {
    FailureOr<func::FuncOp> source = findFunction();
    if (failed(source) || failed(check(*source)))
      return signalPassFailure();
    FailureOr<SmallVector<int64_t>> arguments = listArguments(*source);
    if (failed(arguments) || failed(createVjp(*source, *arguments)))
      return signalPassFailure();
    createForward(*source);
  }
};
} // namespace

/// The function of the option, or the only one.
FailureOr<func::FuncOp> DifferentiateFunction::findFunction() {
  SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
  for (func::FuncOp candidate : functions)
    if (candidate.getName() == function || (function.empty() && functions.size() == 1))
      return candidate;
  InFlightDiagnostic error = getOperation().emitError();
  if (function.empty())
    error << "expects function=NAME, since the module has " << functions.size() << " functions";
  else
    error << "has no function '" << function << "' to differentiate";
  return error;
}

LogicalResult DifferentiateFunction::check(func::FuncOp source) {
  if (!source.getBody().hasOneBlock())
    return source.emitOpError("cannot be differentiated: expects a body without branches");
  if (listAttention(source).empty())
    return source.emitOpError("cannot be differentiated: no attention was found in it");
  for (StringRef suffix : {"_fwd", "_vjp"})
    if (getOperation().lookupSymbol((source.getName() + suffix).str()))
      return source.emitOpError() << "cannot be differentiated: '" << source.getName() << suffix
                                  << "' exists already";
  for (Operation &op : source.getBody().front().without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("cannot be differentiated: it may have side effects");
  return success();
}

/// The arguments of the option, or all that are tensors of floats.
FailureOr<SmallVector<int64_t>> DifferentiateFunction::listArguments(func::FuncOp source) {
  SmallVector<int64_t> arguments(wrt.begin(), wrt.end());
  int64_t count = source.getNumArguments();
  auto isDifferentiable = [&](int64_t i) {
    Type type = source.getArgumentTypes()[i];
    return isa<RankedTensorType>(type) && isFloat(type);
  };
  if (arguments.empty())
    for (int64_t i = 0; i < count; ++i)
      if (isDifferentiable(i))
        arguments.push_back(i);
  for (int64_t i : arguments)
    if (i < 0 || i >= count || !isDifferentiable(i))
      return source.emitOpError() << "cannot be differentiated by argument " << i
                                  << ": expects tensors of floats among its " << count
                                  << " arguments";
  if (arguments.empty())
    return source.emitOpError("cannot be differentiated: no argument is a tensor of floats");
  return arguments;
}

/// Writes tosa ops, which move, scale and cast too, as linalg and tensor ops.
LogicalResult DifferentiateFunction::lowerTosa(func::FuncOp vjp) {
  WalkResult found = vjp.walk([](Operation *op) {
    return isa<tosa::TosaDialect>(op->getDialect()) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return success();
  OpPassManager pm(func::FuncOp::getOperationName());
  pm.addPass(tosa::createTosaToLinalgNamed());
  pm.addPass(tosa::createTosaToLinalg());
  pm.addPass(createTosaToArithPass());
  pm.addPass(createTosaToTensorPass());
  return runPipeline(pm, vjp);
}

/// A public copy behind the source.
func::FuncOp DifferentiateFunction::cloneAs(func::FuncOp source, const Twine &name) {
  OpBuilder builder(source);
  builder.setInsertionPointAfter(source);
  auto copy = cast<func::FuncOp>(builder.clone(*source));
  copy.setName(name.str());
  copy.setPublic();
  return copy;
}

/// F_fwd: the results of F, then output and LSE of every attention op.
void DifferentiateFunction::createForward(func::FuncOp source) {
  func::FuncOp forward = cloneAs(source, source.getName() + "_fwd");
  Operation *end = forward.getBody().front().getTerminator();
  SmallVector<AttentionOp> ops;
  for (AttentionOp op : listAttention(forward))
    ops.push_back(addLse(op));
  SmallVector<Value> results(end->getOperands());
  for (AttentionOp op : ops)
    results.append({op.getOutput(), op.getLse()});
  end->setOperands(results);
  forward.setType(
      FunctionType::get(&getContext(), forward.getArgumentTypes(), TypeRange(ValueRange(results))));
  forward.removeResAttrsAttr();
}

/// F_vjp: from F's arguments, what F_fwd saved and cotangents to gradients.
LogicalResult DifferentiateFunction::createVjp(func::FuncOp source, ArrayRef<int64_t> arguments) {
  func::FuncOp vjp = cloneAs(source, source.getName() + "_vjp");
  if (failed(lowerTosa(vjp)) || failed(generalize(vjp)))
    return failure();
  Block &body = vjp.getBody().front();
  SmallVector<Value> saved, cotangents, inputs;
  for (AttentionOp op : listAttention(vjp)) {
    saved.push_back(body.addArgument(op.getOutput().getType(), op.getLoc()));
    saved.push_back(body.addArgument(getLseType(op), op.getLoc()));
  }
  for (Value result : body.getTerminator()->getOperands())
    cotangents.push_back(
        isFloat(result.getType()) ? body.addArgument(result.getType(), result.getLoc()) : Value());
  for (int64_t number : arguments)
    inputs.push_back(body.getArgument(number));
  if (failed(reverse(vjp, saved, cotangents, inputs)))
    return failure();
  vjp.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                body.getTerminator()->getOperandTypes()));
  vjp.removeArgAttrsAttr();
  vjp.removeResAttrsAttr();
  return success();
}

/// Lets the function return the gradients of `inputs`, and removes what they do not need.
LogicalResult DifferentiateFunction::reverse(func::FuncOp vjp, ArrayRef<Value> saved,
                                             ArrayRef<Value> cotangents, ArrayRef<Value> inputs) {
  Block &body = vjp.getBody().front();
  Operation *end = body.getTerminator();
  llvm::DenseSet<Value> active = findActive(vjp, inputs);
  OpBuilder builder(end);
  TensorGradients gradients(builder, active);
  for (auto [result, cotangent] : llvm::zip_equal(end->getOperands(), cotangents))
    if (cotangent)
      gradients.add(vjp.getLoc(), result, cotangent);
  SmallVector<Operation *> ops =
      llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  SmallVector<AttentionOp> attention = listAttention(vjp);
  for (Operation *op : llvm::reverse(ops)) {
    auto hasGradient = [&](Value result) { return bool(gradients.get(result)); };
    if (llvm::none_of(op->getResults(), hasGradient))
      continue;
    LogicalResult reversed = success();
    if (auto forward = dyn_cast<AttentionOp>(op)) {
      unsigned number = llvm::find(attention, forward) - attention.begin();
      reversed = reverseAttention(forward, saved[2 * number], saved[2 * number + 1],
                                  getLseMap(forward), gradients);
    } else {
      reversed = reverseTensorOp(op, gradients);
    }
    if (failed(reversed))
      return failure();
  }
  SmallVector<Value> results;
  for (Value input : inputs)
    results.push_back(gradients.getOrCreateZero(vjp.getLoc(), input));
  end->setOperands(results);
  for (auto [number, op] : llvm::enumerate(attention)) {
    op.getOutput().replaceAllUsesWith(saved[2 * number]);
    if (op.getLse())
      op.getLse().replaceAllUsesWith(saved[2 * number + 1]);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}
