//===- GpuCode.cpp --------------------------------------------------------===//

#include "GpuCode.h"
#include "Diagnostics.h"
#include "FunctionEntry.h"
#include "fa/Dialect/Attention/Attention.h"
#include "fa/Outline/Passes.h"
#include "fa/Target/GPU/Compile.h"
#include "fa/Tile/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::fa;

/// Turns the scheduled op of a module into a tile program. Not canonicalized: that dissolves a
/// forall that runs once.
static LogicalResult tileModule(ModuleOp module) {
  PassManager pm(module->getName());
  pm.addPass(createTileAttention());
  pm.addPass(createCSEPass());
  return pm.run(module);
}

static GpuCompileOptions getOptions(bool unaligned) {
  GpuCompileOptions options;
  options.tile = tileModule;
  options.unaligned = unaligned;
  return options;
}

static std::string hash(StringRef text) {
  std::array<uint8_t, 32> digest =
      llvm::SHA256::hash(ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

/// What fusion leaves unused would hide that a function is nothing but attention.
static llvm::Error removeUnusedOps(ModuleOp module) {
  PassManager pm(module->getName());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  ErrorCollector errors(module->getContext());
  if (failed(pm.run(module)))
    return refusal(errors.getText("cannot clean up the program"));
  return llvm::Error::success();
}

/// Moves the attention ops into functions that are numbered after `entry`.
static llvm::Error outlineAll(ModuleOp module, func::FuncOp entry,
                              SmallVectorImpl<func::FuncOp> &regions) {
  if (llvm::Error error = removeUnusedOps(module))
    return error;
  bool hasGradient = false;
  module.walk([&](AttentionBackwardOp) { hasGradient = true; });
  if (hasGradient)
    return refusal("function '" + entry.getName() +
                   "': fa.attention_backward has no GPU kernels yet; use --device=cpu or "
                   "--machine=host");
  ErrorCollector errors(module->getContext());
  auto functions = outlineRegions(module, entry.getName());
  if (failed(functions))
    return refusal(errors.getText("cannot outline the regions"));
  if (functions->empty())
    return refusal("function '" + entry.getName() +
                   "': no attention was fused; the remarks say why, and where there is none, no "
                   "softmax was found between two products");
  regions.append(functions->begin(), functions->end());
  return llvm::Error::success();
}

llvm::Expected<fa_runtime::Artifact>
mlir::fa::compileArtifact(ModuleOp module, func::FuncOp entry, ArrayRef<const Machine *> machines,
                          StringRef source, bool withUnaligned,
                          SmallVectorImpl<func::FuncOp> &regions) {
  if (llvm::Error error = outlineAll(module, entry, regions))
    return std::move(error);
  fa_runtime::Artifact artifact;
  artifact.compiler = "fa-mlir, LLVM " LLVM_VERSION_STRING;
  artifact.sourceHash = hash(source);
  ErrorCollector errors(module->getContext());
  for (func::FuncOp region : regions)
    if (failed(
            compileRegion(region, region.getName(), machines, getOptions(withUnaligned), artifact)))
      return refusal(
          errors.getText("region '" + region.getName() + "' cannot be compiled for this machine"));
  addFunctionEntry(entry, regions, artifact);
  return artifact;
}

llvm::Expected<std::string> mlir::fa::emitNVVM(ModuleOp module, func::FuncOp entry,
                                               const Machine &machine) {
  SmallVector<func::FuncOp> regions;
  if (llvm::Error error = outlineAll(module, entry, regions))
    return std::move(error);
  ErrorCollector errors(module->getContext());
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (func::FuncOp region : regions) {
    auto kernels = emitKernelModule(region, machine, getOptions(/*unaligned=*/false));
    if (failed(kernels))
      return refusal(
          errors.getText("region '" + region.getName() + "' cannot be compiled for this machine"));
    // Modules one after the other, as --split-input-file reads them.
    if (!text.empty())
      stream << "// -----\n";
    stream << "// " << region.getName() << "\n";
    (*kernels)->print(stream);
    stream << "\n";
  }
  return text;
}

std::string mlir::fa::getPTX(const fa_runtime::Artifact &artifact) {
  std::string text;
  for (const fa_runtime::Module &module : artifact.modules)
    text += module.ptx;
  return text;
}

llvm::Expected<std::string> mlir::fa::getCubin(const fa_runtime::Artifact &artifact,
                                               StringRef chip) {
  if (artifact.modules.size() != 1)
    return refusal("the function has " + Twine(artifact.modules.size()) +
                   " modules of kernels, and a cubin holds one; use --emit=artifact");
  for (const fa_runtime::Cubin &cubin : artifact.modules.front().cubins)
    if (cubin.chip == chip)
      return cubin.code;
  return refusal("no machine code for " + chip +
                 ": it needs ptxas from the CUDA toolkit on the PATH; use --emit=ptx or artifact, "
                 "which the driver compiles");
}
