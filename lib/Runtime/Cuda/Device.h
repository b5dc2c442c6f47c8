//===- Device.h - One GPU -------------------------------------------------===//
#ifndef FA_RUNTIME_CUDA_DEVICE_H
#define FA_RUNTIME_CUDA_DEVICE_H

#include "Runtime/Cuda/Driver.h"
#include "Runtime/Launch/ChipName.h"
#include "Runtime/Launch/PlanLaunches.h"

namespace fa_runtime {

/// A GPU and its primary context, which other users of the driver in this process share.
class Device {
public:
  /// How many GPUs there are.
  static Expected<int> count(const Driver &driver);
  static Expected<std::shared_ptr<const Device>> open(std::shared_ptr<const Driver> driver,
                                                      int ordinal);
  Device(const Device &) = delete;
  ~Device();

  const Driver &driver() const { return *cuda; }
  int ordinal() const { return number; }
  const std::string &name() const { return deviceName; }
  Capability capability() const { return computeCapability; }
  const DeviceLimits &limits() const { return deviceLimits; }
  int64_t memoryBytes() const { return totalBytes; }

private:
  friend class CurrentContext;
  Device() = default;
  Status query();

  std::shared_ptr<const Driver> cuda;
  int number = 0;
  CUdevice handle = 0;
  CUcontext context = nullptr;
  std::string deviceName;
  Capability computeCapability;
  DeviceLimits deviceLimits;
  int64_t totalBytes = 0;
};

/// Makes the device's context current while it lives; what was current before comes back.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device)
      : device(device), pushed(device.driver().cuCtxPushCurrent(device.context)) {}
  CurrentContext(const CurrentContext &) = delete;
  ~CurrentContext();
  const Status &status() const { return pushed; }

private:
  const Device &device;
  Status pushed;
};

} // namespace fa_runtime

#endif // FA_RUNTIME_CUDA_DEVICE_H
