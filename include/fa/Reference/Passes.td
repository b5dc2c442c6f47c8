#ifndef FA_REFERENCE_PASSES_TD
#define FA_REFERENCE_PASSES_TD

include "mlir/Pass/PassBase.td"

def WidenToF64 : Pass<"fa-widen-to-f64", "ModuleOp"> {
  let summary = "Turns a program into the f64 reference that errors are measured against.";
  let description = [{
    Enters: linalg, tensor, arith, math, scf, cf, func, … on any float types; scalar arithmetic
            inside linalg bodies, not on whole tensors.
    Leaves: the same program in which every float is f64: signatures, regions and constants too. A
            cast between floats is gone, so values are never rounded to a narrower type; but they
            keep f32's range: where the type was f32 or narrower, a result that would round to
            infinity in f32 is ±inf. So −FLT_MAX + −FLT_MAX is −inf, as in f32, and a mask made of
            two such terms means the same. What was f64 is left alone. Conversions between integers
            and floats stay.
    Fails:  at an op that reads a float's bits (a bitcast), at complex numbers, and at an op on
            floats whose dialect is not listed above.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandAttention : Pass<"fa-expand-attention"> {
  let summary = "Turns attention and its gradient into plain linalg on whole tensors.";
  let description = [{
    Enters: `fa.attention` and `fa.attention_backward`.
    Leaves: what they mean, step by step as in their descriptions, one `linalg.generic` per step, with
            the scores as a tensor: what the fused form is compared with.
    Fails:  if a gradient goes through an op of a region that has no derivative.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif
