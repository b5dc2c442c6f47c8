//===- LaunchMetadata.h - How the runtime launches a kernel ---------------===//
#ifndef FA_TARGET_GPU_EMIT_LAUNCHMETADATA_H
#define FA_TARGET_GPU_EMIT_LAUNCHMETADATA_H

#include "Runtime/Artifact/Artifact.h"
#include "Target/GPU/BuildKernels.h"

namespace mlir::fa {

/// The launch of one kernel: grid, block, shared memory and parameters as formulas over the
/// function's operands. `kernel` is its index in the artifact.
FailureOr<fa_runtime::Launch> describeLaunch(const BuiltKernel &kernel, int32_t index);

/// True where the operands keep a kernel's rules on addresses and strides.
fa_runtime::Expr describeAlignment(func::FuncOp function, const KernelParameters &parameters);

/// The arguments and results of a function of tile programs. Results have the sizes of the
/// forall's destinations.
FailureOr<fa_runtime::Region> describeRegion(func::FuncOp function, StringRef name);

/// A size in a function of tile programs as a formula over its arguments.
FailureOr<fa_runtime::Expr> describeSize(OpFoldResult size);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_EMIT_LAUNCHMETADATA_H
