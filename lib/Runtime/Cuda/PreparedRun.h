//===- PreparedRun.h - An entry of an artifact, ready to run --------------===//
#ifndef FA_RUNTIME_CUDA_PREPAREDRUN_H
#define FA_RUNTIME_CUDA_PREPAREDRUN_H

#include "Runtime/Cuda/GuardedBuffer.h"
#include "Runtime/Cuda/LoadedRegion.h"
#include "Runtime/Tensor/Tensor.h"
#include <map>

namespace fa_runtime {

/// A region or a function of an artifact, found by its name.
struct Entry {
  const Region *region = nullptr; ///< one of the two is set
  const Function *function = nullptr;

  const std::string &name() const { return region ? region->name : function->name; }
  const std::vector<Argument> &arguments() const {
    return region ? region->arguments : function->arguments;
  }
  const std::vector<Result> &results() const {
    return region ? region->results : function->results;
  }
  const std::vector<Constraint> &constraints() const {
    return region ? region->constraints : function->constraints;
  }
};

/// The entry of that name; without a name, the only function, or else the only region. The error
/// lists what there is.
Expected<Entry> findEntry(const Artifact &artifact, const std::string &name);

/// An entry with its operands in device memory. It can be launched any number of times; every
/// launch writes all results. All buffers lie between guard zones.
class PreparedRun {
public:
  /// Copies `arguments` (host memory; scalars are tensors of rank 0) to the device and takes memory
  /// for results, temporaries, workspace and state.
  static Expected<PreparedRun> prepare(std::shared_ptr<const Artifact> artifact, const Entry &entry,
                                       std::shared_ptr<const Device> device,
                                       std::shared_ptr<LoadedCode> code,
                                       const std::vector<Tensor> &arguments);

  const Stream &stream() const { return ownStream; }
  /// Enqueues the kernels; does not wait.
  Status launch();
  /// Waits, copies the results to dense host tensors and checks the guard zones.
  Expected<std::vector<Tensor>> results();
  /// Bytes of workspace and state, all regions together.
  ScratchSizes scratch() const { return totalScratch; }
  /// The chosen schedule of every region, in words.
  std::vector<std::string> schedules() const;

private:
  /// One region on its operands.
  struct Step {
    LoadedRegion region;
    std::vector<Operand> arguments, results;
    GuardedBuffer workspace, state;
  };

  explicit PreparedRun(Stream stream) : ownStream(std::move(stream)) {}
  Status upload(const std::vector<Tensor> &tensors);
  Status placeResults();
  Expected<Operand> place(DType dtype, std::vector<int64_t> dims, const std::string &name);
  Status addStep(size_t region, std::vector<Operand> arguments, std::vector<Operand> results);
  Status addCalls();
  Expected<Operand> resolve(const View &view, const ExprInputs &inputs) const;

  std::shared_ptr<const Artifact> artifact;
  std::shared_ptr<const Device> device;
  std::shared_ptr<LoadedCode> code;
  Entry entry;
  Stream ownStream;
  std::vector<std::pair<std::string, GuardedBuffer>> buffers; ///< by operand name, for the zones
  std::vector<Operand> argumentOperands, resultOperands, temporaries;
  std::vector<size_t> resultBuffers; ///< index into `buffers`
  std::vector<Step> steps;
  ScratchSizes totalScratch;
};

} // namespace fa_runtime

#endif // FA_RUNTIME_CUDA_PREPAREDRUN_H
