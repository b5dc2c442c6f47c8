//===- FakeCuda.cpp - A CUDA driver without a GPU -------------------------===//
//
// Built as libcuda.so.1, for tests: device memory is host memory, and the kernels are the
// few functions below, found by name. Any call can be made to fail:
//   FAKE_CUDA_FAIL=cuMemAlloc:2    the second cuMemAlloc fails (":1" may be left out)
//   FAKE_CUDA_DEVICES=0            how many GPUs there are; default 1
//   FAKE_CUDA_CAPABILITY=75        default 80
//   FAKE_CUDA_LACKS=cuLaunchKernelEx  a function that this driver does not have
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>

namespace {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidPtx = 218,
  kNotFound = 500,
  kLaunchFailed = 719,
  kUnknown = 999
};

std::map<std::string, int> calls;
std::map<uint64_t, size_t> allocations;
bool hangs = false;
int contextDepth = 0;

int number(const char *variable, int otherwise) {
  const char *text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

/// Whether this call of `name` is the one that FAKE_CUDA_FAIL asks for.
bool isToFail(const char *name) {
  int nth = ++calls[name];
  const char *wanted = getenv("FAKE_CUDA_FAIL");
  if (!wanted)
    return false;
  const char *colon = strchr(wanted, ':');
  std::string function(wanted, colon ? static_cast<size_t>(colon - wanted) : strlen(wanted));
  return function == name && nth == (colon ? atoi(colon + 1) : 1);
}

/// What a "kernel" does: its parameters are pointers to the values, as the driver gets them.
template <typename T> T parameter(void **parameters, int i) {
  T value;
  memcpy(&value, parameters[i], sizeof value);
  return value;
}

int runKernel(const std::string &name, void **parameters) {
  auto *in = parameter<float *>(parameters, 0);
  auto *out = parameter<float *>(parameters, 1);
  auto count = parameter<int64_t>(parameters, 2);
  if (name == "fake_hang")
    hangs = true;
  for (int64_t i = 0; i < count; ++i)
    out[i] = 2 * in[i];
  if (name == "fake_overrun")
    out[count] = 0;
  return kSuccess;
}

} // namespace

#define FAKE(name, ...)                                                                            \
  extern "C" int name(__VA_ARGS__);                                                                \
  extern "C" int name(__VA_ARGS__)
#define FAIL_IF_ASKED(name, result)                                                                \
  if (isToFail(#name))                                                                             \
  return result

/// Forgets everything so far; returns how many allocations and contexts nobody gave back.
FAKE(fakeCudaReset, void) {
  int left = static_cast<int>(allocations.size()) + contextDepth;
  calls.clear();
  allocations.clear();
  contextDepth = 0;
  hangs = false;
  return left;
}
/// How often `name` was called.
FAKE(fakeCudaCalls, const char *name) { return calls[name]; }

FAKE(cuInit, unsigned) {
  FAIL_IF_ASKED(cuInit, 100);
  return kSuccess;
}
FAKE(cuDriverGetVersion, int *version) {
  FAIL_IF_ASKED(cuDriverGetVersion, kUnknown);
  *version = 12040;
  return kSuccess;
}
FAKE(cuGetErrorName, int error, const char **name) {
  *name = error == kOutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : error == kNotFound     ? "CUDA_ERROR_NOT_FOUND"
          : error == kLaunchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == 100           ? "CUDA_ERROR_NO_DEVICE"
                                   : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}
FAKE(cuGetErrorString, int, const char **text) {
  *text = "as the test asked";
  return kSuccess;
}
FAKE(cuDeviceGetCount, int *count) {
  FAIL_IF_ASKED(cuDeviceGetCount, kUnknown);
  *count = number("FAKE_CUDA_DEVICES", 1);
  return kSuccess;
}
FAKE(cuDeviceGet, int *device, int ordinal) {
  FAIL_IF_ASKED(cuDeviceGet, kUnknown);
  *device = ordinal;
  return kSuccess;
}
FAKE(cuDeviceGetName, char *name, int size, int) {
  FAIL_IF_ASKED(cuDeviceGetName, kUnknown);
  snprintf(name, static_cast<size_t>(size), "Fake GPU");
  return kSuccess;
}
FAKE(cuDeviceGetAttribute, int *value, int attribute, int) {
  FAIL_IF_ASKED(cuDeviceGetAttribute, kUnknown);
  int capability = number("FAKE_CUDA_CAPABILITY", 80);
  static const std::map<int, int> kValues = {{1, 1024},  {2, 1024},       {3, 1024},
                                             {4, 64},    {5, 2147483647}, {6, 65535},
                                             {7, 65535}, {16, 4},         {97, 101376}};
  *value = attribute == 75   ? capability / 10
           : attribute == 76 ? capability % 10
                             : kValues.at(attribute);
  return kSuccess;
}
FAKE(cuDeviceTotalMem_v2, size_t *bytes, int) {
  FAIL_IF_ASKED(cuDeviceTotalMem, kUnknown);
  *bytes = size_t(1) << 34;
  return kSuccess;
}
FAKE(cuDevicePrimaryCtxRetain, void **context, int) {
  FAIL_IF_ASKED(cuDevicePrimaryCtxRetain, kOutOfMemory);
  static int theContext;
  *context = &theContext;
  return kSuccess;
}
FAKE(cuDevicePrimaryCtxRelease_v2, int) {
  FAIL_IF_ASKED(cuDevicePrimaryCtxRelease, kUnknown);
  return kSuccess;
}
FAKE(cuCtxPushCurrent_v2, void *) {
  FAIL_IF_ASKED(cuCtxPushCurrent, kUnknown);
  ++contextDepth;
  return kSuccess;
}
FAKE(cuCtxPopCurrent_v2, void **) {
  FAIL_IF_ASKED(cuCtxPopCurrent, kUnknown);
  --contextDepth;
  return kSuccess;
}
FAKE(cuModuleLoadDataEx, void **module, const void *image, unsigned count, int *options,
     void **values) {
  bool isPtx = !strncmp(static_cast<const char *>(image), ".version", 8);
  if (isToFail("cuModuleLoadDataEx") || !isPtx) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        strcpy(static_cast<char *>(values[i]),
               "\nptxas application ptx input, line 1; fatal: not a real PTX\nmore\n");
    return kInvalidPtx;
  }
  static int theModule;
  *module = &theModule;
  return kSuccess;
}
FAKE(cuModuleUnload, void *) {
  FAIL_IF_ASKED(cuModuleUnload, kUnknown);
  return kSuccess;
}
FAKE(cuModuleGetFunction, void **function, void *, const char *name) {
  FAIL_IF_ASKED(cuModuleGetFunction, kNotFound);
  if (strncmp(name, "fake_", 5) != 0)
    return kNotFound;
  static std::map<std::string, std::string> names;
  *function = &names.emplace(name, name).first->second;
  return kSuccess;
}
FAKE(cuFuncGetAttribute, int *value, int, void *) {
  FAIL_IF_ASKED(cuFuncGetAttribute, kUnknown);
  *value = 0;
  return kSuccess;
}
FAKE(cuFuncSetAttribute, void *, int, int) {
  FAIL_IF_ASKED(cuFuncSetAttribute, kInvalidValue);
  return kSuccess;
}
FAKE(cuMemAlloc_v2, uint64_t *address, size_t bytes) {
  FAIL_IF_ASKED(cuMemAlloc, kOutOfMemory);
  void *memory = nullptr;
  if (posix_memalign(&memory, 4096, bytes) != 0)
    return kOutOfMemory;
  *address = reinterpret_cast<uint64_t>(memory);
  allocations[*address] = bytes;
  return kSuccess;
}
FAKE(cuMemFree_v2, uint64_t address) {
  FAIL_IF_ASKED(cuMemFree, kUnknown);
  allocations.erase(address);
  free(reinterpret_cast<void *>(address));
  return kSuccess;
}
FAKE(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, void *) {
  FAIL_IF_ASKED(cuMemcpyHtoDAsync, kInvalidValue);
  memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}
FAKE(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, void *) {
  FAIL_IF_ASKED(cuMemcpyDtoHAsync, kInvalidValue);
  memcpy(to, reinterpret_cast<void *>(from), bytes);
  return kSuccess;
}
FAKE(cuMemsetD8Async, uint64_t to, unsigned char byte, size_t bytes, void *) {
  FAIL_IF_ASKED(cuMemsetD8Async, kInvalidValue);
  memset(reinterpret_cast<void *>(to), byte, bytes);
  return kSuccess;
}
FAKE(cuStreamCreate, void **stream, unsigned) {
  FAIL_IF_ASKED(cuStreamCreate, kOutOfMemory);
  static int theStream;
  *stream = &theStream;
  return kSuccess;
}
FAKE(cuStreamDestroy_v2, void *) {
  FAIL_IF_ASKED(cuStreamDestroy, kUnknown);
  return kSuccess;
}
FAKE(cuStreamSynchronize, void *) {
  while (hangs)
    sleep(1);
  FAIL_IF_ASKED(cuStreamSynchronize, kLaunchFailed);
  return kSuccess;
}
FAKE(cuEventCreate, void **event, unsigned) {
  FAIL_IF_ASKED(cuEventCreate, kOutOfMemory);
  static int theEvent;
  *event = &theEvent;
  return kSuccess;
}
FAKE(cuEventDestroy_v2, void *) { return kSuccess; }
FAKE(cuEventRecord, void *, void *) {
  FAIL_IF_ASKED(cuEventRecord, kInvalidValue);
  return kSuccess;
}
FAKE(cuEventSynchronize, void *) {
  FAIL_IF_ASKED(cuEventSynchronize, kLaunchFailed);
  return kSuccess;
}
FAKE(cuEventElapsedTime, float *milliseconds, void *, void *) {
  FAIL_IF_ASKED(cuEventElapsedTime, kInvalidValue);
  *milliseconds = 0.5;
  return kSuccess;
}
FAKE(cuLaunchKernel, void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
     unsigned, void *, void **parameters, void **) {
  FAIL_IF_ASKED(cuLaunchKernel, kLaunchFailed);
  return runKernel(*static_cast<std::string *>(function), parameters);
}
FAKE(cuLaunchKernelEx, const void *, void *function, void **parameters, void **) {
  FAIL_IF_ASKED(cuLaunchKernelEx, kLaunchFailed);
  return runKernel(*static_cast<std::string *>(function), parameters);
}
FAKE(cuTensorMapEncodeTiled, void *map, int, uint32_t, void *address, const uint64_t *,
     const uint64_t *, const uint32_t *, const uint32_t *, int, int, int, int) {
  FAIL_IF_ASKED(cuTensorMapEncodeTiled, kInvalidValue);
  memcpy(map, &address, sizeof address);
  return kSuccess;
}

// clang-format off
#define FOR_ALL_FUNCTIONS(X)                                                                       \
  X(cuInit, cuInit)                                                                                \
  X(cuDriverGetVersion, cuDriverGetVersion)                                                        \
  X(cuGetErrorName, cuGetErrorName)                                                                \
  X(cuGetErrorString, cuGetErrorString)                                                            \
  X(cuDeviceGetCount, cuDeviceGetCount) X(cuDeviceGet, cuDeviceGet) X(cuDeviceGetName,             \
                                                                      cuDeviceGetName)             \
      X(cuDeviceGetAttribute, cuDeviceGetAttribute) X(cuDeviceTotalMem, cuDeviceTotalMem_v2)       \
          X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease,       \
                                                                  cuDevicePrimaryCtxRelease_v2)    \
              X(cuCtxPushCurrent, cuCtxPushCurrent_v2) X(cuCtxPopCurrent, cuCtxPopCurrent_v2)      \
                  X(cuModuleLoadDataEx, cuModuleLoadDataEx) X(cuModuleUnload, cuModuleUnload) X(   \
                      cuModuleGetFunction, cuModuleGetFunction) X(cuFuncGetAttribute,              \
                                                                  cuFuncGetAttribute)              \
                      X(cuFuncSetAttribute, cuFuncSetAttribute) X(cuMemAlloc, cuMemAlloc_v2) X(    \
                          cuMemFree, cuMemFree_v2) X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)      \
                          X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2) X(                            \
                              cuMemsetD8Async, cuMemsetD8Async) X(cuStreamCreate, cuStreamCreate)  \
                              X(cuStreamDestroy, cuStreamDestroy_v2)                               \
                                  X(cuStreamSynchronize, cuStreamSynchronize)                      \
                                      X(cuEventCreate, cuEventCreate)                              \
                                          X(cuEventDestroy, cuEventDestroy_v2) X(cuEventRecord,    \
                                                                                 cuEventRecord)    \
                                              X(cuEventSynchronize, cuEventSynchronize)            \
                                                  X(cuEventElapsedTime, cuEventElapsedTime)        \
                                                      X(cuLaunchKernel, cuLaunchKernel)            \
                                                          X(cuLaunchKernelEx, cuLaunchKernelEx)    \
                                                              X(cuTensorMapEncodeTiled,            \
                                                                cuTensorMapEncodeTiled)
// clang-format on

FAKE(cuGetProcAddress_v2, const char *name, void **function, int, uint64_t, void *) {
  const char *lacking = getenv("FAKE_CUDA_LACKS");
  *function = nullptr;
  if (lacking && !strcmp(lacking, name))
    return kNotFound;
#define ENTRY(plain, symbol)                                                                       \
  if (!strcmp(name, #plain))                                                                       \
    *function = reinterpret_cast<void *>(symbol);
  FOR_ALL_FUNCTIONS(ENTRY)
  return *function ? kSuccess : kNotFound;
}
