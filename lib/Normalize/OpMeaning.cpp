//===- OpMeaning.cpp - One scratch copy per op whose meaning is not in maps ===//

#include "fa/Normalize/OpMeaning.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::fa;

/// Calls deeper than this are not looked into: recursion must end.
static constexpr unsigned kMaxCallDepth = 8;

static bool isTosa(Operation *op) {
  return op->getDialect() && op->getDialect()->getNamespace() == "tosa" &&
         !op->hasTrait<OpTrait::ConstantLike>() && op->getNumRegions() == 0;
}

/// Operands that conversions want to see as constants: shapes, shifts, zero points.
static Attribute getSmallConstant(Value operand) {
  Operation *op = operand.getDefiningOp();
  if (!op || !op->hasTrait<OpTrait::ConstantLike>())
    return {};
  if (auto shape = dyn_cast<tosa::ConstShapeOp>(op))
    return shape.getValuesAttr();
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  DenseElementsAttr value;
  if (type && type.hasStaticShape() && type.getNumElements() <= 1 &&
      matchPattern(operand, m_Constant(&value)))
    return value;
  return {};
}

/// Equal for ops that convert to the same thing.
static std::string getSignature(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName() << op->getAttrDictionary();
  for (Value operand : op->getOperands()) {
    stream << operand.getType();
    if (Attribute constant = getSmallConstant(operand))
      stream << '=' << constant;
  }
  for (Type type : op->getResultTypes())
    stream << type;
  return text;
}

/// A function around a copy of `op` whose arguments are the operands.
static func::FuncOp wrapInFunction(OpBuilder &builder, Operation *op) {
  auto type = builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  auto function = func::FuncOp::create(builder, op->getLoc(), "meaning", type);
  Block *block = function.addEntryBlock();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip_equal(op->getOperands(), block->getArguments())) {
    mapping.map(operand, argument);
    if (getSmallConstant(operand))
      mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
  }
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  return function;
}

OpMeaning::OpMeaning(ModuleOp module)
    : context(module.getContext()), scratch(ModuleOp::create(module.getLoc())) {
  module.walk([&](func::FuncOp function) { callees[function.getSymName()] = function; });
  convertDistinctOps(module);
}

void OpMeaning::convertDistinctOps(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(scratch->getBody());
  module.walk([&](Operation *op) {
    if (isTosa(op)) {
      auto [entry, isNew] = converted.try_emplace(getSignature(op));
      if (isNew)
        entry->second = wrapInFunction(builder, op);
    }
  });
  if (converted.empty())
    return;
  PassManager conversion(context, func::FuncOp::getOperationName());
  conversion.enableVerifier(false);
  conversion.addPass(tosa::createTosaToLinalgNamed());
  conversion.addPass(tosa::createTosaToLinalg());
  conversion.addPass(createTosaToTensorPass());
  conversion.addPass(createTosaToArithPass());
  // An op that upstream cannot convert has no meaning here; that is no error of the user's.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  for (auto &entry : converted)
    if (failed(conversion.run(entry.second)))
      entry.second = nullptr;
}

Region *OpMeaning::instantiate(Operation *op) {
  auto known = converted.find(getSignature(op));
  if (known == converted.end() || !known->second)
    return nullptr;
  auto copy = cast<func::FuncOp>(known->second->clone());
  scratch->push_back(copy);
  for (auto [argument, operand] : llvm::zip_equal(copy.getArguments(), op->getOperands()))
    bound[argument] = operand;
  return &copy.getBody();
}

func::FuncOp OpMeaning::getCallee(func::CallOp call) const {
  return callees.lookup(call.getCallee());
}

Region *OpMeaning::instantiateCall(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      callee.getFunctionType() != call.getCalleeType())
    return nullptr;
  unsigned depth = callDepths.lookup(call->getParentRegion()) + 1;
  if (depth > kMaxCallDepth)
    return nullptr;
  auto copy = cast<func::FuncOp>(callee->clone());
  scratch->push_back(copy);
  for (auto [argument, operand] : llvm::zip_equal(copy.getArguments(), call.getOperands()))
    bound[argument] = operand;
  callDepths[&copy.getBody()] = depth;
  return &copy.getBody();
}

Region *OpMeaning::instantiateSoftmax(Operation *op) {
  OpBuilder builder = OpBuilder::atBlockEnd(scratch->getBody());
  func::FuncOp function = wrapInFunction(builder, op);
  auto softmax = cast<linalg::SoftmaxOp>(function.getBody().front().front());
  builder.setInsertionPoint(softmax);
  FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(builder);
  if (failed(parts))
    return nullptr;
  softmax->replaceAllUsesWith(*parts);
  softmax->erase();
  for (auto [argument, operand] : llvm::zip_equal(function.getArguments(), op->getOperands()))
    bound[argument] = operand;
  return &function.getBody();
}

Value OpMeaning::getMeaning(OpResult result) {
  Operation *op = result.getOwner();
  auto [entry, isNew] = instances.try_emplace(op, nullptr);
  if (isNew) {
    Region *region = nullptr;
    if (isTosa(op))
      region = instantiate(op);
    else if (auto call = dyn_cast<func::CallOp>(op))
      region = instantiateCall(call);
    else if (isa<linalg::SoftmaxOp>(op))
      region = instantiateSoftmax(op);
    instances[op] = region;
    if (region)
      origins[region] = op;
  }
  Region *region = instances[op];
  if (!region)
    return nullptr;
  return region->front().getTerminator()->getOperand(result.getResultNumber());
}

Value OpMeaning::getBound(Value value) const {
  while (Value next = bound.lookup(value))
    value = next;
  return value;
}

Operation *OpMeaning::getOrigin(Operation *op) const {
  for (Operation *at = op; at;) {
    Region *region = at->getParentRegion();
    Operation *origin = region ? origins.lookup(region) : nullptr;
    if (origin)
      op = at = origin;
    else
      at = at->getParentOp();
  }
  return op;
}

bool OpMeaning::isScratch(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  while (op && op != scratch.get())
    op = op->getParentOp();
  return op != nullptr;
}
