//===- LowerKernel.h - From an emitted kernel to the LLVM dialect ---------===//
#ifndef FA_TARGET_GPU_LOWERKERNEL_H
#define FA_TARGET_GPU_LOWERKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fa {

/// Turns the arith and math ops of the kernels in `module` into the LLVM dialect. An op that would
/// need a library of the device is an error that names it.
LogicalResult lowerKernels(gpu::GPUModuleOp module);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_LOWERKERNEL_H
