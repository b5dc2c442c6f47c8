//===- BuildKernels.cpp - A function of tile programs becomes kernels -----===//

#include "BuildKernels.h"
#include "Emitter.h"
#include "LowerKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

/// Letters, digits and underscores: what a symbol of PTX may hold.
static std::string symbolFor(StringRef function, size_t index) {
  std::string symbol = "fa_" + function.str() + "_" + std::to_string(index);
  for (char &c : symbol)
    if (!llvm::isAlnum(c))
      c = '_';
  return symbol;
}

/// What a caller of the kernel must know, readable in the IR.
static void annotateKernel(gpu::GPUModuleOp module, StringRef symbol, const KernelPlan &plan,
                           const KernelParameters &parameters) {
  Operation *kernel = module.lookupSymbol(symbol);
  Builder b(module.getContext());
  SmallVector<Attribute> list;
  for (const KernelParameter &parameter : parameters.list) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    switch (parameter.kind) {
    case KernelParameter::Kind::Pointer:
      stream << "pointer " << parameter.operand;
      break;
    case KernelParameter::Kind::Dim:
      stream << "dim " << parameter.operand << " " << parameter.dim;
      break;
    case KernelParameter::Kind::Stride:
      stream << "stride " << parameter.operand << " " << parameter.dim;
      break;
    case KernelParameter::Kind::Scalar:
      stream << "scalar " << parameter.operand;
      break;
    }
    list.push_back(b.getStringAttr(text));
  }
  kernel->setAttr("fa.parameters", b.getArrayAttr(list));
  kernel->setAttr("fa.shared_bytes", b.getI64IntegerAttr(plan.sharedBytes));
}

FailureOr<BuiltKernels> mlir::fa::buildKernels(func::FuncOp function, const PlanOptions &options,
                                               const Instructions &instructions) {
  if (function.getOps<scf::ForallOp>().empty())
    return function.emitOpError("expects a tile program, a scf.forall over tiles; canonicalization "
                                "dissolves one that runs once"),
           failure();
  MLIRContext *context = function.getContext();
  context->loadDialect<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  OpBuilder b(function);
  BuiltKernels built;
  built.module =
      gpu::GPUModuleOp::create(b, function.getLoc(), symbolFor(function.getName(), 0) + "_module");
  for (scf::ForallOp forall : function.getOps<scf::ForallOp>()) {
    FailureOr<TileGraph> graph = TileGraph::build(forall);
    if (failed(graph))
      return built.module.erase(), failure();
    FailureOr<KernelPlan> plan = planKernel(*graph, options);
    if (failed(plan))
      return built.module.erase(), failure();
    std::string symbol = symbolFor(function.getName(), built.kernels.size());
    Emitter emitter(*graph, *plan, instructions, built.module);
    if (failed(emitter.emit(symbol)))
      return built.module.erase(), failure();
    annotateKernel(built.module, symbol, *plan, emitter.parameters);
    built.kernels.push_back({symbol, forall, std::move(*plan), emitter.parameters});
  }
  if (failed(lowerKernels(built.module)))
    return built.module.erase(), failure();
  return built;
}

StringRef mlir::fa::ptxFeatures(StringRef chip) {
  // The oldest version that has what the newest chip of each kind needs.
  return chip.ends_with("a") ? "+ptx86" : "+ptx71";
}
