//===- LoadedCode.cpp - Device code of an artifact ------------------------===//

#include "Runtime/Cuda/LoadedRegion.h"

namespace fa_runtime {

/// The first line of the driver's compiler that says something.
static std::string firstLine(const std::string &log) {
  size_t begin = log.find_first_not_of(" \n\r\t");
  if (begin == std::string::npos)
    return {};
  return log.substr(begin, log.find_first_of("\n\r", begin) - begin);
}

Expected<CUmodule> LoadedCode::loadImage(const void *image, const std::string &what) {
  std::string log(8192, '\0');
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CUmodule handle = nullptr;
  Status status = device->driver().cuModuleLoadDataEx(&handle, image, 2, options, values);
  if (status)
    return handle;
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  std::string reason = firstLine(log);
  return Error{"the driver (for CUDA " + device->driver().versionText() + ") rejects the " + what +
               ": " + (reason.empty() ? "" : reason + ", ") + status.error().text};
}

Expected<CUmodule> LoadedCode::module(size_t index) {
  std::shared_ptr<CUmod_st> &loaded = modules[index];
  if (loaded)
    return loaded.get();
  const Module &module = artifact->modules[index];
  Expected<CUmodule> handle =
      Error{"the artifact has neither PTX nor a cubin for " + toString(device->capability())};
  for (const Cubin &cubin : module.cubins)
    if (!handle && cubinFits(cubin.chip, device->capability()))
      handle = loadImage(cubin.code.c_str(), "cubin for " + cubin.chip);
  if (!handle && !module.ptx.empty())
    handle = loadImage(module.ptx.c_str(), "PTX for " + module.machine);
  if (!handle)
    return handle;
  loaded = std::shared_ptr<CUmod_st>(*handle, [device = device](CUmodule handle) {
    CurrentContext current(*device);
    if (current.status())
      (void)device->driver().cuModuleUnload(handle);
  });
  return *handle;
}

Expected<CUfunction> LoadedCode::function(int32_t kernel) {
  auto found = functions.find(kernel);
  if (found != functions.end())
    return found->second;
  CurrentContext current(*device);
  if (!current.status())
    return current.status().error();
  const Kernel &wanted = artifact->kernels[static_cast<size_t>(kernel)];
  Expected<CUmodule> handle = module(static_cast<size_t>(wanted.module));
  if (!handle)
    return handle.error();
  CUfunction function = nullptr;
  Status status = device->driver().cuModuleGetFunction(&function, *handle, wanted.symbol.c_str());
  if (!status)
    return at("kernel " + wanted.symbol, status.error());
  functions[kernel] = function;
  return function;
}

} // namespace fa_runtime
