//===- GuardedBuffer.cpp - Device memory between two guard zones ----------===//

#include "Runtime/Cuda/GuardedBuffer.h"
#include <algorithm>

namespace fa_runtime {

Expected<GuardedBuffer> GuardedBuffer::allocate(std::shared_ptr<const Device> device, int64_t bytes,
                                                CUstream stream) {
  int64_t total;
  if (__builtin_add_overflow(bytes, 2 * kZoneBytes, &total))
    return Error{"a buffer of " + std::to_string(bytes) + " bytes is too large"};
  Expected<Buffer> buffer = Buffer::allocate(device, total);
  if (!buffer)
    return buffer.error();
  if (Status status = buffer->fill(0xff, stream); !status)
    return status.error();
  GuardedBuffer guarded;
  guarded.buffer = std::move(*buffer);
  guarded.device = std::move(device);
  guarded.size = bytes;
  return guarded;
}

Status GuardedBuffer::copyFromHost(const void *data, const Stream &stream) {
  if (size == 0)
    return {};
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  return device->driver().cuMemcpyHtoDAsync(address(), data, static_cast<size_t>(size),
                                            stream.handle());
}

Status GuardedBuffer::zero(CUstream stream) {
  if (size == 0)
    return {};
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  return device->driver().cuMemsetD8Async(address(), 0, static_cast<size_t>(size), stream);
}

Status GuardedBuffer::copyToHost(void *data, const Stream &stream) const {
  CurrentContext current(*device);
  Status status = current.status();
  if (status && size)
    status = device->driver().cuMemcpyDtoHAsync(data, address(), static_cast<size_t>(size),
                                                stream.handle());
  return status ? stream.synchronize() : status;
}

Status GuardedBuffer::checkZones(const std::string &name, const Stream &stream) const {
  std::string zones(2 * kZoneBytes, '\0');
  CurrentContext current(*device);
  Status status = current.status();
  if (status)
    status = device->driver().cuMemcpyDtoHAsync(zones.data(), buffer.address(), kZoneBytes,
                                                stream.handle());
  if (status)
    status = device->driver().cuMemcpyDtoHAsync(zones.data() + kZoneBytes,
                                                address() + static_cast<uint64_t>(size), kZoneBytes,
                                                stream.handle());
  if (status)
    status = stream.synchronize();
  if (!status)
    return status;
  auto changed = std::find_if(zones.begin(), zones.end(), [](char c) { return c != '\xff'; });
  if (changed == zones.end())
    return {};
  int64_t at = changed - zones.begin();
  bool isBefore = at < kZoneBytes;
  return Error{"a kernel wrote out of bounds: " +
               std::to_string(isBefore ? kZoneBytes - at : at - kZoneBytes) + " bytes " +
               (isBefore ? "before " : "behind the end of ") + name};
}

} // namespace fa_runtime
