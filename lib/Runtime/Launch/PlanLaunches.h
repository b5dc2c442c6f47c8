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

/// An address among a launch's parameters: of a base, and bytes behind it.
struct PlannedAddress {
  size_t parameter = 0; ///< which parameter takes it, or the tensor map that begins there
  Address::Base base = Address::Base::Operand;
  int32_t operand = 0;
  uint64_t offset = 0;
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
  std::vector<PlannedAddress> addresses; ///< of both
};

/// The program's workspace and state for these sizes.
Expected<ScratchSizes> scratchSizes(const Program &program, const ExprInputs &inputs);

/// What a run's addresses are relative to.
struct RunMemory {
  const std::vector<Operand> &arguments, &results;
  uint64_t workspace = 0, state = 0; ///< device addresses
};

/// The launches of one run, in order. The operands have been checked. Workspace
/// and state are of at least the bytes that scratchSizes asks for. The error names the launch and
/// the limit that it breaks.
Expected<std::vector<PlannedLaunch>> planLaunches(const Artifact &artifact, const Program &program,
                                                  const ExprInputs &inputs, const RunMemory &memory,
                                                  const DeviceLimits &limits);

/// Renews the addresses of launches that were planned for operands which differ from these in their
/// addresses alone (canShareLaunches).
void moveLaunches(std::vector<PlannedLaunch> &launches, const RunMemory &memory);

/// True if launches planned for `planned` serve `other`, too, once they are moved: types, sizes,
/// strides, scalars, the alignment of addresses and the place within known allocations are equal.
bool canShareLaunches(const std::vector<Operand> &planned, const std::vector<Operand> &other);

} // namespace fa_runtime

#endif // FA_RUNTIME_LAUNCH_PLANLAUNCHES_H
