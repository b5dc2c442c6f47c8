//===- Session.cpp - One call of fa-run -----------------------------------===//

#include "Session.h"
#include "Arguments.h"
#include "CollectEnv.h"
#include "Expect.h"
#include "IrProgram.h"
#include "Runtime/Npz/Npz.h"
#include "Runtime/WholeFile.h"
#include "Verify.h"
#include "Watchdog.h"
#include <cstring>

namespace fa_run {

using namespace fa_runtime;
using json = nlohmann::ordered_json;

static std::unique_ptr<Runnable> openArtifact(const Options &options, const std::string &bytes) {
  auto forbid = [](bool isGiven, const char *option) {
    if (isGiven)
      throw Failure{kBadInput,
                    std::string(option) + " needs IR: an artifact holds compiled fused code alone"};
  };
  forbid(options.isCuda && !*options.isCuda, "--device=cpu");
  forbid(options.noFuse, "--no-fuse");
  forbid(options.verify, "--verify");
  forbid(options.queryTile != 0, "--tile");
  forbid(!options.machine.empty(), "--machine");
  return std::make_unique<ArtifactEntry>(bytes.data(), bytes.size(), options.file, options.function,
                                         options.ordinal);
}

/// The program as the options want it: fused, unless --no-fuse. `program` is the result again, when
/// it is IR.
static std::unique_ptr<Runnable> openFile(const Options &options, const std::string &content,
                                          IrProgram *&program) {
  bool isNamedArtifact =
      options.file.size() > 3 && options.file.compare(options.file.size() - 3, 3, ".fa") == 0;
  if (isNamedArtifact || looksLikeArtifact(content.data(), content.size()))
    return openArtifact(options, content);
  std::shared_ptr<const Device> device;
  if (options.isCuda.value_or(false))
    device = openGpu(options.ordinal);
  auto compiled = std::make_unique<IrProgram>(options, content,
                                              options.noFuse ? Form::Unfused : Form::Fused, device);
  program = compiled.get();
  return compiled;
}

/// Says how much of the program was fused, and why the rest was not.
static void reportFusion(const Options &options, const IrProgram &program, Report &report) {
  int regions = program.numRegions();
  json remarks = json::array();
  for (const Remark &remark : program.remarks()) {
    remarks.push_back({{"kind", remark.kind}, {"text", remark.text}});
    if (remark.kind != "passed")
      report.line("remark: " + remark.text);
  }
  report.fields["regions"] = regions;
  report.fields["remarks"] = std::move(remarks);
  if (!options.noFuse)
    report.line(std::to_string(regions) + (regions == 1 ? " region" : " regions") + " fused");
}

/// Runs options.repeat times; every run must give the same bits.
static std::vector<Tensor> runRepeatedly(const Options &options, Runnable &runnable,
                                         const std::vector<Tensor> &arguments) {
  std::vector<Tensor> first = runnable.run(arguments);
  for (int64_t run = 1; run < options.repeat; ++run) {
    std::vector<Tensor> again = runnable.run(arguments);
    for (size_t i = 0; i < first.size(); ++i)
      if (again[i].shape != first[i].shape ||
          memcmp(again[i].data, first[i].data, static_cast<size_t>(first[i].numBytes())) != 0)
        throw Failure{kValuesDiffer, "result " + std::to_string(i) + " of run " +
                                         std::to_string(run + 1) +
                                         " is not the first run's, bit by bit"};
  }
  return first;
}

static void writeResults(const std::string &path, const std::vector<Tensor> &results) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (size_t i = 0; i < results.size(); ++i)
    arrays.push_back({"res" + std::to_string(i), results[i]});
  failUnless(writeNpz(path, arrays), kBadInput);
}

ExitCode runSession(const Options &options, Report &report) {
  if (options.collectEnv) {
    collectEnv(report);
    return kDone;
  }
  if (options.timeout)
    startWatchdog(*options.timeout);
  // An output that cannot be written should not cost a run.
  if (!options.output.empty())
    (void)valueOrFail(PendingFile::create(options.output), kBadInput);
  std::string content = valueOrFail(readWholeFile(options.file), kBadInput);
  IrProgram *program = nullptr;
  std::unique_ptr<Runnable> runnable = openFile(options, content, program);
  report.fields["file"] = options.file;
  report.fields["function"] = runnable->name();
  std::vector<Tensor> arguments = gatherArguments(options, runnable->arguments());
  if (program)
    reportFusion(options, *program, report);
  std::vector<Tensor> results = runRepeatedly(options, *runnable, arguments);
  reportResults(report, results);

  bool isRight = options.expect.empty() || compareWithExpected(options, results, report);
  if (options.verify)
    isRight &= verify(options, content, *program, arguments, results, report);
  if (options.time) {
    Timing timing = runnable->time(arguments);
    report.line((options.verify ? "fused   " : "time    ") + toText(timing));
    report.fields["time"] = toJson(timing);
  }
  stopWatchdog();
  if (!options.output.empty())
    writeResults(options.output, results);
  return isRight ? kDone : kValuesDiffer;
}

} // namespace fa_run
