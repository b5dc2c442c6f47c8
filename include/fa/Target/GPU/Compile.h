//===- Compile.h - A fused region as code and launch records --------------===//
#ifndef FA_TARGET_GPU_COMPILE_H
#define FA_TARGET_GPU_COMPILE_H

#include "fa/Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace fa_runtime {
struct Artifact;
}

namespace mlir::fa {

struct GpuCompileOptions {
  /// Turns the scheduled op of the module's only function into a tile program (fa-tile, cse; not
  /// canonicalize, which dissolves a forall that runs once): stages meet in their caller. Required.
  std::function<LogicalResult(ModuleOp)> tile;
  /// Assemble machine code too, where ptxas is found; without it the driver does so.
  bool assemble = true;
  /// Also a kernel for operands whose addresses or strides the fast one cannot take; without it
  /// they are refused at run time.
  bool unaligned = true;
  /// Called with one line about each kernel: its schedule, and what the assembler says of it.
  std::function<void(StringRef)> report;
};

/// Compiles `function`, which holds one fused region and nothing else (as fa-outline makes
/// them), for every machine, and appends modules, kernels and the region `name` to `artifact`. An
/// op that has a schedule keeps it, otherwise schedules are tried in their order. The function
/// itself stays as it is. Fails with an error on it when no schedule can be planned.
LogicalResult compileRegion(func::FuncOp function, StringRef name,
                            ArrayRef<const Machine *> machines, const GpuCompileOptions &options,
                            fa_runtime::Artifact &artifact);

/// The kernels of `function` for one machine in the LLVM and NVVM dialects, in a module of their
/// own.
FailureOr<OwningOpRef<ModuleOp>> emitKernelModule(func::FuncOp function, const Machine &machine,
                                                  const GpuCompileOptions &options);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_COMPILE_H
