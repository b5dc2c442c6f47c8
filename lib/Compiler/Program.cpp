//===- Program.cpp --------------------------------------------------------===//

#include "Program.h"
#include "Diagnostics.h"
#include "Entry.h"
#include "GpuCode.h"
#include "JitRuntime.h"
#include "Lowering.h"
#include "Source.h"
#include "TensorCopy.h"
#include "fa/Dialect/Attention/Attention.h"
#include <chrono>

using namespace mlir;
using namespace mlir::fa;

// One program compiles on one thread: the passes are short, and threads of MLIR's own would compete
// with the ones that run compiled code.
Program::Program(const DialectRegistry &registry)
    : context(registry, MLIRContext::Threading::DISABLED) {
  loadEntryDialects(context);
}

llvm::Expected<std::unique_ptr<Program>> Program::compile(const DialectRegistry &registry,
                                                          StringRef text, StringRef name,
                                                          const FaCompileOptions &options) {
  std::unique_ptr<Program> program(new Program(registry));
  if (llvm::Error error = program->build(text, name, options))
    return std::move(error);
  return std::move(program);
}

llvm::Error Program::build(StringRef text, StringRef name, const FaCompileOptions &options) {
  forwardRemarks(&context, options.remark, options.remarkUserData);
  auto module = parseSource(&context, text, name);
  if (!module)
    return module.takeError();
  auto entry = selectFunction(**module, options.function ? options.function : "");
  if (!entry)
    return entry.takeError();
  function = entry->getName().str();
  if (llvm::Error error = isolateFunction(**module, *entry))
    return error;
  auto types = readSignature(*entry);
  if (!types)
    return types.takeError();
  signature = std::move(*types);
  isReference = options.precision == FA_PRECISION_F64_REFERENCE;
  threads = options.threads;
  describeTypes();

  if (isReference) {
    if (llvm::Error error = widenToF64(**module))
      return error;
  } else if (options.fuse == FA_FUSE_ON) {
    if (llvm::Error error = fuse(**module, *entry, text, options))
      return error;
  }
  addEntry(**module, *entry, ResultOwner::Nobody);
  if (llvm::Error error = lowerToLLVM(**module))
    return error;
  int defaultLevel = numRegions ? 3 : 0; // optimising takes longer than small programs run
  auto compiled =
      createJit(**module, kEntryName, options.optLevel < 0 ? defaultLevel : options.optLevel);
  if (!compiled)
    return compiled.takeError();
  jit = std::move(*compiled);
  return llvm::Error::success();
}

/// Writes forced tile sizes on every attention op.
static void forceTiles(ModuleOp module, int64_t queryTile, int64_t keyTile) {
  if (queryTile == 0 && keyTile == 0)
    return;
  auto schedule = ScheduleAttr::get(module.getContext(), queryTile, keyTile, 0, 0);
  module.walk([&](AttentionInterface op) { op.setScheduleAttr(schedule); });
}

llvm::Error Program::fuse(ModuleOp module, func::FuncOp entry, StringRef text,
                          const FaCompileOptions &options) {
  bool onGPU = options.device == FA_DEVICE_CUDA;
  StringRef name = options.machine ? options.machine : onGPU ? "sm_80" : "host";
  const Machine *machine = findMachine(name);
  if (!machine || machine->isGPU() != onGPU)
    return inputError("machine '" + name + "': expected " + (onGPU ? "a GPU" : "host") +
                      ", known are " + listMachineNames());
  if (llvm::Error error = fuseAttention(module, FuseTarget::Op, machine->name))
    return error;
  module.walk([&](AttentionInterface) { ++numRegions; });
  if (numRegions == 0)
    return llvm::Error::success();
  if (!onGPU)
    return tileAttention(module, machine->name, options.queryTile, options.keyTile);
  forceTiles(module, options.queryTile, options.keyTile);
  SmallVector<func::FuncOp> functions;
  auto compiled =
      compileArtifact(module, entry, {machine}, text, /*withUnaligned=*/true, functions);
  if (!compiled)
    return compiled.takeError();
  artifact = fa_runtime::serialize(*compiled);
  auto stubs = makeLaunchStubs(module, functions);
  if (!stubs)
    return stubs.takeError();
  regions = std::move(*stubs);
  return llvm::Error::success();
}

FaDType Program::getResultDType(const ValueType &type) const {
  return isReference && isFloat(type.dtype) ? FA_DTYPE_F64 : type.dtype;
}

void Program::describeTypes() {
  auto describe = [](const ValueType &type, FaDType dtype) {
    return FaValueType{dtype, static_cast<int32_t>(type.dims.size()), type.dims.data(),
                       type.isScalar, type.name.c_str()};
  };
  for (const ValueType &type : signature.arguments)
    argumentTypes.push_back(describe(type, type.dtype));
  for (const ValueType &type : signature.results)
    resultTypes.push_back(describe(type, getResultDType(type)));
}

llvm::Error Program::checkArguments(ArrayRef<FaTensor> arguments, size_t numResults) const {
  if (arguments.size() != signature.arguments.size())
    return inputError("function '" + function + "' takes " + Twine(signature.arguments.size()) +
                      " arguments, got " + Twine(arguments.size()));
  if (numResults != signature.results.size())
    return inputError("function '" + function + "' has " + Twine(signature.results.size()) +
                      " results, got room for " + Twine(numResults));
  for (auto [tensor, type] : llvm::zip(arguments, signature.arguments))
    if (llvm::Error error = checkTensor(tensor, type))
      return error;
  return llvm::Error::success();
}

llvm::Error Program::takeResults(const int64_t *words, MutableArrayRef<FaTensor> results) const {
  for (auto [number, type] : llvm::enumerate(signature.results)) {
    int64_t rank = type.dims.size();
    Descriptor descriptor(words, rank);
    llvm::Expected<FaTensor> tensor = takeResult(descriptor, getResultDType(type), rank);
    if (!tensor) {
      llvm::for_each(results.take_front(number), freeTensor);
      return tensor.takeError();
    }
    results[number] = *tensor;
    words += Descriptor::getWordCount(rank);
  }
  return llvm::Error::success();
}

llvm::Error Program::run(ArrayRef<FaTensor> arguments, MutableArrayRef<FaTensor> results,
                         FaRunOptions &options) {
  if (llvm::Error error = checkArguments(arguments, results.size()))
    return error;
  // All results come back as descriptors side by side, whose address is the first argument.
  int64_t resultWords = 0;
  for (const ValueType &type : signature.results)
    resultWords += Descriptor::getWordCount(type.dims.size());
  std::vector<int64_t> resultBuffer(resultWords);
  std::vector<std::unique_ptr<char[]>> storage(arguments.size());
  std::vector<Descriptor> descriptors;
  std::vector<void *> pointers;
  if (!results.empty())
    pointers.push_back(resultBuffer.data());
  for (auto [tensor, type, copy] : llvm::zip(arguments, signature.arguments, storage))
    descriptors.push_back(passArgument(tensor, type, isReference, copy));
  for (Descriptor &descriptor : descriptors)
    pointers.push_back(descriptor.getWords());
  std::vector<void *> packed;
  for (void *&pointer : pointers)
    packed.push_back(&pointer);

  setThreadCount(threads);
  auto start = std::chrono::steady_clock::now();
  return runCompiledCode(
      [&] {
        jit.entry(packed.data());
        options.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      },
      [&] { return takeResults(resultBuffer.data(), results); },
      [&](int64_t number, const int64_t *words) {
        return launchRegion(regions[number], words, options);
      });
}
