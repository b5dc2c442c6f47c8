//===- IrProgram.cpp - A function of an IR file, compiled -----------------===//

#include "IrProgram.h"
#include "CrashReport.h"
#include "Failure.h"
#include <cstring>

namespace fa_run {

using namespace fa_runtime;

static_assert(int(DType::Bool) == FA_DTYPE_BOOL && int(DType::I64) == FA_DTYPE_I64 &&
              int(DType::F16) == FA_DTYPE_F16 && int(DType::BF16) == FA_DTYPE_BF16 &&
              int(DType::F64) == FA_DTYPE_F64);

void IrProgram::fail(FaStatus status, char *error) const {
  std::string text = error ? error : "the compiler gave no reason";
  compiler.faCompilerFreeString(error);
  throw Failure{status == FA_STATUS_INPUT ? kBadInput : kRefused, text};
}

IrProgram::IrProgram(const Options &options, const std::string &text, Form form,
                     std::shared_ptr<const Device> device)
    : compiler(CompilerLibrary::get()) {
  FaCompileOptions compile;
  compiler.faCompileOptionsInit(&compile);
  compile.function = options.function.empty() ? nullptr : options.function.c_str();
  compile.fuse = form == Form::Fused ? FA_FUSE_ON : FA_FUSE_OFF;
  compile.precision =
      form == Form::Reference ? FA_PRECISION_F64_REFERENCE : FA_PRECISION_AS_WRITTEN;
  compile.queryTile = options.queryTile;
  compile.keyTile = options.keyTile;
  bool isOnGpu = device && form == Form::Fused;
  compile.device = isOnGpu ? FA_DEVICE_CUDA : FA_DEVICE_CPU;
  compile.machine = options.machine.empty() ? nullptr : options.machine.c_str();
  compile.threads = options.threads;
  if (options.time && form != Form::Reference)
    compile.optLevel = 3; // also what is not fused: times of different levels say nothing
  compile.remark = [](void *list, const char *kind, const char *text) {
    static_cast<std::vector<Remark> *>(list)->push_back({kind, text});
  };
  compile.remarkUserData = &compilerRemarks;
  char *error = nullptr;
  FaStatus status = compiler.faCompileText(text.data(), text.size(), options.file.c_str(), &compile,
                                           &program, &error);
  if (status != FA_STATUS_OK)
    fail(status, error);
  const void *bytes = nullptr;
  size_t size = 0;
  if (isOnGpu)
    compiler.faProgramArtifact(program, &bytes, &size);
  if (size)
    artifact = std::make_unique<LoadedArtifact>(bytes, size, options.file, std::move(device));
}

IrProgram::~IrProgram() {
  if (program)
    compiler.faProgramFree(program);
}

std::string IrProgram::name() const { return compiler.faProgramFunction(program); }

static ValueType convert(const FaValueType &type) {
  return {type.name, static_cast<DType>(type.dtype),
          std::vector<int64_t>(type.dims, type.dims + type.rank), type.isScalar != 0};
}

std::vector<ValueType> IrProgram::arguments() const {
  std::vector<ValueType> types;
  for (int32_t i = 0; i < compiler.faProgramNumArguments(program); ++i)
    types.push_back(convert(*compiler.faProgramArgument(program, i)));
  return types;
}

std::vector<ValueType> IrProgram::results() const {
  std::vector<ValueType> types;
  for (int32_t i = 0; i < compiler.faProgramNumResults(program); ++i)
    types.push_back(convert(*compiler.faProgramResult(program, i)));
  return types;
}

DType IrProgram::writtenType(size_t result) const {
  return static_cast<DType>(
      compiler.faProgramResultDTypeAsWritten(program, static_cast<int32_t>(result)));
}

int IrProgram::numRegions() const { return compiler.faProgramNumRegions(program); }

/// The tensor itself, not a copy of its elements.
static FaTensor view(const Tensor &tensor) {
  return {tensor.data, static_cast<int32_t>(tensor.dtype), static_cast<int32_t>(tensor.rank()),
          tensor.shape.data(), tensor.strides.data()};
}

static Tensor view(const FaTensor &tensor) {
  Tensor result;
  result.dtype = static_cast<DType>(tensor.dtype);
  result.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  result.strides = tensor.strides
                       ? std::vector<int64_t>(tensor.strides, tensor.strides + tensor.rank)
                       : denseStrides(result.shape);
  result.data = static_cast<char *>(tensor.data);
  return result;
}

Status IrProgram::launch(const std::string &region, const std::vector<Tensor> &inputs,
                         const FaTensor *outputs, size_t numOutputs) {
  if (!artifact)
    return Error{"region " + region + ": there is no code for it"};
  Expected<Entry> entry = findEntry(artifact->artifact(), region);
  if (!entry)
    return entry.error();
  Expected<PreparedRun> run = artifact->prepare(*entry, inputs);
  if (!run)
    return run.error();
  if (Status status = run->launch(); !status)
    return status;
  Expected<std::vector<Tensor>> results = run->results();
  if (!results)
    return results.error();
  if (results->size() != numOutputs)
    return Error{"region " + region + ": the program wants another number of results"};
  for (size_t i = 0; i < numOutputs; ++i) {
    Tensor output = view(outputs[i]);
    const Tensor &result = (*results)[i];
    if (output.shape != result.shape || output.dtype != result.dtype)
      return Error{"region " + region + ": expected " + describeType(output.shape, output.dtype) +
                   ", got " + describeType(result.shape, result.dtype)};
    if (result.numBytes())
      memcpy(output.data, result.data, static_cast<size_t>(result.numBytes()));
  }
  return {};
}

const char *IrProgram::launchRegion(void *self, const char *region, const FaTensor *inputs,
                                    int32_t numInputs, const FaTensor *outputs,
                                    int32_t numOutputs) {
  auto *program = static_cast<IrProgram *>(self);
  std::vector<Tensor> tensors;
  for (int32_t i = 0; i < numInputs; ++i)
    tensors.push_back(view(inputs[i]));
  Status status = program->launch(region, tensors, outputs, static_cast<size_t>(numOutputs));
  program->launchError = status.error().text;
  return status ? nullptr : program->launchError.c_str();
}

std::vector<Tensor> IrProgram::runOnce(const std::vector<Tensor> &arguments, double &seconds) {
  std::vector<FaTensor> inputs;
  for (const Tensor &argument : arguments)
    inputs.push_back(view(argument));
  std::vector<FaTensor> outputs(static_cast<size_t>(compiler.faProgramNumResults(program)));
  FaRunOptions options;
  compiler.faRunOptionsInit(&options);
  options.launch = &IrProgram::launchRegion;
  options.launchUserData = this;
  char *error = nullptr;
  FaStatus status;
  {
    InCompiledCode running;
    status = compiler.faProgramRun(program, inputs.data(), static_cast<int32_t>(inputs.size()),
                                   outputs.data(), static_cast<int32_t>(outputs.size()), &options,
                                   &error);
  }
  if (status != FA_STATUS_OK)
    fail(status, error);
  seconds = options.seconds;
  std::vector<Tensor> results;
  for (FaTensor &output : outputs) {
    results.push_back(view(output));
    results.back().owner =
        std::shared_ptr<void>(new FaTensor(output), [&compiler = compiler](void *pointer) {
          auto *tensor = static_cast<FaTensor *>(pointer);
          compiler.faTensorFree(tensor);
          delete tensor;
        });
  }
  return results;
}

std::vector<Tensor> IrProgram::run(const std::vector<Tensor> &arguments) {
  double seconds;
  return runOnce(arguments, seconds);
}

Timing IrProgram::time(const std::vector<Tensor> &arguments) {
  constexpr double kBudget = 1; // seconds, at least
  constexpr size_t kMinRuns = 5, kMaxRuns = 1000;
  std::vector<double> all;
  double total = 0, seconds = 0;
  while (all.size() < kMinRuns || (total < kBudget && all.size() < kMaxRuns)) {
    runOnce(arguments, seconds);
    all.push_back(seconds);
    total += seconds;
  }
  return summarize(std::move(all));
}

} // namespace fa_run
