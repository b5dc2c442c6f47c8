//===- Pipelines.h - The order of all passes ------------------------------===//
#ifndef FA_PIPELINE_PIPELINES_H
#define FA_PIPELINE_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::fa {

/// How far `--fuse-attention` goes.
enum class FuseTarget { Op, Loops };

/// Options of `--fuse-attention`.
struct FuseAttentionOptions : PassPipelineOptions<FuseAttentionOptions> {
  Option<FuseTarget> to{
      *this, "to", llvm::cl::desc("How far to go: fa.attention, or loops in upstream dialects."),
      llvm::cl::init(FuseTarget::Loops),
      llvm::cl::values(clEnumValN(FuseTarget::Op, "op", "stop at fa.attention"),
                       clEnumValN(FuseTarget::Loops, "loops", "go on to tiled loops"))};
  Option<std::string> machine{*this, "machine",
                              llvm::cl::desc("The machine that tile sizes are chosen for."),
                              llvm::cl::init("host")};
  Option<int64_t> require{*this, "require",
                          llvm::cl::desc("Fail unless at least this many regions are fused."),
                          llvm::cl::init(0)};
};

/// Finds attention and fuses it; see FuseAttentionOptions.
void buildFuseAttention(OpPassManager &manager, const FuseAttentionOptions &options);

/// Options of `--fa-differentiate`.
struct DifferentiateOptions : PassPipelineOptions<DifferentiateOptions> {
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc("The function; may be left out if the module has one only.")};
  ListOption<int64_t> wrt{
      *this, "wrt",
      llvm::cl::desc("Numbers of the arguments to differentiate by; default: all float tensors.")};
  Option<bool> fuse{*this, "fuse",
                    llvm::cl::desc("Keep attention as one op; false writes plain linalg."),
                    llvm::cl::init(true)};
};

/// Finds attention and writes F_fwd and F_vjp; see the pass fa-differentiate-function.
void buildDifferentiate(OpPassManager &manager, const DifferentiateOptions &options);

/// Registers `--fuse-attention` and `--fa-differentiate`.
void registerPipelines();

} // namespace mlir::fa

#endif // FA_PIPELINE_PIPELINES_H
