//===- AttentionBackwardOp.cpp - fa.attention_backward: access, shapes ----===//

#include "fa/Dialect/Attention/Attention.h"

using namespace mlir;
using namespace mlir::fa;

AffineMap AttentionBackwardOp::getResultMap(unsigned index) { return getMap(getWrt()[index]); }

Value AttentionBackwardOp::getGradient(unsigned number) {
  const int64_t *position = llvm::find(getWrt(), int64_t(number));
  return position == getWrt().end() ? Value() : getResult(position - getWrt().begin());
}

LogicalResult AttentionBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                     ReifiedRankedShapedTypeDims &shapes) {
  return fa::detail::reifyResultShapes(*this, builder, shapes);
}
