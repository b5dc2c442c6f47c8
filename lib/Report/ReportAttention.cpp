//===- ReportAttention.cpp - The pass fa-report ---------------------------===//

#include "WriteReport.h"
#include "fa/Report/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::fa;

namespace mlir::fa {
#define GEN_PASS_DEF_REPORTATTENTION
#include "fa/Report/Passes.h.inc"
} // namespace mlir::fa

namespace {
struct ReportAttentionPass : mlir::fa::impl::ReportAttentionBase<ReportAttentionPass> {
  using ReportAttentionBase::ReportAttentionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<FaDialect>();
    OpPassManager finder(ModuleOp::getOperationName());
    if (succeeded(addFinder(finder)))
      finder.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ReportContext context;
    AssumedSizes assumed;
    if (failed(readOptions(context, assumed)))
      return signalPassFailure();
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> file;
    if (output != "-" && !(file = openOutputFile(output, &error))) {
      emitError(getOperation().getLoc()) << "cannot write the report: " << error;
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> copy;
    if (failed(findAttention(copy)))
      return signalPassFailure();
    SmallVector<RegionReport> regions = collect(copy ? *copy : getOperation(), assumed);
    raw_ostream &os = file ? file->os() : llvm::errs();
    (format == "json" ? writeJson : writeText)(os, regions, context);
    if (file)
      file->keep();
    markAllAnalysesPreserved();
  }

private:
  /// Adds the pipeline that raises attention. By name, since a stage does not call another one;
  /// fails if it is not registered.
  static LogicalResult addFinder(OpPassManager &manager) {
    return parsePassPipeline("fuse-attention{to=op}", manager, llvm::nulls());
  }

  /// If the module has no attention op, makes a copy in which attention has been found.
  LogicalResult findAttention(OwningOpRef<ModuleOp> &copy) {
    WalkResult found = getOperation()->walk([](AttentionOp) { return WalkResult::interrupt(); });
    PassManager finder(&getContext());
    if (found.wasInterrupted() || failed(addFinder(finder)))
      return success();
    copy = getOperation().clone();
    return finder.run(*copy);
  }

  LogicalResult readOptions(ReportContext &context, AssumedSizes &assumed);
  static SmallVector<RegionReport> collect(ModuleOp module, const AssumedSizes &assumed);
};
} // namespace

/// Parses "key:4096" into `assumed`.
static LogicalResult parseSize(StringRef text, AssumedSizes &assumed) {
  auto [name, number] = text.split(':');
  std::optional<DimRole> role = symbolizeDimRole(name);
  int64_t size;
  if (!role || number.getAsInteger(10, size) || size < 0)
    return failure();
  assumed[unsigned(*role)] = size;
  return success();
}

LogicalResult ReportAttentionPass::readOptions(ReportContext &context, AssumedSizes &assumed) {
  ModuleOp module = getOperation();
  context.machine = findMachine(machine);
  if (!context.machine)
    return emitError(module.getLoc())
           << "unknown machine '" << machine << "': expects one of " << listMachineNames();
  if (format != "text" && format != "json")
    return emitError(module.getLoc())
           << "unknown report format '" << format << "': expects text or json";
  if (rate != "dense" && rate != "sparse")
    return emitError(module.getLoc()) << "unknown rate '" << rate << "': expects dense or sparse";
  context.isSparse = rate == "sparse";
  for (const std::string &text : dims)
    if (failed(parseSize(text, assumed)))
      return emitError(module.getLoc())
             << "expects dims as ROLE:SIZE with a role of batch, query, key, "
                "head_dim, value_dim, got '"
             << text << "'";
  return success();
}

SmallVector<RegionReport> ReportAttentionPass::collect(ModuleOp module,
                                                       const AssumedSizes &assumed) {
  SmallVector<RegionReport> regions;
  llvm::StringMap<unsigned> count;
  module.walk([&](AttentionOp op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    StringRef name = function ? function.getName() : "<module>";
    RegionReport region;
    region.name = (name + "." + std::to_string(count[name]++)).str();
    region.op = op;
    region.loopSizes = getLoopSizes(op, assumed);
    region.work = computeWork(op, region.loopSizes);
    regions.push_back(std::move(region));
  });
  return regions;
}
