//===- Driver.h - The CUDA driver, loaded at run time ---------------------===//
//
// No CUDA header and no CUDA library is needed to build: the few types of the driver's
// binary interface are declared here, the functions are looked up in libcuda.
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_CUDA_DRIVER_H
#define FA_RUNTIME_CUDA_DRIVER_H

#include "Runtime/Expected.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fa_runtime {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

struct alignas(64) CUtensorMap {
  char opaque[128];
};

struct CUlaunchAttribute {
  int id;
  int padding;
  union {
    unsigned clusterDim[3];
    int programmatic;
    char bytes[64];
  } value;
};
static_assert(sizeof(CUlaunchAttribute) == 72);

struct CUlaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned numAttributes;
};

/// Values of the driver's enumerations.
enum : int {
  kLaunchAttributeCluster = 4,
  kLaunchAttributeProgrammatic = 6,
  kFuncAttributeMaxThreads = 0,
  kFuncAttributeNumRegisters = 4,
  kFuncAttributeLocalBytes = 3,
  kFuncAttributeMaxDynamicShared = 8,
  kFuncAttributeStaticShared = 1,
  kFuncAttributeNonPortableCluster = 14,
  kJitErrorLog = 5,
  kJitErrorLogBytes = 6
};

class Driver;

/// One function of the driver. Calling it gives a Status whose text has the function's name and the
/// driver's own words.
template <typename... Parameters> class DriverFunction {
public:
  Status operator()(Parameters... arguments) const;

private:
  friend class Driver;
  CUresult (*function)(Parameters...) = nullptr;
  const char *name = nullptr;
  const Driver *driver = nullptr;
};

/// The loaded library. It stays loaded until the process ends.
class Driver {
public:
  /// Loads and initialises the driver. The error says whether there is none, it is too old, or it
  /// finds no device.
  static Expected<std::shared_ptr<const Driver>> load(const std::string &path = "libcuda.so.1");

#define FA_DRIVER_FUNCTION(name, version, ...) DriverFunction<__VA_ARGS__> name;
#include "Runtime/Cuda/driver_functions.def"

  /// Newest CUDA version that the driver knows: 1000 * major + 10 * minor.
  int version() const { return cudaVersion; }
  std::string versionText() const;
  /// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory".
  Error error(const char *call, CUresult result) const;
  Error missing(const char *call) const;

private:
  Driver() = default;
  Status lookUp(void *library, const std::string &path);

  int cudaVersion = 0;
};

template <typename... Parameters>
Status DriverFunction<Parameters...>::operator()(Parameters... arguments) const {
  if (!function)
    return driver->missing(name);
  CUresult result = function(arguments...);
  if (result == 0)
    return {};
  return driver->error(name, result);
}

} // namespace fa_runtime

#endif // FA_RUNTIME_CUDA_DRIVER_H
