//===- BuildKernels.h - A function of tile programs becomes kernels -------===//
#ifndef FA_TARGET_GPU_BUILDKERNELS_H
#define FA_TARGET_GPU_BUILDKERNELS_H

#include "Instructions.h"
#include "KernelParameters.h"
#include "KernelPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fa {

/// One forall as a kernel.
struct BuiltKernel {
  std::string symbol;
  scf::ForallOp forall;
  KernelPlan plan;
  KernelParameters parameters;
};

/// The kernels of one function, in the order of their foralls.
struct BuiltKernels {
  gpu::GPUModuleOp module;
  std::vector<BuiltKernel> kernels;
};

/// Plans and emits every forall of `function` into a new module beside it, lowered to the LLVM
/// dialect. The function stays as it is.
FailureOr<BuiltKernels> buildKernels(func::FuncOp function, const PlanOptions &options,
                                     const Instructions &instructions);

/// LLVM's feature string for a chip: the PTX version that the generated code needs.
StringRef ptxFeatures(StringRef chip);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_BUILDKERNELS_H
