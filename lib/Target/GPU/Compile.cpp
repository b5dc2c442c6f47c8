//===- Compile.cpp - A fused region as code and launch records ------------===//

#include "fa/Target/GPU/Compile.h"
#include "BuildKernels.h"
#include "Emit/EmitPtx.h"
#include "Emit/LaunchMetadata.h"
#include "Sm80/ChooseSchedule.h"
#include "Sm80/Sm80Instructions.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace mlir::fa;
using fa_runtime::Expr;

namespace {

/// A function's kernels for one machine, and the module that they and its tile program live in.
struct Attempt {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  BuiltKernels kernels;
  std::string schedule;
};

} // namespace

/// Tiles a copy of `function` by one schedule and builds its kernels.
static FailureOr<Attempt> build(func::FuncOp function, ScheduleAttr schedule,
                                const Machine &machine, bool isAligned,
                                const GpuCompileOptions &options) {
  Attempt attempt;
  attempt.module = ModuleOp::create(function.getLoc());
  attempt.function = function.clone();
  attempt.module->push_back(attempt.function);
  findRegion(attempt.function).setScheduleAttr(schedule);
  if (failed(options.tile(*attempt.module)))
    return failure();
  PlanOptions plan;
  plan.warps = schedule.getWarps();
  plan.stages = schedule.getStages();
  plan.sharedLimit = machine.fastBytes;
  plan.isAligned = isAligned;
  FailureOr<BuiltKernels> kernels = buildKernels(attempt.function, plan, Sm80Instructions());
  if (failed(kernels))
    return failure();
  attempt.kernels = std::move(*kernels);
  llvm::raw_string_ostream(attempt.schedule)
      << schedule.getQueryTile() << "x" << schedule.getKeyTile() << " tiles, "
      << attempt.kernels.kernels.front().plan.stages << " stages, "
      << attempt.kernels.kernels.front().plan.warps << " warps";
  return attempt;
}

/// Tries the schedules in their order; errors of all but the last are kept to themselves.
static FailureOr<Attempt> buildFor(func::FuncOp function, const Machine &machine, bool isAligned,
                                   const GpuCompileOptions &options) {
  auto region = findRegion(function);
  if (!region)
    return function.emitOpError("expects one region to compile for a GPU, and nothing else"),
           failure();
  SmallVector<ScheduleAttr> schedules = {region.getScheduleAttr()};
  if (!schedules.front()) {
    auto listed = listSm80Schedules(region, machine);
    if (failed(listed))
      return failure();
    schedules = *listed;
  }
  for (ScheduleAttr schedule : ArrayRef(schedules).drop_back()) {
    ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<Attempt> attempt = build(function, schedule, machine, isAligned, options);
    if (succeeded(attempt))
      return attempt;
  }
  return build(function, schedules.back(), machine, isAligned, options);
}

/// Adds the PTX, and the machine code where it can be had, of an attempt.
static LogicalResult addModule(Attempt &attempt, const Machine &machine,
                               const GpuCompileOptions &options, fa_runtime::Artifact &artifact) {
  FailureOr<std::string> ptx =
      emitPtx(attempt.kernels.module, machine.name, ptxFeatures(machine.name));
  if (failed(ptx))
    return failure();
  fa_runtime::Module module;
  module.machine = machine.name.str();
  module.ptx = *ptx;
  std::string line =
      attempt.function.getName().str() + " for " + module.machine + ": " + attempt.schedule;
  std::string assembler = options.assemble ? findAssembler() : std::string();
  if (!assembler.empty()) {
    llvm::Expected<AssemblyReport> report = assembleCubin(assembler, *ptx, machine.name);
    if (!report)
      return attempt.function.emitOpError(llvm::toString(report.takeError()));
    module.cubins.push_back({module.machine, report->cubin});
    line += ", " + std::to_string(report->registers) + " registers";
    if (report->spillBytes)
      line += ", spills " + std::to_string(report->spillBytes) + " bytes";
    if (report->hasWarnings)
      line += ", with warnings of the assembler";
  }
  if (options.report)
    options.report(line);
  artifact.modules.push_back(std::move(module));
  return success();
}

/// Appends the kernels of an attempt and their launches, which run where `guard` holds.
static LogicalResult addLaunches(Attempt &attempt, const Expr &guard, const Machine &machine,
                                 const GpuCompileOptions &options, fa_runtime::Artifact &artifact,
                                 fa_runtime::Program &program) {
  if (failed(addModule(attempt, machine, options, artifact)))
    return failure();
  for (const BuiltKernel &kernel : attempt.kernels.kernels) {
    FailureOr<fa_runtime::Launch> launch = describeLaunch(kernel, artifact.kernels.size());
    if (failed(launch))
      return failure();
    launch->guard = guard;
    program.launches.push_back(*launch);
    artifact.kernels.push_back({kernel.symbol, static_cast<int32_t>(artifact.modules.size() - 1)});
  }
  return success();
}

static FailureOr<fa_runtime::Program> compileFor(func::FuncOp function, Attempt &attempt,
                                                 const Machine &machine,
                                                 const GpuCompileOptions &options,
                                                 fa_runtime::Artifact &artifact) {
  fa_runtime::Program program;
  program.machine = machine.name.str();
  program.schedule = attempt.schedule;
  Expr guard = 1;
  for (const BuiltKernel &kernel : attempt.kernels.kernels) {
    Expr own = describeAlignment(attempt.function, kernel.parameters);
    guard = guard == Expr(1) ? own : fa_runtime::both(guard, own);
  }
  if (failed(addLaunches(attempt, guard, machine, options, artifact, program)))
    return failure();
  if (guard == Expr(1) || !options.unaligned)
    return program;
  FailureOr<Attempt> slow = buildFor(function, machine, /*isAligned=*/false, options);
  if (failed(slow) ||
      failed(addLaunches(*slow, fa_runtime::equal(guard, 0), machine, options, artifact, program)))
    return failure();
  return program;
}

/// Equal loops have equal sizes in all operands, and none is too long for 32-bit positions.
static void addConstraints(func::FuncOp function, fa_runtime::Region &region) {
  auto nameOf = [](DimOfOperand dim) {
    return "dim " + std::to_string(dim.second) + " of arg" + std::to_string(dim.first);
  };
  auto isDynamic = [&](DimOfOperand dim) {
    return region.arguments[dim.first].dims[dim.second] < 0;
  };
  for (ArrayRef<DimOfOperand> set : listEqualDims(findRegion(function))) {
    for (DimOfOperand dim : set.drop_front())
      if (isDynamic(set.front()) || isDynamic(dim))
        region.constraints.push_back(
            {fa_runtime::equal(fa_runtime::dim(set.front().first, set.front().second),
                               fa_runtime::dim(dim.first, dim.second)),
             nameOf(set.front()) + " and " + nameOf(dim) + " have the same size"});
    if (isDynamic(set.front()))
      region.constraints.push_back(
          {fa_runtime::lessEqual(fa_runtime::dim(set.front().first, set.front().second),
                                 kMaxDimSize),
           nameOf(set.front()) + " is at most " + std::to_string(kMaxDimSize)});
  }
}

LogicalResult mlir::fa::compileRegion(func::FuncOp function, StringRef name,
                                      ArrayRef<const Machine *> machines,
                                      const GpuCompileOptions &options,
                                      fa_runtime::Artifact &artifact) {
  std::optional<fa_runtime::Region> region;
  for (const Machine *machine : machines) {
    FailureOr<Attempt> attempt = buildFor(function, *machine, /*isAligned=*/true, options);
    if (failed(attempt))
      return failure();
    if (!region) {
      FailureOr<fa_runtime::Region> described = describeRegion(attempt->function, name);
      if (failed(described))
        return failure();
      region = *described;
      addConstraints(function, *region);
    }
    FailureOr<fa_runtime::Program> program =
        compileFor(function, *attempt, *machine, options, artifact);
    if (failed(program))
      return failure();
    region->programs.push_back(*program);
  }
  if (!region)
    return function.emitOpError("expects at least one machine to compile for");
  artifact.regions.push_back(std::move(*region));
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> mlir::fa::emitKernelModule(func::FuncOp function,
                                                            const Machine &machine,
                                                            const GpuCompileOptions &options) {
  FailureOr<Attempt> attempt = buildFor(function, machine, /*isAligned=*/true, options);
  if (failed(attempt))
    return failure();
  attempt->function.erase();
  return std::move(attempt->module);
}
