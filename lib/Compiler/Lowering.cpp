//===- Lowering.cpp -------------------------------------------------------===//

#include "Lowering.h"
#include "Diagnostics.h"
#include "fa/Reference/Passes.h"
#include "fa/Target/CPU/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::fa;

/// Runs passes given as text. `what` says what they are for.
static llvm::Error runPipeline(ModuleOp module, const Twine &pipeline, StringRef what) {
  PassManager pm(module->getName());
  ErrorCollector errors(module->getContext());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(parsePassPipeline(pipeline.str(), pm, stream)))
    return refusal("cannot " + what + ": " + text);
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot " + what));
  return llvm::Error::success();
}

llvm::Error mlir::fa::fuseAttention(ModuleOp module, StringRef stage, StringRef machine) {
  if (!PassPipelineInfo::lookup("fuse-attention"))
    return llvm::Error::success();
  return runPipeline(module, "fuse-attention{to=" + stage + " machine=" + machine + "}",
                     "fuse attention");
}

llvm::Error mlir::fa::tileAttention(ModuleOp module, StringRef machine, int64_t queryTile,
                                    int64_t keyTile) {
  std::string tile;
  if (queryTile || keyTile)
    tile = (" tile=" + Twine(queryTile) + "x" + Twine(keyTile)).str();
  return runPipeline(module, "fa-choose-schedule{machine=" + machine + tile + "},fa-tile",
                     "tile attention");
}

llvm::Error mlir::fa::widenToF64(ModuleOp module) {
  PassManager pm(module->getName());
  ErrorCollector errors(module->getContext());
  buildToLinalgPipeline(pm);
  pm.addPass(createWidenToF64());
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot evaluate the program in f64"));
  return llvm::Error::success();
}

llvm::Error mlir::fa::lowerToLLVM(ModuleOp module) {
  PassManager pm(module->getName());
  ErrorCollector errors(module->getContext());
  buildCpuPipeline(pm, CpuOptions());
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot lower the program to the CPU"));
  return llvm::Error::success();
}
