//===- Jit.cpp ------------------------------------------------------------===//

#include "Jit.h"
#include "Diagnostics.h"
#include "HostCode.h"
#include "JitRuntime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/Target/TargetMachine.h"
#include <dlfcn.h>
#include <thread>

using namespace mlir;
using namespace mlir::fa;

/// The OpenMP runtime under the names that distributions give it; NULL without one.
static void *loadOpenMP() {
  static void *handle = [] {
    for (const char *name : {"libomp.so.5", "libomp.so", "/usr/lib/llvm-14/lib/libomp.so.5",
                             "/usr/lib/llvm-22/lib/libomp.so.5"})
      if (void *found = dlopen(name, RTLD_NOW | RTLD_GLOBAL))
        return found;
    return static_cast<void *>(nullptr);
  }();
  return handle;
}

static llvm::Error checkOpenMP(ModuleOp module) {
  bool needed = module
                    .walk([](Operation *op) {
                      return op->getName().getDialectNamespace() == "omp" ? WalkResult::interrupt()
                                                                          : WalkResult::advance();
                    })
                    .wasInterrupted();
  if (needed && !loadOpenMP())
    return refusal("parallel loops need the OpenMP runtime libomp.so.5, which is not found; "
                   "install it (Debian: apt install libomp5)");
  return llvm::Error::success();
}

static void registerSymbols(ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    for (auto [name, address] : getJitSymbols())
      symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
    return symbols;
  });
}

llvm::Expected<Jit> mlir::fa::createJit(ModuleOp module, StringRef entry, int optLevel) {
  if (llvm::Error error = checkOpenMP(module))
    return std::move(error);
  auto machine = createHostMachine(optLevel);
  if (!machine)
    return machine.takeError();
  auto optimizer = makeOptimizingTransformer(optLevel, /*sizeLevel=*/0, machine->get());
  ExecutionEngineOptions options;
  if (optLevel > 0)
    options.transformer = optimizer;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(optLevel);
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  ErrorCollector errors(module->getContext());
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine) {
    auto [status, text] = takeStatusAndText(engine.takeError());
    return refusal(errors.getText(text));
  }
  registerSymbols(**engine);
  auto found = (*engine)->lookupPacked(("_mlir_ciface_" + entry).str());
  if (!found)
    return found.takeError();
  Jit jit;
  jit.engine = std::move(*engine);
  jit.entry = *found;
  return std::move(jit);
}

void mlir::fa::setThreadCount(int threads) {
  void *handle = loadOpenMP();
  if (!handle)
    return;
  if (auto *set = reinterpret_cast<void (*)(int)>(dlsym(handle, "omp_set_num_threads")))
    set(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()));
}
