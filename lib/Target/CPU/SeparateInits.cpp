//===- SeparateInits.cpp - fa-cpu-separate-inits --------------------------===//

#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fa {
#define GEN_PASS_DEF_SEPARATEINITS
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// An empty tensor like `tensor`, for one use.
static Value createEmpty(OpBuilder &builder, Value tensor) {
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return builder.clone(*empty)->getResult(0);
  Location loc = tensor.getLoc();
  return tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, tensor),
                                 getElementTypeOrSelf(tensor.getType()));
}

/// True if `value` is what only its one user writes to.
static bool isOwn(Value value) {
  return value.hasOneUse() && isa_and_nonnull<tensor::EmptyOp>(value.getDefiningOp());
}

/// Gives an init of `op` a tensor of its own where its old value is not read, and a fill of its own
/// where several ops start from one.
static void separate(OpBuilder &builder, linalg::LinalgOp op, OpOperand &init) {
  builder.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(init.get().getType());
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  if (!op.payloadUsesValueFromOperand(&init)) {
    if (!isOwn(init.get()) && !type.getEncoding())
      init.set(createEmpty(builder, init.get()));
  } else if (fill && !fill.getResult(0).hasOneUse() && !type.getEncoding()) {
    Value empty = createEmpty(builder, fill.getDpsInits()[0]);
    auto copy = cast<linalg::FillOp>(builder.clone(*fill));
    copy.getDpsInitsMutable()[0].set(empty);
    init.set(copy.getResult(0));
  }
}

namespace {
struct SeparateInits : fa::impl::SeparateInitsBase<SeparateInits> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::ForallOp>(op)) // a tile program, which fa-cpu-reuse-tiles sees to
        return WalkResult::skip();
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      if (linalgOp && linalgOp.hasPureTensorSemantics())
        ops.push_back(linalgOp);
      return WalkResult::advance();
    });
    for (linalg::LinalgOp op : ops)
      for (OpOperand &init : op.getDpsInitsMutable())
        separate(builder, op, init);
  }
};
} // namespace
