//===- Device.cpp - One GPU -----------------------------------------------===//

#include "Runtime/Cuda/Device.h"

namespace fa_runtime {

CurrentContext::~CurrentContext() {
  CUcontext popped;
  if (pushed)
    (void)device.driver().cuCtxPopCurrent(&popped);
}

Expected<int> Device::count(const Driver &driver) {
  int count = 0;
  if (Status status = driver.cuDeviceGetCount(&count); !status)
    return status.error();
  return count;
}

Device::~Device() {
  if (context)
    (void)cuda->cuDevicePrimaryCtxRelease(handle);
}

Status Device::query() {
  char buffer[256] = {};
  if (Status status = cuda->cuDeviceGetName(buffer, sizeof buffer - 1, handle); !status)
    return status;
  deviceName = buffer;
  size_t bytes = 0;
  if (Status status = cuda->cuDeviceTotalMem(&bytes, handle); !status)
    return status;
  totalBytes = static_cast<int64_t>(bytes);

  int major = 0, minor = 0, threads = 0, sms = 0, shared = 0, grid[3] = {}, block[3] = {};
  // By CUdevice_attribute.
  const struct {
    int id;
    int &value;
  } attributes[] = {{75, major},   {76, minor},   {1, threads}, {16, sms},
                    {97, shared},  {5, grid[0]},  {6, grid[1]}, {7, grid[2]},
                    {2, block[0]}, {3, block[1]}, {4, block[2]}};
  for (auto &attribute : attributes)
    if (Status status = cuda->cuDeviceGetAttribute(&attribute.value, attribute.id, handle); !status)
      return status;
  computeCapability = {major, minor};
  deviceLimits.threads = threads;
  deviceLimits.sms = sms;
  deviceLimits.sharedBytes = shared;
  for (size_t i = 0; i < 3; ++i) {
    deviceLimits.grid[i] = grid[i];
    deviceLimits.block[i] = block[i];
  }
  return {};
}

Expected<std::shared_ptr<const Device>> Device::open(std::shared_ptr<const Driver> driver,
                                                     int ordinal) {
  Expected<int> available = count(*driver);
  if (!available)
    return available.error();
  if (*available == 0)
    return Error{"the CUDA driver finds no GPU"};
  if (ordinal < 0 || ordinal >= *available)
    return Error{"no GPU cuda:" + std::to_string(ordinal) + ", there are " +
                 std::to_string(*available) + " (cuda:0 to cuda:" + std::to_string(*available - 1) +
                 ")"};
  std::shared_ptr<Device> device(new Device);
  device->cuda = std::move(driver);
  device->number = ordinal;
  if (Status status = device->cuda->cuDeviceGet(&device->handle, ordinal); !status)
    return status.error();
  if (Status status = device->query(); !status)
    return status.error();
  if (Status status = device->cuda->cuDevicePrimaryCtxRetain(&device->context, device->handle);
      !status)
    return status.error();
  return std::shared_ptr<const Device>(device);
}

} // namespace fa_runtime
