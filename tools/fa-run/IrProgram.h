//===- IrProgram.h - A function of an IR file, compiled -------------------===//
#ifndef FA_RUN_IRPROGRAM_H
#define FA_RUN_IRPROGRAM_H

#include "CommandLine.h"
#include "CompilerLibrary.h"
#include "Gpu.h"

namespace fa_run {

/// Which of the three forms of a function that --verify compares.
enum class Form {
  Unfused,
  Fused,
  Reference ///< in f64, with f32's range; results are f64
};

/// A remark of the compiler.
struct Remark {
  std::string kind; ///< "passed", "missed", "failed" or "analysis"
  std::string text;
};

/// A function compiled by libFaCompiler. With --device=cuda its fused regions run on the GPU.
class IrProgram : public Runnable {
public:
  /// Compiles; `text` is the content of options.file. `device` may be null: everything on the CPU.
  IrProgram(const Options &options, const std::string &text, Form form,
            std::shared_ptr<const fa_runtime::Device> device);
  ~IrProgram() override;

  std::string name() const override;
  std::vector<ValueType> arguments() const override;
  std::vector<ValueType> results() const override;
  std::vector<Tensor> run(const std::vector<Tensor> &arguments) override;
  Timing time(const std::vector<Tensor> &arguments) override;

  /// The dtype of a result in the IR as written, which the reference's results do not have.
  DType writtenType(size_t result) const;
  int numRegions() const;
  const std::vector<Remark> &remarks() const { return compilerRemarks; }

private:
  static const char *launchRegion(void *self, const char *region, const FaTensor *inputs,
                                  int32_t numInputs, const FaTensor *outputs, int32_t numOutputs);
  fa_runtime::Status launch(const std::string &region, const std::vector<Tensor> &inputs,
                            const FaTensor *outputs, size_t numOutputs);
  std::vector<Tensor> runOnce(const std::vector<Tensor> &arguments, double &seconds);
  [[noreturn]] void fail(FaStatus status, char *error) const;

  const CompilerLibrary &compiler;
  FaProgram *program = nullptr;
  std::vector<Remark> compilerRemarks;
  std::unique_ptr<LoadedArtifact> artifact; ///< of the fused regions; null on the CPU
  std::string launchError;                  ///< what launchRegion returned last
};

} // namespace fa_run

#endif // FA_RUN_IRPROGRAM_H
