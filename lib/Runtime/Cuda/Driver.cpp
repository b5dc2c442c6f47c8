//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//

#include "Runtime/Cuda/Driver.h"
#include <dlfcn.h>

namespace fa_runtime {

std::string Driver::versionText() const {
  return std::to_string(cudaVersion / 1000) + "." + std::to_string(cudaVersion % 1000 / 10);
}

Error Driver::error(const char *call, CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName.function)
    cuGetErrorName.function(result, &name);
  if (cuGetErrorString.function)
    cuGetErrorString.function(result, &text);
  return Error{std::string(call) + " failed: " + (name ? name : std::to_string(result)) +
               (text ? std::string(", ") + text : "")};
}

Error Driver::missing(const char *call) const {
  return Error{std::string("the CUDA driver (for CUDA ") + versionText() + ") has no " + call +
               ": update it"};
}

namespace {

/// cuGetProcAddress of CUDA 11.3; since 12.0 there is one with a fifth parameter.
class SymbolTable {
public:
  explicit SymbolTable(void *library) {
    newer = reinterpret_cast<Newer>(dlsym(library, "cuGetProcAddress_v2"));
    older = reinterpret_cast<Older>(dlsym(library, "cuGetProcAddress"));
  }
  bool isValid() const { return newer || older; }
  void *find(const char *name, int version) const {
    void *function = nullptr;
    CUresult result =
        newer ? newer(name, &function, version, 0, nullptr) : older(name, &function, version, 0);
    return result == 0 ? function : nullptr;
  }

private:
  using Newer = CUresult (*)(const char *, void **, int, uint64_t, void *);
  using Older = CUresult (*)(const char *, void **, int, uint64_t);
  Newer newer;
  Older older;
};

} // namespace

Status Driver::lookUp(void *library, const std::string &path) {
  SymbolTable symbols(library);
  if (!symbols.isValid())
    return Error{
        "the CUDA driver '" + path +
        "' is too old: it has no cuGetProcAddress; update it to one for CUDA 11.3 or later"};
  const char *absent = nullptr;
  auto find = [&](auto &entry, const char *name, int version, bool isRequired) {
    entry.name = name;
    entry.driver = this;
    void *function = symbols.find(name, version);
    entry.function = reinterpret_cast<decltype(entry.function)>(function);
    if (!function && isRequired && !absent)
      absent = name;
  };
#define FA_DRIVER_FUNCTION(name, version, ...) find(name, #name, version, true);
#define FA_OPTIONAL_DRIVER_FUNCTION(name, version, ...) find(name, #name, version, false);
#include "Runtime/Cuda/driver_functions.def"
  if (absent)
    return Error{"the CUDA driver '" + path + "' is too old: it has no " + absent +
                 "; update it to one for CUDA 11.3 or later"};
  return {};
}

Expected<std::shared_ptr<const Driver>> Driver::load(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{"no CUDA driver: " + std::string(dlerror()) +
                 "; --device=cuda needs an NVIDIA GPU and its driver"};
  std::shared_ptr<Driver> driver(new Driver);
  if (Status status = driver->lookUp(library, path); !status)
    return status.error();
  if (Status status = driver->cuInit(0); !status)
    return Error{"the CUDA driver does not start: " + status.error().text};
  if (Status status = driver->cuDriverGetVersion(&driver->cudaVersion); !status)
    return status.error();
  return std::shared_ptr<const Driver>(driver);
}

} // namespace fa_runtime
