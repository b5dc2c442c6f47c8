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

/// Registers `--fuse-attention`.
void registerPipelines();

} // namespace mlir::fa

#endif // FA_PIPELINE_PIPELINES_H
