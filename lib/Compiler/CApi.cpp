//===- CApi.cpp - The C interface of libFaCompiler.so ---------------------===//

#include "Program.h"
#include "Source.h"
#include "TensorCopy.h"
#include "fa/Registration.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::fa;

struct FaProgram {
  std::unique_ptr<Program> program;
};

static const DialectRegistry &getRegistry() {
  static DialectRegistry *registry = [] {
    auto *made = new DialectRegistry;
    registerUpstream(*made);
    registerDialects(*made);
    registerPasses();
    registerBuiltinDialectTranslation(*made);
    registerLLVMDialectTranslation(*made);
    registerOpenMPDialectTranslation(*made);
    return made;
  }();
  return *registry;
}

/// Hands an error to a C caller.
static FaStatus report(llvm::Error error, char **text) {
  auto [status, message] = takeStatusAndText(std::move(error));
  if (text && status != FA_STATUS_OK)
    *text = strdup(message.c_str());
  return status;
}

/// The caller's options, with defaults for fields that its version of the struct does not have.
template <typename Options>
static Options readOptions(const Options *given, void (*init)(Options *)) {
  Options options;
  init(&options);
  if (given)
    std::memcpy(&options, given, std::min<size_t>(given->structSize, sizeof(Options)));
  return options;
}

uint32_t faCompilerAbiVersion(void) { return FA_COMPILER_ABI_VERSION; }

const char *faCompilerDescription(void) {
  static const std::string text =
      ("fa-mlir, LLVM " LLVM_VERSION_STRING ", " + llvm::sys::getHostCPUName()).str();
  return text.c_str();
}

void faCompilerFreeString(char *text) { std::free(text); }

void faCompileOptionsInit(FaCompileOptions *options) {
  *options = {};
  options->structSize = sizeof(*options);
  options->fuse = FA_FUSE_ON;
  options->optLevel = -1;
}

void faRunOptionsInit(FaRunOptions *options) {
  *options = {};
  options->structSize = sizeof(*options);
}

FaStatus faCompileText(const char *text, size_t size, const char *name,
                       const FaCompileOptions *given, FaProgram **program, char **error) {
  FaCompileOptions options = readOptions(given, faCompileOptionsInit);
  auto compiled = Program::compile(getRegistry(), StringRef(text, size), name, options);
  if (!compiled)
    return report(compiled.takeError(), error);
  *program = new FaProgram{std::move(*compiled)};
  return FA_STATUS_OK;
}

FaStatus faCompileFile(const char *path, const FaCompileOptions *options, FaProgram **program,
                       char **error) {
  auto source = readSource(path);
  if (!source)
    return report(source.takeError(), error);
  StringRef text = (*source)->getBuffer();
  return faCompileText(text.data(), text.size(), path, options, program, error);
}

void faProgramFree(FaProgram *program) { delete program; }

const char *faProgramFunction(const FaProgram *program) {
  return program->program->getFunction().c_str();
}

int32_t faProgramNumArguments(const FaProgram *program) {
  return program->program->getArguments().size();
}

int32_t faProgramNumResults(const FaProgram *program) {
  return program->program->getResults().size();
}

static const FaValueType *getOrNull(const std::vector<FaValueType> &types, int32_t index) {
  return index >= 0 && index < static_cast<int32_t>(types.size()) ? &types[index] : nullptr;
}

const FaValueType *faProgramArgument(const FaProgram *program, int32_t index) {
  return getOrNull(program->program->getArguments(), index);
}

const FaValueType *faProgramResult(const FaProgram *program, int32_t index) {
  return getOrNull(program->program->getResults(), index);
}

int32_t faProgramResultDTypeAsWritten(const FaProgram *program, int32_t index) {
  const auto &results = program->program->getSignature().results;
  return index >= 0 && index < static_cast<int32_t>(results.size()) ? results[index].dtype
                                                                    : FA_DTYPE_INVALID;
}

int32_t faProgramNumRegions(const FaProgram *program) { return program->program->getNumRegions(); }

void faProgramArtifact(const FaProgram *program, const void **data, size_t *size) {
  *data = program->program->getArtifact().data();
  *size = program->program->getArtifact().size();
}

FaStatus faProgramRun(FaProgram *program, const FaTensor *arguments, int32_t numArguments,
                      FaTensor *results, int32_t numResults, FaRunOptions *given, char **error) {
  FaRunOptions options = readOptions(given, faRunOptionsInit);
  llvm::Error failure = program->program->run(ArrayRef(arguments, numArguments),
                                              MutableArrayRef(results, numResults), options);
  if (given)
    given->seconds = options.seconds;
  return report(std::move(failure), error);
}

void faTensorFree(FaTensor *tensor) { freeTensor(*tensor); }
