//===- EmitPass.cpp - fa-gpu-plan and fa-gpu-emit -------------------------===//

#include "BuildKernels.h"
#include "Emit/EmitPtx.h"
#include "Sm80/Sm80Instructions.h"
#include "fa/Machine/Machine.h"
#include "fa/Target/GPU/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::fa {
#define GEN_PASS_DEF_PLANKERNELS
#define GEN_PASS_DEF_EMITKERNELS
#include "fa/Target/GPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {

struct PlanKernels : fa::impl::PlanKernelsBase<PlanKernels> {
  using PlanKernelsBase::PlanKernelsBase;

  void runOnOperation() override {
    const Machine *row = findMachine(machine);
    if (!row || !row->isGPU()) {
      emitError(getOperation()->getLoc(), "expects the name of a GPU, got \"")
          << machine << "\"; known machines: " << listMachineNames();
      return signalPassFailure();
    }
    PlanOptions options{warps, stages, row->fastBytes};
    WalkResult result = getOperation()->walk([&](scf::ForallOp forall) {
      FailureOr<TileGraph> graph = TileGraph::build(forall);
      if (failed(graph))
        return WalkResult::interrupt();
      FailureOr<KernelPlan> plan = planKernel(*graph, options);
      if (failed(plan))
        return WalkResult::interrupt();
      annotatePlan(*graph, *plan);
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

struct EmitKernels : fa::impl::EmitKernelsBase<EmitKernels> {
  using EmitKernelsBase::EmitKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Machine *row = findMachine(machine);
    if (!row || !row->isGPU()) {
      module.emitError("expects the name of a GPU, got \"")
          << machine << "\"; known machines: " << listMachineNames();
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.getOps<scf::ForallOp>().empty())
        functions.push_back(function);
    std::string text;
    for (func::FuncOp function : functions) {
      FailureOr<BuiltKernels> built = buildKernels(
          function, PlanOptions{warps, stages, row->fastBytes, !unaligned}, Sm80Instructions());
      if (failed(built))
        return signalPassFailure();
      if (!ptx.empty()) {
        FailureOr<std::string> emitted = emitPtx(built->module, row->name, ptxFeatures(row->name));
        if (failed(emitted))
          return signalPassFailure();
        text += *emitted;
      }
      // Callers keep a declaration.
      if (SymbolTable::symbolKnownUseEmpty(function, module)) {
        function.erase();
      } else {
        function.eraseBody();
        function.setPrivate();
      }
    }
    if (!ptx.empty() && failed(write(text)))
      signalPassFailure();
  }

  LogicalResult write(StringRef text) {
    std::error_code error;
    llvm::ToolOutputFile file(ptx, error, llvm::sys::fs::OF_Text);
    if (error)
      return emitError(getOperation().getLoc(), "cannot write ") << ptx << ": " << error.message();
    file.os() << text;
    file.keep();
    return success();
  }
};

} // namespace
