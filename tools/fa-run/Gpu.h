//===- Gpu.h - The GPU that --device names --------------------------------===//
#ifndef FA_RUN_GPU_H
#define FA_RUN_GPU_H

#include "Runnable.h"
#include "Runtime/Cuda/PreparedRun.h"
#include <memory>

namespace fa_run {

/// Opens GPU number `ordinal`; throws Failure with the reason.
std::shared_ptr<const fa_runtime::Device> openGpu(int ordinal);

/// An artifact on a GPU, its code loaded as it is used.
class LoadedArtifact {
public:
  /// `place` stands for the artifact in errors.
  LoadedArtifact(const void *bytes, size_t size, const std::string &place,
                 std::shared_ptr<const fa_runtime::Device> device);

  const fa_runtime::Artifact &artifact() const { return *content; }
  /// Copies the arguments to the GPU.
  fa_runtime::Expected<fa_runtime::PreparedRun> prepare(const fa_runtime::Entry &entry,
                                                        const std::vector<Tensor> &arguments);

private:
  std::shared_ptr<const fa_runtime::Device> device;
  std::shared_ptr<const fa_runtime::Artifact> content;
  std::shared_ptr<fa_runtime::LoadedCode> code;
};

/// An entry of an artifact: a fused region, or a function of nothing else.
class ArtifactEntry : public Runnable {
public:
  ArtifactEntry(const void *bytes, size_t size, const std::string &file,
                const std::string &function, int ordinal);

  std::string name() const override { return entry.name(); }
  std::vector<ValueType> arguments() const override;
  std::vector<ValueType> results() const override;
  std::vector<Tensor> run(const std::vector<Tensor> &arguments) override;
  Timing time(const std::vector<Tensor> &arguments) override;

private:
  fa_runtime::PreparedRun &prepared(const std::vector<Tensor> &arguments);

  std::shared_ptr<const fa_runtime::Device> device;
  LoadedArtifact loaded;
  fa_runtime::Entry entry;
  std::unique_ptr<fa_runtime::PreparedRun> run_;
};

} // namespace fa_run

#endif // FA_RUN_GPU_H
