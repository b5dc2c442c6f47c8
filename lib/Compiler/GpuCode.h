//===- GpuCode.h - Fused regions as code for GPUs -------------------------===//
#ifndef FA_LIB_COMPILER_GPUCODE_H
#define FA_LIB_COMPILER_GPUCODE_H

#include "Runtime/Artifact/Artifact.h"
#include "fa/Compiler/CompilerError.h"
#include "fa/Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {

/// The launch programs of the attention ops in `module`, which is fused already, and, where `entry`
/// holds nothing but attention and views, of `entry` itself. Regions are named after `entry`.
/// Outlines: afterwards `entry` calls the functions in `regions`. `source` is the text that the
/// module was read from. `withUnaligned`: also kernels for operands whose addresses or strides the
/// fast ones cannot take. Forced tile sizes are written on the ops beforehand.
llvm::Expected<fa_runtime::Artifact> compileArtifact(ModuleOp module, func::FuncOp entry,
                                                     ArrayRef<const Machine *> machines,
                                                     StringRef source, bool withUnaligned,
                                                     SmallVectorImpl<func::FuncOp> &regions);

/// The kernels of the attention ops in `module` in the NVVM dialect, as text.
llvm::Expected<std::string> emitNVVM(ModuleOp module, func::FuncOp entry, const Machine &machine);

/// The PTX of an artifact with one module for each region, one after the other.
std::string getPTX(const fa_runtime::Artifact &artifact);

/// The machine code of an artifact's only module for `chip`.
llvm::Expected<std::string> getCubin(const fa_runtime::Artifact &artifact, StringRef chip);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_GPUCODE_H
