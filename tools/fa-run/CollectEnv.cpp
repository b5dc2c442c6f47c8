//===- CollectEnv.cpp - What a bug report needs to say --------------------===//

#include "CollectEnv.h"
#include "CompilerLibrary.h"
#include "Failure.h"
#include "Runtime/Artifact/Artifact.h"
#include "Runtime/Cuda/Device.h"
#include <fstream>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <thread>

namespace fa_run {

using namespace fa_runtime;
using json = nlohmann::ordered_json;

/// The value of the first line of the form "key<separators>value".
static std::string fieldOf(const std::string &path, const std::string &key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, key.size(), key) == 0) {
      size_t begin = line.find_first_not_of(" \t:=\"", key.size());
      size_t end = line.find_last_not_of(" \"");
      return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
    }
  return "unknown";
}

static std::string compilerText() {
  try {
    return CompilerLibrary::get().faCompilerDescription();
  } catch (const Failure &failure) {
    return failure.text;
  }
}

static void addGpus(json &fields) {
  Expected<std::shared_ptr<const Driver>> driver = Driver::load();
  if (!driver) {
    fields["driver"] = driver.error().text;
    return;
  }
  fields["driver"] = "CUDA " + (*driver)->versionText();
  fields["driverFile"] = fieldOf("/proc/driver/nvidia/version", "NVRM version");
  Expected<int> count = Device::count(**driver);
  json gpus = json::array();
  for (int i = 0; count && i < *count; ++i) {
    Expected<std::shared_ptr<const Device>> device = Device::open(*driver, i);
    if (device)
      gpus.push_back("cuda:" + std::to_string(i) + " " + (*device)->name() + ", " +
                     toString((*device)->capability()) + ", " +
                     std::to_string((*device)->limits().sms) + " multiprocessors, " +
                     std::to_string((*device)->memoryBytes() >> 20) + " MiB");
    else
      gpus.push_back("cuda:" + std::to_string(i) + " " + device.error().text);
  }
  fields["gpus"] = std::move(gpus);
}

void collectEnv(Report &report) {
  utsname system = {};
  uname(&system);
  json &fields = report.fields;
  fields["faRun"] = FA_VERSION;
  fields["artifactVersion"] = kArtifactVersion;
  fields["compiler"] = compilerText();
  fields["system"] = fieldOf("/etc/os-release", "PRETTY_NAME");
  fields["kernel"] = std::string(system.sysname) + " " + system.release + " " + system.machine;
  fields["glibc"] = gnu_get_libc_version();
  fields["cpu"] = fieldOf("/proc/cpuinfo", "model name");
  fields["cores"] = std::thread::hardware_concurrency();
  addGpus(fields);
  for (const auto &[key, value] : fields.items())
    if (value.is_array())
      for (const json &item : value)
        report.line(key + ": " + item.get<std::string>());
    else
      report.line(key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
}

} // namespace fa_run
