//===- PlanLaunches.cpp - A program's formulas become numbers -------------===//

#include "Runtime/Launch/PlanLaunches.h"
#include <algorithm>
#include <cstring>

namespace fa_runtime {

Expected<ScratchSizes> scratchSizes(const Program &program, const ExprInputs &inputs) {
  ScratchSizes sizes;
  struct {
    const char *name;
    const Expr &expr;
    int64_t &bytes;
  } parts[] = {{"workspace", program.workspaceBytes, sizes.workspaceBytes},
               {"state", program.stateBytes, sizes.stateBytes}};
  for (auto &part : parts) {
    Expected<int64_t> value = evaluate(part.expr, inputs);
    if (!value)
      return at(part.name, value.error());
    if (*value < 0)
      return Error{std::string("the ") + part.name + " would take " + std::to_string(*value) +
                   " bytes"};
    part.bytes = *value;
  }
  return sizes;
}

static const Operand &operandOf(const RunMemory &memory, int32_t index) {
  auto i = static_cast<size_t>(index);
  size_t count = memory.arguments.size();
  return i < count ? memory.arguments[i] : memory.results[i - count];
}

void moveLaunches(std::vector<PlannedLaunch> &launches, const RunMemory &memory) {
  for (PlannedLaunch &launch : launches) {
    auto map = launch.maps.begin();
    for (const PlannedAddress &place : launch.addresses) {
      uint64_t base = place.base == Address::Base::Operand
                          ? operandOf(memory, place.operand).address
                      : place.base == Address::Base::Workspace ? memory.workspace
                                                               : memory.state;
      uint64_t address = base + place.offset;
      if (map != launch.maps.end() && map->parameter == place.parameter)
        (map++)->address = address;
      else
        memcpy(launch.parameters[place.parameter].data(), &address, sizeof address);
    }
  }
}

static bool canShareLaunches(const Operand &planned, const Operand &other) {
  // The alignments that formulas and rules can ask for.
  auto alignment = [](uint64_t address) { return address & -address & 4095; };
  return planned.dtype == other.dtype && planned.dims == other.dims &&
         planned.strides == other.strides && planned.device == other.device &&
         planned.isScalar == other.isScalar && planned.scalar == other.scalar &&
         !planned.address == !other.address &&
         alignment(planned.address) == alignment(other.address) &&
         planned.memoryBytes == other.memoryBytes &&
         (!planned.memoryBytes ||
          planned.address - planned.memoryBegin == other.address - other.memoryBegin);
}

bool canShareLaunches(const std::vector<Operand> &planned, const std::vector<Operand> &other) {
  return std::equal(planned.begin(), planned.end(), other.begin(), other.end(),
                    [](const Operand &a, const Operand &b) { return canShareLaunches(a, b); });
}

namespace {

class LaunchPlanner {
public:
  LaunchPlanner(const ExprInputs &inputs, const RunMemory &memory, const DeviceLimits &limits)
      : inputs(inputs), memory(memory), limits(limits) {}

  Expected<PlannedLaunch> plan(const Launch &launch) {
    PlannedLaunch planned;
    planned.kernel = launch.kernel;
    planned.programmatic = launch.programmatic;
    static constexpr const char *kAxes[] = {"x", "y", "z"};
    for (size_t i = 0; i < 3; ++i) {
      planned.grid[i] = bounded(launch.grid[i], 0, limits.grid[i], "grid", kAxes[i]);
      planned.block[i] = bounded(launch.block[i], 1, limits.block[i], "block", kAxes[i]);
      planned.cluster[i] = static_cast<uint32_t>(launch.cluster[i]);
    }
    planned.sharedBytes = bounded(launch.sharedBytes, 0, limits.sharedBytes, "shared memory", "");
    uint64_t threads = uint64_t(planned.block[0]) * planned.block[1] * planned.block[2];
    if (threads > static_cast<uint64_t>(limits.threads))
      fail("a block of " + std::to_string(threads) + " threads, the device takes " +
           std::to_string(limits.threads));
    for (size_t i = 0; i < 3 && !failed(); ++i)
      if (planned.grid[i] % planned.cluster[i] != 0)
        fail("the grid is no multiple of the cluster");
    bool isEmpty = !planned.grid[0] || !planned.grid[1] || !planned.grid[2];
    for (size_t i = 0; i < launch.parameters.size() && !isEmpty && !failed(); ++i)
      add(planned, launch.parameters[i]);
    if (failed())
      return Error{error};
    return planned;
  }

private:
  bool failed() const { return !error.empty(); }
  void fail(const std::string &text) {
    if (!failed())
      error = text;
  }

  int64_t value(const Expr &expr) {
    Expected<int64_t> result = evaluate(expr, inputs);
    if (result)
      return *result;
    fail(result.error().text);
    return 0;
  }

  uint32_t bounded(const Expr &expr, int64_t min, int64_t max, const char *what, const char *axis) {
    int64_t size = value(expr);
    if (size >= min && size <= max)
      return static_cast<uint32_t>(size);
    fail("a " + std::string(what) + (*axis ? " in " : "") + axis + " of " + std::to_string(size) +
         ", the device takes " + std::to_string(min) + " to " + std::to_string(max));
    return 0;
  }

  void addAddress(PlannedLaunch &planned, const Address &address) {
    auto offset = static_cast<uint64_t>(value(address.offset));
    planned.addresses.push_back({planned.parameters.size(), address.base, address.operand, offset});
  }

  void add(PlannedLaunch &planned, const Parameter &parameter) {
    std::array<char, 8> bytes = {};
    auto put = [&](auto number) { memcpy(bytes.data(), &number, sizeof number); };
    switch (parameter.kind) {
    case Parameter::Kind::Pointer:
      addAddress(planned, parameter.address);
      break;
    case Parameter::Kind::Int32: {
      int64_t number = value(parameter.value);
      if (number != static_cast<int32_t>(number))
        fail("the size " + std::to_string(number) + " does not fit a 32-bit kernel parameter");
      put(static_cast<int32_t>(number));
      break;
    }
    case Parameter::Kind::Int64:
      put(value(parameter.value));
      break;
    case Parameter::Kind::Scalar:
      bytes = operandOf(memory, parameter.operand).scalar;
      break;
    case Parameter::Kind::TensorMap:
      addMap(planned, parameter.map);
      break;
    }
    planned.parameters.push_back(bytes);
  }

  void addMap(PlannedLaunch &planned, const TensorMap &map) {
    PlannedTensorMap result;
    result.parameter = planned.parameters.size();
    result.dtype = map.dtype;
    addAddress(planned, map.address);
    for (const Expr &size : map.sizes)
      result.sizes.push_back(static_cast<uint64_t>(value(size)));
    for (const Expr &stride : map.strides)
      result.strides.push_back(static_cast<uint64_t>(value(stride)));
    for (int64_t size : map.box)
      result.box.push_back(static_cast<uint32_t>(size));
    result.swizzle = map.swizzle;
    result.l2Promotion = map.l2Promotion;
    result.nanFill = map.nanFill;
    planned.maps.push_back(std::move(result));
  }

  const ExprInputs &inputs;
  const RunMemory &memory;
  const DeviceLimits &limits;
  std::string error;
};

} // namespace

Expected<std::vector<PlannedLaunch>> planLaunches(const Artifact &artifact, const Program &program,
                                                  const ExprInputs &inputs, const RunMemory &memory,
                                                  const DeviceLimits &limits) {
  std::vector<PlannedLaunch> launches;
  bool hasMain = false;
  for (const Launch &launch : program.launches) {
    Expected<int64_t> isWanted = evaluate(launch.guard, inputs);
    if (!isWanted)
      return isWanted.error();
    if (!*isWanted)
      continue;
    hasMain |= launch.phase == Launch::Phase::Main;
    LaunchPlanner planner(inputs, memory, limits);
    Expected<PlannedLaunch> planned = planner.plan(launch);
    if (!planned)
      return at("kernel " + artifact.kernels[static_cast<size_t>(launch.kernel)].symbol,
                planned.error());
    if (planned->grid[0] && planned->grid[1] && planned->grid[2])
      launches.push_back(std::move(*planned));
  }
  if (!hasMain)
    return Error{"no schedule for " + program.machine +
                 " takes these sizes, strides and alignments; compile it for them"};
  moveLaunches(launches, memory);
  return launches;
}

} // namespace fa_runtime
