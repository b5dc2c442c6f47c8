//===- TileOps.cpp - What the CPU passes recognise in a tile program ------===//

#include "TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

void fa::walkTilePrograms(Operation *root, function_ref<void(scf::ForallOp)> visit) {
  root->walk(visit);
}

/// The value before a widening cast.
static Value skipExtension(Value value) {
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  return extend ? extend.getIn() : value;
}

std::optional<DotForm> fa::matchDot(linalg::GenericOp op) {
  using utils::IteratorType;
  SmallVector<IteratorType> expected = {IteratorType::parallel, IteratorType::parallel,
                                        IteratorType::reduction};
  if (op.getIteratorTypesArray() != expected || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *body = op.getBody();
  auto add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || add.getLhs() != body->getArgument(2))
    return std::nullopt;
  DotForm form;
  Value term = add.getRhs();
  if (auto select = term.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
        !matchPattern(compare.getRhs(), m_AnyZeroFloat()) ||
        !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
      return std::nullopt;
    for (unsigned i : {0, 1})
      if (skipExtension(compare.getLhs()) == body->getArgument(i))
        form.skipsZerosOf = i;
    if (!form.skipsZerosOf)
      return std::nullopt;
    term = select.getFalseValue();
  }
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!product || skipExtension(product.getLhs()) != body->getArgument(0) ||
      skipExtension(product.getRhs()) != body->getArgument(1))
    return std::nullopt;
  return form;
}

bool fa::isZeroFill(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !matchPattern(op.getDpsInputs()[0], m_AnyZeroFloat()))
    return false;
  Block *body = op.getBlock();
  return body->getTerminator()->getOperand(0) == body->getArgument(0);
}
