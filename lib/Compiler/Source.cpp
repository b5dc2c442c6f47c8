//===- Source.cpp ---------------------------------------------------------===//

#include "Source.h"
#include "Diagnostics.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::fa;

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mlir::fa::readSource(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  return inputError("cannot read '" + path + "': " + buffer.getError().message());
}

/// MLIR's parser and walks recurse: this many levels fit any stack.
static constexpr int kMaxNesting = 512;

/// Counts brackets; those in strings and comments, which nobody nests like that, count too.
static bool isNestedTooDeep(StringRef text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '(' || c == '[' || c == '{';
    depth = std::max(0, depth - (c == ')' || c == ']' || c == '}'));
    if (depth > kMaxNesting)
      return true;
  }
  return false;
}

llvm::Expected<OwningOpRef<ModuleOp>> mlir::fa::parseSource(MLIRContext *context, StringRef text,
                                                            StringRef name) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, name);
  if (isBytecode(*buffer))
    return inputError(name + ": is MLIR bytecode, which is not read for safety; expected text, as "
                             "`mlir-opt FILE` prints it");
  // Functions that nobody runs may hold ops of any dialect.
  context->allowUnregisteredDialects();
  if (isNestedTooDeep(text))
    return inputError(name + ": brackets are nested more than " + Twine(kMaxNesting) + " deep");
  ErrorCollector errors(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module)
    return inputError(errors.getText(name + ": not MLIR text"));
  return std::move(module);
}

/// "@a, @b, @c", at most eight.
static std::string listFunctions(ModuleOp module) {
  SmallVector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration())
      names.push_back(("@" + function.getName()).str());
  if (names.size() > 8) {
    names.resize(8);
    names.push_back("…");
  }
  return llvm::join(names, ", ");
}

llvm::Expected<func::FuncOp> mlir::fa::selectFunction(ModuleOp module, StringRef function) {
  std::string file = describeLocation(module.getLoc());
  file = StringRef(file).split(':').first.str();
  std::string all = listFunctions(module);
  if (all.empty())
    return inputError(file + ": has no func.func with a body");
  if (!function.empty()) {
    auto found = module.lookupSymbol<func::FuncOp>(function);
    if (!found)
      return inputError(file + ": has no function '" + function + "'; it has " + all);
    if (found.isDeclaration())
      return inputError(file + ": function '" + function + "' has no body");
    return found;
  }
  SmallVector<func::FuncOp> candidates;
  for (auto candidate : module.getOps<func::FuncOp>())
    if (candidate.isPublic() && !candidate.isDeclaration())
      candidates.push_back(candidate);
  if (candidates.size() != 1)
    return inputError(file + ": name one of its functions with --function: " + all);
  return candidates.front();
}

/// An error at the first op that no lowering exists for.
static llvm::Error refuseUnknownOps(ModuleOp module) {
  llvm::Error error = llvm::Error::success();
  module.walk([&](Operation *op) {
    if (op->isRegistered())
      return WalkResult::advance();
    error = refusal(describeLocation(op->getLoc()) + ": op '" + op->getName().getStringRef() +
                    "' is not known here; lower it to linalg or TOSA first");
    return WalkResult::interrupt();
  });
  return error;
}

/// True if `function` reaches itself through calls; `path` are the functions on the way.
static bool isRecursive(ModuleOp module, func::FuncOp function, llvm::SetVector<Operation *> &path,
                        DenseSet<Operation *> &done) {
  if (!path.insert(function))
    return true;
  bool found = false;
  function.walk([&](func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && !done.contains(callee) && isRecursive(module, callee, path, done))
      found = true;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  path.pop_back();
  done.insert(function);
  return found;
}

/// Nothing here lowers recursion: it would run until the stack is used up.
static llvm::Error refuseRecursion(ModuleOp module, func::FuncOp entry) {
  llvm::SetVector<Operation *> path;
  DenseSet<Operation *> done;
  if (isRecursive(module, entry, path, done))
    return refusal(describeLocation(entry.getLoc()) + ": function '" + entry.getName() +
                   "' calls itself, directly or through others; unroll the recursion");
  return llvm::Error::success();
}

llvm::Error mlir::fa::isolateFunction(ModuleOp module, func::FuncOp entry) {
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function == entry ? SymbolTable::Visibility::Public
                                             : SymbolTable::Visibility::Private);
  PassManager pm(module->getName());
  pm.addPass(createSymbolDCEPass());
  ErrorCollector errors(module->getContext());
  if (failed(pm.run(module))) {
    // What an unknown op with regions holds cannot be told apart from a use.
    if (llvm::Error error = refuseUnknownOps(module))
      return error;
    return refusal(errors.getText("cannot isolate the function"));
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isDeclaration())
      return refusal(describeLocation(function.getLoc()) + ": function '" + function.getName() +
                     "' is called but has no body");
  if (llvm::Error error = refuseUnknownOps(module))
    return error;
  return refuseRecursion(module, entry);
}
