//===- PlanLaunches.h - A program's formulas become numbers ---------------===//
//
// Everything about a run that needs no driver: which launches take part, with which
// grids and parameters. A plan can be enqueued any number of times.
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_LAUNCH_PLANLAUNCHES_H
#define FA_RUNTIME_LAUNCH_PLANLAUNCHES_H

#include "Runtime/Launch/Operand.h"

namespace fa_runtime {

/// What a device allows a launch to ask for.
struct DeviceLimits {
  std::array<int64_t, 3> grid = {2147483647, 65535, 65535};
  std::array<int64_t, 3> block = {1024, 1024, 64};
  int64_t threads = 1024;      ///< per block
  int64_t sharedBytes = 49152; ///< dynamic, per block, after opting in
  int64_t sms = 1;
};

/// Memory that a program asks for beside its operands.
struct ScratchSizes {
  int64_t workspaceBytes = 0;
  int64_t stateBytes = 0;
};

/// A tensor map with its sizes worked out, ready for cuTensorMapEncodeTiled.
struct PlannedTensorMap {
  size_t parameter = 0; ///< which parameter takes it
  DType dtype = DType::Invalid;
  uint64_t address = 0;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box;
  int32_t swizzle = 0, l2Promotion = 0;
  bool nanFill = false;
};

struct PlannedLaunch {
  int32_t kernel = 0; ///< index into Artifact::kernels
  std::array<uint32_t, 3> grid = {}, block = {}, cluster = {};
  uint32_t sharedBytes = 0;
  bool programmatic = false;
  /// Each parameter's bytes; 8 are enough for all but tensor maps, which are in `maps`.
  std::vector<std::array<char, 8>> parameters;
  std::vector<PlannedTensorMap> maps;
};

/// The program's workspace and state for these sizes.
Expected<ScratchSizes> scratchSizes(const Program &program, const ExprInputs &inputs);

/// The launches of one run, in order. The operands have been checked. `workspace` and `state` are
/// device addresses of at least the bytes that scratchSizes asks for. The error names the launch
/// and the limit that it breaks.
Expected<std::vector<PlannedLaunch>>
planLaunches(const Artifact &artifact, const Program &program, const ExprInputs &inputs,
             const std::vector<Operand> &arguments, const std::vector<Operand> &results,
             uint64_t workspace, uint64_t state, const DeviceLimits &limits);

} // namespace fa_runtime

#endif // FA_RUNTIME_LAUNCH_PLANLAUNCHES_H
