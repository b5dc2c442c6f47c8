#ifndef FA_RAISE_PASSES_TD
#define FA_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseAttention : Pass<"fa-raise", "::mlir::ModuleOp"> {
  let summary = "Replaces two products with a softmax between them by fa.attention.";
  let description = [{
    Enters: linalg, tosa, tensor and arith ops on tensors, in functions; anything else beside them.
    Leaves: `fa.attention` in the place of each attention that was found. What is not attention
            stays as it was; what the replaced ops alone needed is gone.
    Fails:  only if fewer than `require` regions were found.

    Every attention, and every softmax that is none, gets one remark of category `fa`: what was
    understood, or the first reason against it.
  }];
  let options = [
    Option<"require", "require", "int64_t", "0",
           "Fail unless at least this many regions become fa.attention.">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::fa::FaDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
