//===- Pipelines.cpp - The order of all passes ----------------------------===//

#include "fa/Pipeline/Pipelines.h"
#include "fa/Raise/Passes.h"
#include "fa/Target/CPU/Passes.h"
#include "fa/Tile/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::fa;

void mlir::fa::buildFuseAttention(OpPassManager &manager, const FuseAttentionOptions &options) {
  RaiseAttentionOptions raise;
  raise.require = options.require;
  manager.addPass(createRaiseAttention(raise));
  if (options.to == FuseTarget::Op)
    return;
  ChooseScheduleOptions schedule;
  schedule.machine = options.machine;
  manager.addPass(createChooseSchedule(schedule));
  manager.addPass(createTileAttention());
  manager.addPass(createStripAttributes());
}

void mlir::fa::registerPipelines() {
  PassPipelineRegistration<FuseAttentionOptions>(
      "fuse-attention", "Finds matmul, softmax, matmul and fuses them into attention.",
      buildFuseAttention);
}
