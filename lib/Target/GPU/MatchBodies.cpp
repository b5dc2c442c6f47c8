//===- MatchBodies.cpp - What the body of a tile op computes --------------===//

#include "MatchBodies.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

/// True if `value` is `argument`, possibly widened.
static bool isWidened(Value value, BlockArgument argument) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value == argument;
}

/// The product in `value`: the multiplication itself, or a selection of 0 where a factor is 0.
static arith::MulFOp findProduct(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
    return value.getDefiningOp<arith::MulFOp>();
  auto product = select.getFalseValue().getDefiningOp<arith::MulFOp>();
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  bool isZeroTest = product && compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                    llvm::is_contained(product->getOperands(), compare.getLhs()) &&
                    matchPattern(compare.getRhs(), m_AnyZeroFloat());
  return isZeroTest ? product : arith::MulFOp();
}

bool mlir::fa::isMultiplyAdd(Block &body) {
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  BlockArgument a = body.getArgument(0), b = body.getArgument(1), acc = body.getArgument(2);
  for (auto [left, right] :
       {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    arith::MulFOp mul = findProduct(left);
    if (!mul || right != acc)
      continue;
    return (isWidened(mul.getLhs(), a) && isWidened(mul.getRhs(), b)) ||
           (isWidened(mul.getLhs(), b) && isWidened(mul.getRhs(), a));
  }
  return false;
}

std::optional<Combiner> mlir::fa::findCombiner(Block &body) {
  Operation *combine = body.getTerminator()->getOperand(0).getDefiningOp();
  bool isPlain = combine && combine->getNumOperands() == 2 &&
                 llvm::is_contained(combine->getOperands(), body.getArgument(0)) &&
                 llvm::is_contained(combine->getOperands(), body.getArgument(1));
  if (!isPlain)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(combine)
      .Case([](arith::AddFOp) { return Combiner::Add; })
      .Case([](arith::MaximumFOp) { return Combiner::Max; })
      .Case([](arith::MaxNumFOp) { return Combiner::MaxNum; })
      .Case([](arith::MinimumFOp) { return Combiner::Min; })
      .Case([](arith::MinNumFOp) { return Combiner::MinNum; })
      .Default([](Operation *) { return std::nullopt; });
}
