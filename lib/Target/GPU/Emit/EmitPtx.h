//===- EmitPtx.h - From a lowered kernel to PTX ---------------------------===//
#ifndef FA_TARGET_GPU_EMIT_EMITPTX_H
#define FA_TARGET_GPU_EMIT_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::fa {

/// The PTX text of a module of lowered kernels for a chip as LLVM spells it. `features` are LLVM's,
/// e.g. the PTX version.
FailureOr<std::string> emitPtx(gpu::GPUModuleOp module, StringRef chip, StringRef features);

/// What the assembler said about a module.
struct AssemblyReport {
  std::string cubin;
  std::string text;       ///< all that it printed
  int64_t spillBytes = 0; ///< stores and loads, of all kernels
  int64_t registers = 0;  ///< of the kernel that needs most
  bool hasWarnings = false;
};

/// The path of the assembler: on PATH or where the CUDA toolkit is usually installed; empty if
/// there is none.
std::string findAssembler();

/// Assembles PTX. The error says what the assembler said.
llvm::Expected<AssemblyReport> assembleCubin(StringRef assembler, StringRef ptx, StringRef chip);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_EMIT_EMITPTX_H
