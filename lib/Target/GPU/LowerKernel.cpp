//===- LowerKernel.cpp - From an emitted kernel to the LLVM dialect -------===//

#include "LowerKernel.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::fa;

/// Functions that the chip or the assembler has as instructions, correctly rounded or better than
/// 2 units in the last place.
static bool isNative(StringRef name) {
  static const StringRef names[] = {"absf",  "absi",      "ceil",  "copysign", "ctlz",
                                    "cttz",  "ctpop",     "floor", "fma",      "rint",
                                    "round", "roundeven", "sqrt",  "trunc"};
  name.consume_front("math.");
  return llvm::is_contained(names, name);
}

/// Upstream's expansion, in LLVM 22, takes the minimum with the lower bound.
static void expandClamp(gpu::GPUModuleOp module) {
  module.walk([](math::ClampFOp op) {
    OpBuilder b(op);
    Value lower = arith::MaximumFOp::create(b, op.getLoc(), op.getValue(), op.getMin());
    op.replaceAllUsesWith(
        arith::MinimumFOp::create(b, op.getLoc(), lower, op.getMax()).getResult());
    op.erase();
  });
}

/// All other functions become polynomials and arithmetic.
static LogicalResult expandMath(gpu::GPUModuleOp module) {
  expandClamp(module);
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  auto isExpanded = [](StringRef name) { return !isNative(name); };
  populateMathF32ExpansionPatterns(patterns, isExpanded);
  math::populateExpansionPatterns(
      patterns, {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "powf", "fpowi", "rsqrt"});
  populateMathPolynomialApproximationPatterns(patterns, isExpanded);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// math.exp2 that expansions left behind; emitted code has the instruction already.
static void useNativeExp2(gpu::GPUModuleOp module) {
  module.walk([](math::Exp2Op op) {
    if (!op.getType().isF32())
      return;
    OpBuilder b(op);
    Value power = LLVM::CallIntrinsicOp::create(b, op.getLoc(), b.getF32Type(),
                                                b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
                                                ValueRange{op.getOperand()})
                      .getResult(0);
    op.replaceAllUsesWith(power);
    op.erase();
  });
}

static LogicalResult checkNoCalls(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "math" && !isNative(op->getName().getStringRef())) {
      op->emitOpError("has no form for the GPU on ") << op->getResult(0).getType();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::fa::lowerKernels(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  bool hasMath = false;
  module.walk([&](Operation *op) {
    hasMath |= op->getName().getDialectNamespace() == "math" ||
               isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
  });
  if (hasMath && failed(expandMath(module)))
    return module.emitOpError("has math that cannot be expanded");
  useNativeExp2(module);
  if (failed(checkNoCalls(module)))
    return failure();
  LLVMTypeConverter converter(context);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect, gpu::GPUDialect>();
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}
