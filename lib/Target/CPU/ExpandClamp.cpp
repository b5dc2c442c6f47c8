//===- ExpandClamp.cpp - fa-expand-clamp ----------------------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::fa {
#define GEN_PASS_DEF_EXPANDCLAMP
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {
struct ExpandClampPass : fa::impl::ExpandClampBase<ExpandClampPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](math::ClampFOp op) {
      rewriter.setInsertionPoint(op);
      Value lower = arith::MaximumFOp::create(rewriter, op.getLoc(), op.getValue(), op.getMin());
      rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, lower, op.getMax());
    });
  }
};
} // namespace
