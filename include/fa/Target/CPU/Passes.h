//===- Passes.h - From the tile program to the host's CPU -----------------===//
#ifndef FA_TARGET_CPU_PASSES_H
#define FA_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Target/CPU/Passes.h.inc"

/// How a module becomes machine code.
struct CpuOptions {
  /// Tile programs run on several cores, through OpenMP; else on one.
  bool parallel = true;
  /// Threads of a parallel loop; 0: as many as OpenMP chooses when the code runs.
  int threads = 0;
  /// Whatever is allocated and not returned is freed; else that is left to who gives the memory.
  bool deallocate = false;
};

/// Takes TOSA, shape arithmetic and arithmetic on whole tensors to linalg, all on tensors.
void buildToLinalgPipeline(OpPassManager &pm);

/// Takes a module with tile programs and any upstream ops around them, on tensors, to the LLVM
/// dialect. Function results come back in memory that the function allocated with malloc.
void buildCpuPipeline(OpPassManager &pm, const CpuOptions &options);

/// Registers `--fa-cpu-to-llvm`, which is buildCpuPipeline.
void registerCpuPipelines();

} // namespace mlir::fa

#endif // FA_TARGET_CPU_PASSES_H
