//===- Pipeline.cpp - The order of passes from tensors to LLVM ------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
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

void fa::buildToLinalgPipeline(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToArithPass(TosaToArithPassOptions{/*includeApplyRescale=*/true}));
  function.addPass(createTosaToTensorPass());
  pm.addPass(createTosaToSCFPass());
  pm.addPass(createConvertShapeToStandardPass());
  OpPassManager &generic = pm.nest<func::FuncOp>();
  generic.addPass(createDecomposeSoftmax());
  generic.addPass(createExpandClamp());
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
  pm.addPass(createCanonicalizerPass());
}

/// Tile programs on tensors -> vectors in loops that may run in parallel, on buffers.
static void addTilePrograms(OpPassManager &pm, const CpuOptions &options) {
  pm.addPass(createSeparateInits());
  pm.addPass(createPrepareTiles());
  pm.addPass(createReuseTiles());
  addBufferize(pm);
  pm.addPass(createLayOutTiles());
  PlaceBuffersOptions place;
  place.free = !options.deallocate;
  pm.addPass(createPlaceBuffers(place));
  // Where a buffer is freed depends on where it lives, so it is decided afterwards.
  if (options.deallocate) {
    bufferization::buildBufferDeallocationPipeline(pm, {});
    // Deallocation clones what a function returns but does not own, its own argument for example.
    pm.addPass(createConvertBufferizationToMemRefPass());
  }
  pm.addPass(createVectorizeTiles());
  pm.addPass(createExpandExp());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createExpandCopies());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  ParallelizeTilesOptions parallelize;
  parallelize.parallel = options.parallel;
  pm.addPass(createParallelizeTiles(parallelize));
}

static void addOpenMP(OpPassManager &pm, const CpuOptions &options) {
  ConvertSCFToOpenMPPassOptions parallel;
  parallel.numThreads = options.threads;
  pm.addPass(createConvertSCFToOpenMPPass(parallel));
  // Inlines the scopes of the stack that the conversion adds where they hold loops.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createPlaceBuffers());
}

static void addToLLVM(OpPassManager &pm) {
  // memref.reshape by run-time sizes has no lowering of its own.
  pm.addNestedPass<func::FuncOp>(memref::createExpandOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  OpPassManager &function = pm.nest<func::FuncOp>();
  // Only what has no libm function: the expansion of tanh loses all digits of a small argument.
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"fpowi", "rsqrt", "ctlz"};
  function.addPass(math::createMathExpandOpsPass(expand));
  arith::ArithExpandOpsPassOptions narrow;
  narrow.includeBf16 = true;
  function.addPass(arith::createArithExpandOpsPass(narrow));
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void fa::buildCpuPipeline(OpPassManager &pm, const CpuOptions &options) {
  pm.addPass(createKeepTilePrograms());
  buildToLinalgPipeline(pm);
  addTilePrograms(pm, options);
  addOpenMP(pm, options);
  addToLLVM(pm);
}

namespace {
struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<bool> parallel{*this, "parallel", llvm::cl::init(true),
                        llvm::cl::desc("run tile programs on several cores, through OpenMP")};
  Option<int> threads{*this, "threads", llvm::cl::init(0),
                      llvm::cl::desc("threads of a parallel loop; 0: what OpenMP chooses")};
  Option<bool> deallocate{*this, "deallocate", llvm::cl::init(false),
                          llvm::cl::desc("free whatever is not a result")};
};
} // namespace

void fa::registerCpuPipelines() {
  PassPipelineRegistration<CpuPipelineOptions>(
      "fa-cpu-to-llvm", "Tile programs and upstream ops on tensors to the LLVM dialect",
      [](OpPassManager &pm, const CpuPipelineOptions &options) {
        buildCpuPipeline(pm, {options.parallel, options.threads, options.deallocate});
      });
}
