//===- Pipelines.cpp - The order of all passes ----------------------------===//

#include "fa/Pipeline/Pipelines.h"
#include "fa/Differentiate/Passes.h"
#include "fa/Machine/Machine.h"
#include "fa/Raise/Passes.h"
#include "fa/Reference/Passes.h"
#include "fa/Target/CPU/Passes.h"
#include "fa/Target/GPU/Passes.h"
#include "fa/Tile/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::fa;

/// The pass that chooses tiles for `machine`. A name that no row has is an error of the host's.
static void addSchedule(OpPassManager &manager, const std::string &machine) {
  const Machine *row = findMachine(machine);
  if (row && row->isGPU()) {
    ChooseSm80ScheduleOptions schedule;
    schedule.machine = machine;
    return manager.addPass(createChooseSm80Schedule(schedule));
  }
  ChooseScheduleOptions schedule;
  schedule.machine = machine;
  manager.addPass(createChooseSchedule(schedule));
}

void mlir::fa::buildFuseAttention(OpPassManager &manager, const FuseAttentionOptions &options) {
  RaiseAttentionOptions raise;
  raise.require = options.require;
  manager.addPass(createRaiseAttention(raise));
  if (options.to == FuseTarget::Op)
    return;
  addSchedule(manager, options.machine);
  manager.addPass(createTileAttention());
  manager.addPass(createStripAttributes());
}

void mlir::fa::buildDifferentiate(OpPassManager &manager, const DifferentiateOptions &options) {
  manager.addPass(createRaiseAttention());
  DifferentiateFunctionOptions differentiate;
  differentiate.function = options.function;
  differentiate.wrt.assign(options.wrt.begin(), options.wrt.end());
  manager.addPass(createDifferentiateFunction(differentiate));
  if (!options.fuse)
    manager.addPass(createExpandAttention());
}

void mlir::fa::registerPipelines() {
  PassPipelineRegistration<FuseAttentionOptions>(
      "fuse-attention", "Finds matmul, softmax, matmul and fuses them into attention.",
      buildFuseAttention);
  PassPipelineRegistration<DifferentiateOptions>(
      "fa-differentiate", "Finds attention in a function and writes its gradient, F_fwd and F_vjp.",
      buildDifferentiate);
}
