#ifndef FA_DIFFERENTIATE_PASSES_TD
#define FA_DIFFERENTIATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def DifferentiateFunction : Pass<"fa-differentiate-function", "ModuleOp"> {
  let summary = "Writes the vector-Jacobian product of a function with attention.";
  let description = [{
    Enters: a function F with `fa.attention`, without side effects and branches.
    Leaves: F; `@F_fwd`, which returns F's results and then the output and LSE of every attention op; and
            `@F_vjp`, which takes F's arguments, those outputs and LSEs, and a cotangent for every
            floating-point result of F, and returns the gradients of the arguments in `wrt` (default: all of
            floating-point tensors). Attention becomes `fa.attention_backward`; what F_vjp needs of the rest it
            computes again.
    Fails:  where a gradient goes through an op other than attention, elementwise `linalg`, `tosa` and `arith` ops, slices,
            reshapes and casts; through an op of a region or body that has no derivative; through the row
            maximum or the probabilities of attention. The message names the op. Also without such a
            function, and if F_fwd or F_vjp exists.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"", "the function; may be left out if there is one">,
    ListOption<"wrt", "wrt", "int64_t", "numbers of the arguments to differentiate by">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fa::FaDialect",
                           "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif
