//===- Memory.h - Device memory, streams, events --------------------------===//
#ifndef FA_RUNTIME_CUDA_MEMORY_H
#define FA_RUNTIME_CUDA_MEMORY_H

#include "Runtime/Cuda/Device.h"
#include <utility>

namespace fa_runtime {

/// Device memory that is freed with its last owner. At least 256-byte aligned.
class Buffer {
public:
  Buffer() = default;
  /// Zero bytes give a buffer without memory.
  static Expected<Buffer> allocate(std::shared_ptr<const Device> device, int64_t bytes);

  uint64_t address() const { return memory ? *memory : 0; }
  int64_t bytes() const { return size; }

  /// Both wait for nothing: the host memory must stay until the stream has got there.
  Status copyFromHost(const void *data, int64_t bytes, CUstream stream);
  Status copyToHost(void *data, int64_t bytes, CUstream stream) const;
  Status fill(unsigned char byte, CUstream stream);

private:
  std::shared_ptr<const Device> device;
  std::shared_ptr<CUdeviceptr> memory;
  int64_t size = 0;
};

/// An own stream, or one that the caller made and keeps.
class Stream {
public:
  static Expected<Stream> create(std::shared_ptr<const Device> device);
  static Stream ofCaller(std::shared_ptr<const Device> device, CUstream stream);

  CUstream handle() const { return stream.get(); }
  /// Waits; the error is that of any earlier work on the stream.
  Status synchronize() const;

private:
  std::shared_ptr<const Device> device;
  std::shared_ptr<CUstream_st> stream;
};

/// Time between two points of a stream, on the device's clock.
class Timer {
public:
  static Expected<Timer> create(std::shared_ptr<const Device> device);
  Status start(CUstream stream);
  Status stop(CUstream stream);
  /// Waits for both points.
  Expected<double> seconds() const;

private:
  std::shared_ptr<const Device> device;
  std::shared_ptr<CUevent_st> begin, end;
};

} // namespace fa_runtime

#endif // FA_RUNTIME_CUDA_MEMORY_H
