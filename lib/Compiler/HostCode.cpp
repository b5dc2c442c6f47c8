//===- HostCode.cpp -------------------------------------------------------===//

#include "HostCode.h"
#include "CHeader.h"
#include "Diagnostics.h"
#include "Entry.h"
#include "Lowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace mlir::fa;

static constexpr int kOptLevel = 3;

static void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> mlir::fa::createHostMachine(int optLevel) {
  initializeNativeTarget();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(optLevel));
  builder->setRelocationModel(llvm::Reloc::PIC_);
  return builder->createTargetMachine();
}

/// The C interface of the entry gets the C name; nothing else is visible.
static void exportEntry(ModuleOp module, StringRef cName) {
  std::string interface = ("_mlir_ciface_" + kEntryName).str();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.getName() == interface)
      function.setSymName(cName);
    else if (!function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);
  }
}

static llvm::Expected<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return refusal("this CPU's target cannot emit object files");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

llvm::Expected<CompileOutput> mlir::fa::emitHostCode(ModuleOp module, func::FuncOp function,
                                                     bool asText) {
  auto signature = readSignature(function);
  if (!signature)
    return signature.takeError();
  std::string name = function.getName().str();
  addEntry(module, function, ResultOwner::Caller);
  if (llvm::Error error = lowerToLLVM(module, /*deallocate=*/true))
    return std::move(error);
  exportEntry(module, getCName(name));

  auto machine = createHostMachine(kOptLevel);
  if (!machine)
    return machine.takeError();
  ErrorCollector errors(module->getContext());
  llvm::LLVMContext context;
  auto code = translateModuleToLLVMIR(module, context, name);
  if (!code)
    return refusal(errors.getText("cannot translate the program to LLVM IR"));
  ExecutionEngine::setupTargetTripleAndDataLayout(code.get(), machine->get());
  if (llvm::Error error = makeOptimizingTransformer(kOptLevel, 0, machine->get())(code.get()))
    return std::move(error);

  CompileOutput output;
  output.header = writeCHeader(name, *signature);
  if (asText) {
    llvm::raw_string_ostream(output.bytes) << *code;
    return output;
  }
  auto bytes = emitObject(*code, **machine);
  if (!bytes)
    return bytes.takeError();
  output.bytes = std::move(*bytes);
  return output;
}
