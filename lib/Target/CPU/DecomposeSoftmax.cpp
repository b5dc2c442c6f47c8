//===- DecomposeSoftmax.cpp - fa-decompose-softmax ------------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fa {
#define GEN_PASS_DEF_DECOMPOSESOFTMAX
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {
struct DecomposeSoftmaxPass : fa::impl::DecomposeSoftmaxBase<DecomposeSoftmaxPass> {
  using DecomposeSoftmaxBase::DecomposeSoftmaxBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](linalg::SoftmaxOp op) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
      if (succeeded(parts))
        rewriter.replaceOp(op, *parts);
    });
  }
};
} // namespace
