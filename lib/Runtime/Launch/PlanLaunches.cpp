//===- PlanLaunches.cpp - A program's formulas become numbers -------------===//

#include "Runtime/Launch/PlanLaunches.h"
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

namespace {

class LaunchPlanner {
public:
  LaunchPlanner(const ExprInputs &inputs, const std::vector<Operand> &arguments,
                const std::vector<Operand> &results, uint64_t workspace, uint64_t state,
                const DeviceLimits &limits)
      : inputs(inputs), arguments(arguments), results(results), workspace(workspace), state(state),
        limits(limits) {}

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

  const Operand &operand(int32_t index) const {
    auto i = static_cast<size_t>(index);
    return i < arguments.size() ? arguments[i] : results[i - arguments.size()];
  }

  uint64_t addressOf(const Address &address) {
    uint64_t base = address.base == Address::Base::Operand     ? operand(address.operand).address
                    : address.base == Address::Base::Workspace ? workspace
                                                               : state;
    return base + static_cast<uint64_t>(value(address.offset));
  }

  void add(PlannedLaunch &planned, const Parameter &parameter) {
    std::array<char, 8> bytes = {};
    auto put = [&](auto number) { memcpy(bytes.data(), &number, sizeof number); };
    switch (parameter.kind) {
    case Parameter::Kind::Pointer:
      put(addressOf(parameter.address));
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
      bytes = operand(parameter.operand).scalar;
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
    result.address = addressOf(map.address);
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
  const std::vector<Operand> &arguments, &results;
  uint64_t workspace, state;
  const DeviceLimits &limits;
  std::string error;
};

} // namespace

Expected<std::vector<PlannedLaunch>>
planLaunches(const Artifact &artifact, const Program &program, const ExprInputs &inputs,
             const std::vector<Operand> &arguments, const std::vector<Operand> &results,
             uint64_t workspace, uint64_t state, const DeviceLimits &limits) {
  std::vector<PlannedLaunch> launches;
  bool hasMain = false;
  for (const Launch &launch : program.launches) {
    Expected<int64_t> isWanted = evaluate(launch.guard, inputs);
    if (!isWanted)
      return isWanted.error();
    if (!*isWanted)
      continue;
    hasMain |= launch.phase == Launch::Phase::Main;
    LaunchPlanner planner(inputs, arguments, results, workspace, state, limits);
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
  return launches;
}

} // namespace fa_runtime
