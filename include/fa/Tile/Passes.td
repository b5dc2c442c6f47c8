#ifndef FA_TILE_PASSES_TD
#define FA_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileAttention : Pass<"fa-tile"> {
  let summary = "Tiles attention into an online-softmax loop nest, and its gradient.";
  let description = [{
    Enters: `fa.attention` and `fa.attention_backward` with `#fa.schedule`; ops without one are left alone.
    Leaves: the tile program of docs/Rationale/tile-program.md: `scf.forall` over query tiles with
            `fa.region = "F.i"` (the i-th of function F), `scf.for` over key tiles with `fa.range`, `linalg` on tiles.
            For a gradient one forall for Δ and one over the dimensions that all gradients have.
    Fails:  on an op that asks for its probabilities: they are never in memory as a whole; on a
            gradient through an op that has no derivative.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def StripAttributes : Pass<"fa-strip-attributes"> {
  let summary = "Removes the attributes that only this project's passes read.";
  let description = [{
    Enters: any IR.
    Leaves: the same IR without attributes named `fa.…`, so that a tool without the fa dialect can
            read it.
    Fails:  never.
  }];
}

#endif
