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

/// A multiplication, or a selection of 0 where `guard`, one of its factors, is 0.
struct Product {
  arith::MulFOp mul;
  Value guard;
};

static Product findProduct(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
    return {value.getDefiningOp<arith::MulFOp>(), {}};
  auto product = select.getFalseValue().getDefiningOp<arith::MulFOp>();
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  bool isZeroTest = product && compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                    llvm::is_contained(product->getOperands(), compare.getLhs()) &&
                    matchPattern(compare.getRhs(), m_AnyZeroFloat());
  return isZeroTest ? Product{product, compare.getLhs()} : Product();
}

std::optional<MultiplyAdd> mlir::fa::matchMultiplyAdd(Block &body) {
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  BlockArgument a = body.getArgument(0), b = body.getArgument(1), acc = body.getArgument(2);
  for (auto [left, right] :
       {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    Product product = findProduct(left);
    if (!product.mul || right != acc)
      continue;
    Value first = product.mul.getLhs(), second = product.mul.getRhs();
    bool isPlain = isWidened(first, a) && isWidened(second, b);
    if (!isPlain && !(isWidened(first, b) && isWidened(second, a)))
      return std::nullopt;
    MultiplyAdd match;
    if (product.guard)
      match.guard = isWidened(product.guard, a) ? 0 : 1;
    return match;
  }
  return std::nullopt;
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
