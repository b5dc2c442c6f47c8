//===- LoadedRegion.cpp - A fused region on a device ----------------------===//

#include "Runtime/Cuda/LoadedRegion.h"
#include <algorithm>

namespace fa_runtime {

/// Dynamic shared memory that a kernel may use without asking.
static constexpr uint32_t kSharedWithoutAsking = 48 << 10;

Expected<const Program *> chooseProgram(const Region &region, Capability capability) {
  std::string machines;
  for (const Program &program : region.programs) {
    if (ptxFits(program.machine, capability))
      return &program;
    machines += (machines.empty() ? "" : ", ") + program.machine;
  }
  return Error{"region " + region.name + " was compiled for " +
               (machines.empty() ? "no machine" : machines) + ", the device is " +
               toString(capability) + "; compile it with --machine=" + toString(capability)};
}

Expected<LoadedRegion> LoadedRegion::load(std::shared_ptr<const Artifact> artifact, size_t region,
                                          std::shared_ptr<const Device> device,
                                          std::shared_ptr<LoadedCode> code) {
  LoadedRegion loaded;
  loaded.artifact = std::move(artifact);
  loaded.device = std::move(device);
  loaded.code = std::move(code);
  loaded.index = region;
  Expected<const Program *> program = chooseProgram(loaded.region(), loaded.device->capability());
  if (!program)
    return program.error();
  loaded.chosen = *program;
  for (const Launch &launch : loaded.chosen->launches)
    if (Expected<CUfunction> function = loaded.code->function(launch.kernel); !function)
      return function.error();
  return loaded;
}

Expected<ScratchSizes> LoadedRegion::scratch(const std::vector<Operand> &arguments,
                                             const std::vector<Operand> &results) const {
  return scratchSizes(*chosen, exprInputs(arguments, results, device->limits().sms));
}

/// Checks the operands and makes `last` the launches for them.
Status LoadedRegion::plan(const RunMemory &memory) {
  last = {};
  Status fits = checkOperands(region().arguments, region().results, region().constraints,
                              memory.arguments, memory.results, device->ordinal());
  if (!fits)
    return fits;
  bool isEmpty =
      std::all_of(memory.results.begin(), memory.results.end(), [](const Operand &result) {
        return std::find(result.dims.begin(), result.dims.end(), 0) != result.dims.end();
      });
  if (!isEmpty) {
    ExprInputs inputs = exprInputs(memory.arguments, memory.results, device->limits().sms);
    Expected<std::vector<PlannedLaunch>> launches =
        planLaunches(*artifact, *chosen, inputs, memory, device->limits());
    if (!launches)
      return launches.error();
    last.launches = std::move(*launches);
  }
  last.arguments = memory.arguments;
  last.results = memory.results;
  return {};
}

Status LoadedRegion::run(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                         uint64_t workspace, uint64_t state, CUstream stream) {
  RunMemory memory{arguments, results, workspace, state};
  bool isKnown = !last.results.empty() && canShareLaunches(last.arguments, arguments) &&
                 canShareLaunches(last.results, results);
  if (isKnown)
    moveLaunches(last.launches, memory);
  else if (Status status = plan(memory); !status)
    return at("region " + region().name, status.error());
  if (last.launches.empty())
    return {};
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  for (const PlannedLaunch &launch : last.launches)
    if (Status status = enqueue(launch, stream); !status)
      return at("kernel " + artifact->kernels[static_cast<size_t>(launch.kernel)].symbol,
                status.error());
  return {};
}

/// The values of CUtensorMapDataType.
static int tensorMapType(DType dtype) {
  switch (dtype) {
  case DType::I16:
    return 1;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::F16:
    return 6;
  case DType::F32:
    return 7;
  case DType::F64:
    return 8;
  case DType::BF16:
    return 9;
  default:
    return 0;
  }
}

/// 0, 32, 64, 128 (or 0, 64, 128, 256, given as halves) to 0, 1, 2, 3.
static int log2Code(int bytes) { return bytes == 0 ? 0 : bytes == 32 ? 1 : bytes == 64 ? 2 : 3; }

Status LoadedRegion::encode(const PlannedTensorMap &map, CUtensorMap &encoded) const {
  const uint32_t ones[5] = {1, 1, 1, 1, 1};
  return device->driver().cuTensorMapEncodeTiled(
      &encoded, tensorMapType(map.dtype), static_cast<uint32_t>(map.sizes.size()),
      reinterpret_cast<void *>(map.address), map.sizes.data(), map.strides.data(), map.box.data(),
      ones, /*interleave=*/0, log2Code(map.swizzle), log2Code(map.l2Promotion / 2), map.nanFill);
}

Status LoadedRegion::allowShared(const PlannedLaunch &launch, CUfunction function) {
  uint32_t &allowed = allowedShared[launch.kernel];
  if (launch.sharedBytes <= std::max(allowed, kSharedWithoutAsking))
    return {};
  allowed = launch.sharedBytes;
  return device->driver().cuFuncSetAttribute(function, kFuncAttributeMaxDynamicShared,
                                             static_cast<int>(launch.sharedBytes));
}

Status LoadedRegion::enqueue(const PlannedLaunch &launch, CUstream stream) {
  Expected<CUfunction> function = code->function(launch.kernel);
  if (!function)
    return function.error();
  if (Status status = allowShared(launch, *function); !status)
    return status;
  std::vector<CUtensorMap> maps(launch.maps.size());
  std::vector<const void *> parameters;
  parameters.reserve(launch.parameters.size());
  for (const auto &bytes : launch.parameters)
    parameters.push_back(bytes.data());
  for (size_t i = 0; i < maps.size(); ++i) {
    if (Status status = encode(launch.maps[i], maps[i]); !status)
      return at("tensor map of parameter " + std::to_string(launch.maps[i].parameter),
                status.error());
    parameters[launch.maps[i].parameter] = &maps[i];
  }
  auto **arguments = const_cast<void **>(parameters.data());
  const auto &[gx, gy, gz] = launch.grid;
  const auto &[bx, by, bz] = launch.block;
  bool hasCluster = launch.cluster != std::array<uint32_t, 3>{1, 1, 1};
  if (!hasCluster && !launch.programmatic)
    return device->driver().cuLaunchKernel(*function, gx, gy, gz, bx, by, bz, launch.sharedBytes,
                                           stream, arguments, nullptr);
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config = {{gx, gy, gz}, {bx, by, bz}, launch.sharedBytes, stream, attributes, 0};
  if (hasCluster) {
    CUlaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = kLaunchAttributeCluster;
    std::copy(launch.cluster.begin(), launch.cluster.end(), attribute.value.clusterDim);
  }
  if (launch.programmatic) {
    CUlaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = kLaunchAttributeProgrammatic;
    attribute.value.programmatic = 1;
  }
  return device->driver().cuLaunchKernelEx(&config, *function, arguments, nullptr);
}

} // namespace fa_runtime
