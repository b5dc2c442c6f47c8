//===- Entry.cpp ----------------------------------------------------------===//

#include "Entry.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fa;

void mlir::fa::loadEntryDialects(MLIRContext &context) {
  context.loadDialect<bufferization::BufferizationDialect, func::FuncDialect, LLVM::LLVMDialect,
                      tensor::TensorDialect>();
}

/// The tensor that stands for a value at the boundary.
static Type getBoxedType(Type type) {
  return isa<TensorType>(type) ? type : Type(RankedTensorType::get({}, type));
}

/// A user's function may be called `exp` or `malloc`, and a lowering may declare the real one.
static void renamePrivateFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (function.isDeclaration())
      continue;
    function.setPrivate();
    std::string name = ("fa." + function.getName()).str();
    (void)symbols.rename(function, StringAttr::get(module.getContext(), name));
  }
}

/// A copy of a tensor, in memory that nothing else uses.
static Value copyTensor(OpBuilder &builder, Location loc, Value tensor) {
  return bufferization::AllocTensorOp::create(
      builder, loc, cast<RankedTensorType>(tensor.getType()), ValueRange(), tensor);
}

func::FuncOp mlir::fa::addEntry(ModuleOp module, func::FuncOp function, ResultOwner owner) {
  renamePrivateFunctions(module);
  Location loc = function.getLoc();
  SmallVector<Type> inputs = llvm::map_to_vector(function.getArgumentTypes(), getBoxedType);
  SmallVector<Type> results = llvm::map_to_vector(function.getResultTypes(), getBoxedType);
  OpBuilder builder(module.getBodyRegion());
  auto entry =
      func::FuncOp::create(builder, loc, kEntryName, builder.getFunctionType(inputs, results));
  entry->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  for (unsigned i = 0; i < inputs.size(); ++i)
    entry.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName,
                     builder.getBoolAttr(false));

  builder.setInsertionPointToStart(entry.addEntryBlock());
  SmallVector<Value> values;
  for (auto [argument, type] : llvm::zip(entry.getArguments(), function.getArgumentTypes()))
    values.push_back(isa<TensorType>(type)
                         ? Value(argument)
                         : tensor::ExtractOp::create(builder, loc, argument, ValueRange()));
  auto call = func::CallOp::create(builder, loc, function, values);
  values.clear();
  for (auto [value, type] : llvm::zip(call.getResults(), results))
    values.push_back(value.getType() == type
                         ? Value(value)
                         : tensor::FromElementsOp::create(builder, loc, type, value));
  if (owner == ResultOwner::Caller)
    for (Value &value : values)
      value = copyTensor(builder, loc, value);
  func::ReturnOp::create(builder, loc, values);
  return entry;
}
