//===- OutlineRegions.cpp - Attention ops as functions --------------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "fa/Outline/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fa {
#define GEN_PASS_DEF_OUTLINEREGIONS
#include "fa/Outline/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Moves `op` into a new function `name` and calls it.
static func::FuncOp outline(AttentionOp op, StringRef name, SymbolTable &symbols) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  auto function = func::FuncOp::create(
      loc, name, builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  function.setPrivate();
  symbols.insert(function);
  auto call = func::CallOp::create(builder, loc, function, op->getOperands());
  op->replaceAllUsesWith(call.getResults());

  Block *body = function.addEntryBlock();
  op->moveBefore(body, body->end());
  op->setOperands(body->getArguments());
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, loc, op->getResults());
  return function;
}

FailureOr<SmallVector<func::FuncOp>> mlir::fa::outlineRegions(ModuleOp module, StringRef name) {
  SmallVector<AttentionOp> ops;
  module.walk([&](AttentionOp op) { ops.push_back(op); });
  SymbolTable symbols(module);
  llvm::StringMap<unsigned> counts;
  SmallVector<func::FuncOp> functions;
  for (AttentionOp op : ops) {
    auto parent = op->getParentOfType<func::FuncOp>();
    StringRef prefix = name.empty() && parent ? parent.getName() : name;
    std::string symbol = (prefix + "." + Twine(counts[prefix]++)).str();
    if (Operation *existing = symbols.lookup(symbol)) {
      InFlightDiagnostic error = op->emitOpError("cannot be outlined: '")
                                 << symbol << "' exists already";
      error.attachNote(existing->getLoc()) << "here";
      return failure();
    }
    functions.push_back(outline(op, symbol, symbols));
  }
  return functions;
}

namespace {
struct OutlineRegions : fa::impl::OutlineRegionsBase<OutlineRegions> {
  using OutlineRegionsBase::OutlineRegionsBase;

  void runOnOperation() override {
    if (failed(outlineRegions(getOperation(), function)))
      signalPassFailure();
  }
};
} // namespace
