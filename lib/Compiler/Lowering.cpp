//===- Lowering.cpp -------------------------------------------------------===//

#include "Lowering.h"
#include "Diagnostics.h"
#include "fa/Reference/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fa;

/// Everything becomes linalg on tensors: TOSA, shape arithmetic, arithmetic on whole tensors.
static void addToLinalg(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToArithPass(TosaToArithPassOptions{/*includeApplyRescale=*/true}));
  function.addPass(createTosaToTensorPass());
  pm.addPass(createTosaToSCFPass());
  pm.addPass(createConvertShapeToStandardPass());
  OpPassManager &generic = pm.nest<func::FuncOp>();
  generic.addPass(createConvertElementwiseToLinalgPass());
  generic.addPass(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createCanonicalizerPass());
}

static void addBufferize(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
}

static void addToLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // memref.reshape by run-time sizes has no lowering of its own.
  pm.addNestedPass<func::FuncOp>(memref::createExpandOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  OpPassManager &function = pm.nest<func::FuncOp>();
  // Only what has no libm function: the expansion of tanh loses all digits of a small argument.
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"fpowi", "rsqrt", "ctlz", "clampf"};
  function.addPass(math::createMathExpandOpsPass(expand));
  arith::ArithExpandOpsPassOptions narrow;
  narrow.includeBf16 = true;
  function.addPass(arith::createArithExpandOpsPass(narrow));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

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
  addToLinalg(pm);
  pm.addPass(createWidenToF64());
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot evaluate the program in f64"));
  return llvm::Error::success();
}

llvm::Error mlir::fa::lowerToLLVM(ModuleOp module) {
  PassManager pm(module->getName());
  ErrorCollector errors(module->getContext());
  addToLinalg(pm);
  addBufferize(pm);
  addToLLVM(pm);
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot lower the program to the CPU"));
  return llvm::Error::success();
}
