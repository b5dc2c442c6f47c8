//===- Memory.cpp - Device memory, streams, events ------------------------===//

#include "Runtime/Cuda/Memory.h"

namespace fa_runtime {

Expected<Buffer> Buffer::allocate(std::shared_ptr<const Device> device, int64_t bytes) {
  Buffer buffer;
  buffer.size = bytes;
  buffer.device = device;
  if (bytes == 0)
    return buffer;
  CurrentContext current(*device);
  CUdeviceptr address = 0;
  Status status = current.status();
  if (status)
    status = device->driver().cuMemAlloc(&address, static_cast<size_t>(bytes));
  if (!status)
    return at("cannot get " + std::to_string(bytes) +
                  " bytes on cuda:" + std::to_string(device->ordinal()),
              status.error());
  buffer.memory = std::shared_ptr<CUdeviceptr>(new CUdeviceptr(address), [device](auto *pointer) {
    CurrentContext current(*device);
    if (current.status())
      (void)device->driver().cuMemFree(*pointer);
    delete pointer;
  });
  return buffer;
}

Status Buffer::copyFromHost(const void *data, int64_t bytes, CUstream stream) {
  if (bytes == 0)
    return {};
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  return device->driver().cuMemcpyHtoDAsync(address(), data, static_cast<size_t>(bytes), stream);
}

Status Buffer::copyToHost(void *data, int64_t bytes, CUstream stream) const {
  if (bytes == 0)
    return {};
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  return device->driver().cuMemcpyDtoHAsync(data, address(), static_cast<size_t>(bytes), stream);
}

Status Buffer::fill(unsigned char byte, CUstream stream) {
  if (size == 0)
    return {};
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  return device->driver().cuMemsetD8Async(address(), byte, static_cast<size_t>(size), stream);
}

Expected<Stream> Stream::create(std::shared_ptr<const Device> device) {
  constexpr unsigned kNonBlocking = 1;
  CurrentContext current(*device);
  CUstream handle = nullptr;
  Status status = current.status();
  if (status)
    status = device->driver().cuStreamCreate(&handle, kNonBlocking);
  if (!status)
    return status.error();
  Stream stream;
  stream.device = device;
  stream.stream = std::shared_ptr<CUstream_st>(handle, [device](CUstream handle) {
    CurrentContext current(*device);
    if (current.status())
      (void)device->driver().cuStreamDestroy(handle);
  });
  return stream;
}

Stream Stream::ofCaller(std::shared_ptr<const Device> device, CUstream handle) {
  Stream stream;
  stream.device = std::move(device);
  stream.stream = std::shared_ptr<CUstream_st>(handle, [](CUstream) {});
  return stream;
}

Status Stream::synchronize() const {
  CurrentContext current(*device);
  if (!current.status())
    return current.status();
  return device->driver().cuStreamSynchronize(handle());
}

static Expected<std::shared_ptr<CUevent_st>> createEvent(std::shared_ptr<const Device> device) {
  CUevent event = nullptr;
  if (Status status = device->driver().cuEventCreate(&event, 0); !status)
    return status.error();
  return std::shared_ptr<CUevent_st>(event, [device](CUevent event) {
    CurrentContext current(*device);
    if (current.status())
      (void)device->driver().cuEventDestroy(event);
  });
}

Expected<Timer> Timer::create(std::shared_ptr<const Device> device) {
  CurrentContext current(*device);
  if (!current.status())
    return current.status().error();
  Timer timer;
  timer.device = device;
  for (auto *event : {&timer.begin, &timer.end}) {
    Expected<std::shared_ptr<CUevent_st>> created = createEvent(device);
    if (!created)
      return created.error();
    *event = *created;
  }
  return timer;
}

Status Timer::start(CUstream stream) {
  CurrentContext current(*device);
  return current.status() ? device->driver().cuEventRecord(begin.get(), stream) : current.status();
}

Status Timer::stop(CUstream stream) {
  CurrentContext current(*device);
  return current.status() ? device->driver().cuEventRecord(end.get(), stream) : current.status();
}

Expected<double> Timer::seconds() const {
  CurrentContext current(*device);
  float milliseconds = 0;
  Status status = current.status();
  if (status)
    status = device->driver().cuEventSynchronize(end.get());
  if (status)
    status = device->driver().cuEventElapsedTime(&milliseconds, begin.get(), end.get());
  if (!status)
    return status.error();
  return milliseconds * 1e-3;
}

} // namespace fa_runtime
