//===- GuardedBuffer.h - Device memory between two guard zones ------------===//
#ifndef FA_RUNTIME_CUDA_GUARDEDBUFFER_H
#define FA_RUNTIME_CUDA_GUARDEDBUFFER_H

#include "Runtime/Cuda/Memory.h"

namespace fa_runtime {

/// Memory with a zone before and behind it. Everything is filled with 0xff bytes at first: as
/// floats they are NaN, so that a read out of bounds, or of a result that was never written, shows.
class GuardedBuffer {
public:
  static Expected<GuardedBuffer> allocate(std::shared_ptr<const Device> device, int64_t bytes,
                                          CUstream stream);

  /// Of the memory between the zones; 4096-byte aligned.
  uint64_t address() const { return buffer.address() + kZoneBytes; }
  int64_t bytes() const { return size; }
  Status copyFromHost(const void *data, const Stream &stream);
  Status zero(CUstream stream);
  /// Copies the memory, waits, and fails if a zone was written to.
  Status copyToHost(void *data, const Stream &stream) const;
  /// Fails if a zone was written to; `name` says whose zone in the error.
  Status checkZones(const std::string &name, const Stream &stream) const;

private:
  static constexpr int64_t kZoneBytes = 4096;

  Buffer buffer;
  std::shared_ptr<const Device> device;
  int64_t size = 0;
};

} // namespace fa_runtime

#endif // FA_RUNTIME_CUDA_GUARDEDBUFFER_H
