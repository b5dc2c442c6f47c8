//===- Gpu.cpp - Artifacts on the GPU -------------------------------------===//

#include "Gpu.h"
#include "Failure.h"
#include <algorithm>

namespace fa_run {

using namespace fa_runtime;

std::shared_ptr<const Device> openGpu(int ordinal) {
  auto driver = valueOrFail(Driver::load(), kRefused);
  return valueOrFail(Device::open(driver, ordinal), kRefused);
}

LoadedArtifact::LoadedArtifact(const void *bytes, size_t size, const std::string &place,
                               std::shared_ptr<const Device> device)
    : device(device) {
  Expected<Artifact> parsed = parseArtifact(bytes, size);
  if (!parsed)
    throw Failure{kBadInput, "'" + place + "': " + parsed.error().text};
  content = std::make_shared<const Artifact>(std::move(*parsed));
  code = std::make_shared<LoadedCode>(content, std::move(device));
}

Expected<PreparedRun> LoadedArtifact::prepare(const Entry &entry,
                                              const std::vector<Tensor> &arguments) {
  return PreparedRun::prepare(content, entry, device, code, arguments);
}

ArtifactEntry::ArtifactEntry(const void *bytes, size_t size, const std::string &file,
                             const std::string &function, int ordinal)
    : device(openGpu(ordinal)), loaded(bytes, size, file, device),
      entry(valueOrFail(findEntry(loaded.artifact(), function), kBadInput)) {}

std::vector<ValueType> ArtifactEntry::arguments() const {
  std::vector<ValueType> types;
  for (const Argument &argument : entry.arguments())
    types.push_back({argument.name, argument.dtype, argument.dims, argument.isScalar});
  return types;
}

std::vector<ValueType> ArtifactEntry::results() const {
  std::vector<ValueType> types;
  for (size_t i = 0; i < entry.results().size(); ++i) {
    const Result &result = entry.results()[i];
    types.push_back({"res" + std::to_string(i), result.dtype,
                     std::vector<int64_t>(result.dims.size(), -1), false});
  }
  return types;
}

PreparedRun &ArtifactEntry::prepared(const std::vector<Tensor> &arguments) {
  if (!run_)
    run_ = std::make_unique<PreparedRun>(valueOrFail(loaded.prepare(entry, arguments), kRefused));
  return *run_;
}

std::vector<Tensor> ArtifactEntry::run(const std::vector<Tensor> &arguments) {
  PreparedRun &run = prepared(arguments);
  failUnless(run.launch(), kRefused);
  return valueOrFail(run.results(), kRefused);
}

Timing ArtifactEntry::time(const std::vector<Tensor> &arguments) {
  constexpr int kWarmups = 5, kRuns = 50;
  PreparedRun &run = prepared(arguments);
  std::vector<Timer> timers;
  for (int i = 0; i < kRuns; ++i)
    timers.push_back(valueOrFail(Timer::create(device), kRefused));
  for (int i = 0; i < kWarmups; ++i)
    failUnless(run.launch(), kRefused);
  // All runs are enqueued before the first is waited for: the host must not be part of the time.
  for (Timer &timer : timers) {
    failUnless(timer.start(run.stream().handle()), kRefused);
    failUnless(run.launch(), kRefused);
    failUnless(timer.stop(run.stream().handle()), kRefused);
  }
  std::vector<double> seconds;
  for (const Timer &timer : timers)
    seconds.push_back(valueOrFail(timer.seconds(), kRefused));
  return summarize(std::move(seconds));
}

Timing summarize(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2], seconds.back(),
          static_cast<int64_t>(seconds.size())};
}

} // namespace fa_run
