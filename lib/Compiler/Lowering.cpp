//===- Lowering.cpp -------------------------------------------------------===//

#include "Lowering.h"
#include "Diagnostics.h"
#include "fa/Reference/Passes.h"
#include "fa/Target/CPU/Passes.h"
#include "fa/Tile/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::fa;

/// Runs the passes that `build` adds. `what` says what they are for.
static llvm::Error runPasses(ModuleOp module, StringRef what,
                             llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module->getName());
  ErrorCollector errors(module->getContext());
  build(pm);
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot " + what));
  return llvm::Error::success();
}

llvm::Error mlir::fa::fuseAttention(ModuleOp module, FuseTarget stage, StringRef machine) {
  return runPasses(module, "fuse attention", [&](OpPassManager &pm) {
    FuseAttentionOptions options;
    options.to = stage;
    options.machine = machine.str();
    buildFuseAttention(pm, options);
  });
}

llvm::Error mlir::fa::tileAttention(ModuleOp module, StringRef machine, int64_t queryTile,
                                    int64_t keyTile) {
  return runPasses(module, "tile attention", [&](OpPassManager &pm) {
    ChooseScheduleOptions options;
    options.machine = machine.str();
    if (queryTile || keyTile)
      options.tile = (Twine(queryTile) + "x" + Twine(keyTile)).str();
    pm.addPass(createChooseSchedule(options));
    pm.addPass(createTileAttention());
  });
}

llvm::Error mlir::fa::widenToF64(ModuleOp module) {
  return runPasses(module, "evaluate the program in f64", [](OpPassManager &pm) {
    pm.addPass(createExpandAttention());
    buildToLinalgPipeline(pm);
    pm.addPass(createWidenToF64());
  });
}

llvm::Error mlir::fa::lowerToLLVM(ModuleOp module, bool deallocate) {
  CpuOptions options;
  options.deallocate = deallocate;
  return runPasses(module, "lower the program to the CPU", [&](OpPassManager &pm) {
    pm.addPass(createExpandAttention()); // what nobody tiled runs unfused
    buildCpuPipeline(pm, options);
  });
}
