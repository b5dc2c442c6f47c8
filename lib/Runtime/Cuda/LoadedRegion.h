//===- LoadedRegion.h - A fused region on a device ------------------------===//
#ifndef FA_RUNTIME_CUDA_LOADEDREGION_H
#define FA_RUNTIME_CUDA_LOADEDREGION_H

#include "Runtime/Cuda/Memory.h"
#include "Runtime/Launch/PlanLaunches.h"
#include <map>

namespace fa_runtime {

/// Device code of an artifact, loaded once per module. A cubin for the chip is preferred; without
/// one the driver compiles the PTX.
class LoadedCode {
public:
  LoadedCode(std::shared_ptr<const Artifact> artifact, std::shared_ptr<const Device> device)
      : artifact(std::move(artifact)), device(std::move(device)) {}

  /// The function of `kernel`; the error has the first line of the driver's compiler.
  Expected<CUfunction> function(int32_t kernel);

private:
  Expected<CUmodule> module(size_t index);
  Expected<CUmodule> loadImage(const void *image, const std::string &what);

  std::shared_ptr<const Artifact> artifact;
  std::shared_ptr<const Device> device;
  std::map<size_t, std::shared_ptr<CUmod_st>> modules;
  std::map<int32_t, CUfunction> functions;
};

/// A region of an artifact, with the program that fits the device. Used from one thread at a time.
class LoadedRegion {
public:
  /// Chooses the program and loads its kernels. The error lists the machines that it was compiled
  /// for if none fits.
  static Expected<LoadedRegion> load(std::shared_ptr<const Artifact> artifact, size_t region,
                                     std::shared_ptr<const Device> device,
                                     std::shared_ptr<LoadedCode> code);

  const Region &region() const { return artifact->regions[index]; }
  const Program &program() const { return *chosen; }

  /// Memory that `run` wants for these operands.
  Expected<ScratchSizes> scratch(const std::vector<Operand> &arguments,
                                 const std::vector<Operand> &results) const;

  /// Checks the operands and enqueues the launches; does not wait and allocates nothing, so that it
  /// may be captured into a graph. `workspace` and `state` are device addresses of what `scratch`
  /// asks for; the state must be zero before its first use. Planning is saved where the operands
  /// differ from the last run's in their addresses alone.
  Status run(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
             uint64_t workspace, uint64_t state, CUstream stream);

private:
  LoadedRegion() = default;
  Status plan(const RunMemory &memory);
  Status enqueue(const PlannedLaunch &launch, CUstream stream);
  Status encode(const PlannedTensorMap &map, CUtensorMap &encoded) const;
  Status allowShared(const PlannedLaunch &launch, CUfunction function);

  std::shared_ptr<const Artifact> artifact;
  std::shared_ptr<const Device> device;
  std::shared_ptr<LoadedCode> code;
  size_t index = 0;
  const Program *chosen = nullptr;
  std::map<int32_t, uint32_t> allowedShared; ///< by kernel
  /// The launches of the last run, and what they were planned for.
  struct {
    std::vector<Operand> arguments, results;
    std::vector<PlannedLaunch> launches;
  } last;
};

/// The first program of the region that fits the device.
Expected<const Program *> chooseProgram(const Region &region, Capability capability);

} // namespace fa_runtime

#endif // FA_RUNTIME_CUDA_LOADEDREGION_H
