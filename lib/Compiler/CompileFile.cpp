//===- CompileFile.cpp ----------------------------------------------------===//

#include "fa/Compiler/CompileFile.h"
#include "Diagnostics.h"
#include "Entry.h"
#include "GpuCode.h"
#include "HostCode.h"
#include "Lowering.h"
#include "Source.h"
#include "fa/Machine/Machine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fa;

std::optional<Emit> mlir::fa::parseEmit(StringRef name) {
  return llvm::StringSwitch<std::optional<Emit>>(name)
      .Case("artifact", Emit::Artifact)
      .Case("ptx", Emit::PTX)
      .Case("cubin", Emit::Cubin)
      .Case("object", Emit::Object)
      .Case("fa", Emit::FA)
      .Case("loops", Emit::Loops)
      .Case("nvvm", Emit::NVVM)
      .Case("llvm", Emit::LLVM)
      .Default(std::nullopt);
}

std::string mlir::fa::listEmits() { return "artifact, ptx, cubin, object, fa, loops, nvvm, llvm"; }

/// What a request means, once checked.
namespace {
struct Target {
  Emit emit;
  SmallVector<const Machine *> machines;
};
} // namespace

static llvm::Expected<Target> resolveTarget(const CompileRequest &request) {
  Target target;
  for (const std::string &name : request.machines)
    target.machines.push_back(findMachine(name));
  bool isGPU = llvm::any_of(target.machines, [](const Machine *m) { return m->isGPU(); });
  bool isHost = llvm::any_of(target.machines, [](const Machine *m) { return !m->isGPU(); });
  target.emit = request.emit.value_or(isGPU ? Emit::Artifact : Emit::Object);
  switch (target.emit) {
  case Emit::Artifact:
    if (isHost)
      return inputError("an artifact is for GPUs, but --machine names the host");
    break;
  case Emit::PTX:
  case Emit::Cubin:
  case Emit::NVVM:
    if (isHost || target.machines.size() != 1)
      return inputError("this --emit is for one GPU: name one with --machine");
    break;
  case Emit::Object:
  case Emit::LLVM:
    if (isGPU || target.machines.size() != 1)
      return inputError("this --emit is for the host: use --machine=host");
    break;
  case Emit::FA:
  case Emit::Loops:
    if (target.machines.size() != 1)
      return inputError("this --emit is for one machine: name one with --machine");
  }
  return target;
}

static std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

/// The fused IR as text. Without a function's name, the whole module is fused and printed.
static llvm::Expected<CompileOutput> emitIR(ModuleOp module, StringRef function,
                                            const Target &target) {
  if (!function.empty()) {
    auto entry = selectFunction(module, function);
    if (!entry)
      return entry.takeError();
    if (llvm::Error error = isolateFunction(module, *entry))
      return std::move(error);
  }
  FuseTarget stage = target.emit == Emit::Loops ? FuseTarget::Loops : FuseTarget::Op;
  if (llvm::Error error = fuseAttention(module, stage, target.machines.front()->name))
    return std::move(error);
  return CompileOutput{printModule(module), ""};
}

/// Whatever is made of the fused regions alone.
static llvm::Expected<CompileOutput> emitGpuCode(ModuleOp module, func::FuncOp entry,
                                                 const Target &target, StringRef source) {
  const Machine &machine = *target.machines.front();
  if (target.emit == Emit::NVVM) {
    auto text = emitNVVM(module, entry, machine);
    if (!text)
      return text.takeError();
    return CompileOutput{std::move(*text), ""};
  }
  SmallVector<func::FuncOp> regions;
  auto artifact = compileArtifact(module, entry, target.machines, source,
                                  /*withUnaligned=*/target.emit == Emit::Artifact, regions);
  if (!artifact)
    return artifact.takeError();
  if (target.emit == Emit::PTX)
    return CompileOutput{getPTX(*artifact), ""};
  if (target.emit == Emit::Artifact)
    return CompileOutput{fa_runtime::serialize(*artifact), ""};
  auto cubin = getCubin(*artifact, machine.name);
  if (!cubin)
    return cubin.takeError();
  return CompileOutput{std::move(*cubin), ""};
}

llvm::Expected<CompileOutput> mlir::fa::compileFile(const DialectRegistry &given,
                                                    const CompileRequest &request) {
  auto target = resolveTarget(request);
  if (!target)
    return target.takeError();
  auto source = readSource(request.input);
  if (!source)
    return source.takeError();
  DialectRegistry registry;
  given.appendTo(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  loadEntryDialects(context);
  forwardRemarks(&context, request.remark, request.remarkUserData);
  auto module = parseSource(&context, (*source)->getBuffer(), request.input);
  if (!module)
    return module.takeError();
  if (target->emit == Emit::FA || target->emit == Emit::Loops)
    return emitIR(**module, request.function, *target);
  auto entry = selectFunction(**module, request.function);
  if (!entry)
    return entry.takeError();
  if (llvm::Error error = isolateFunction(**module, *entry))
    return std::move(error);
  if (llvm::Error error = fuseAttention(**module, FuseTarget::Op, target->machines.front()->name))
    return std::move(error);
  if (target->emit == Emit::Object || target->emit == Emit::LLVM) {
    if (llvm::Error error = tileAttention(**module, target->machines.front()->name, 0, 0))
      return std::move(error);
    return emitHostCode(**module, *entry, target->emit == Emit::LLVM);
  }
  return emitGpuCode(**module, *entry, *target, (*source)->getBuffer());
}
