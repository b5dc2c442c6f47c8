//===- Jit.h - LLVM dialect to code in memory -----------------------------===//
#ifndef FA_LIB_COMPILER_JIT_H
#define FA_LIB_COMPILER_JIT_H

#include "fa/Compiler/CompilerError.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {

/// Code in memory, and how to enter it.
struct Jit {
  std::unique_ptr<ExecutionEngine> engine;
  /// `_mlir_ciface_<entry>` with its arguments packed: one pointer to each.
  void (*entry)(void **) = nullptr;
};

/// Compiles a module in the LLVM dialect for the host's CPU. `optLevel` 0…3 as LLVM's -O.
llvm::Expected<Jit> createJit(ModuleOp module, StringRef entry, int optLevel);

/// Sets how many threads the parallel loops of compiled code use; 0: one per core. Does nothing
/// before the OpenMP runtime is loaded.
void setThreadCount(int threads);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_JIT_H
