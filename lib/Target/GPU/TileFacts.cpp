//===- TileFacts.cpp - What is known about a tile's values ----------------===//

#include "TileFacts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

std::optional<ScaledTile> mlir::fa::findScale(const TileGraph &graph, Value tile) {
  Node *node = graph.definitions.lookup(tile);
  if (!node || node->kind != NodeKind::Map)
    return std::nullopt;
  linalg::GenericOp op = node->generic();
  if (op.getNumDpsInputs() != 1 || op.getNumResults() != 1 ||
      llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) { return !map.isIdentity(); }))
    return std::nullopt;
  auto product = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product || !product.getType().isF32())
    return std::nullopt;
  for (auto [value, factor] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())}) {
    APFloat number(0.0f);
    if (value != op.getBlock()->getArgument(0) || !matchPattern(factor, m_ConstantFloat(&number)))
      continue;
    double scale = number.convertToDouble();
    // Small and large factors would lose bits or overflow when multiplied by another one.
    if (scale > 1e-6 && scale < 1e6)
      return ScaledTile{op.getDpsInputs()[0], scale};
  }
  return std::nullopt;
}

bool Magnitudes::isModerate(Value value) {
  // While a loop-carried value is looked at, it is taken to be moderate.
  auto [it, isNew] = known.try_emplace(value, true);
  if (!isNew)
    return it->second;
  bool result = compute(value);
  return known[value] = result;
}

bool Magnitudes::ofArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(parent))
    return isModerate(generic->getOperand(argument.getArgNumber()));
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop || argument == loop.getInductionVar())
    return false;
  unsigned index = argument.getArgNumber() - 1;
  return isModerate(loop.getInitArgs()[index]) &&
         isModerate(loop.getBody()->getTerminator()->getOperand(index));
}

bool Magnitudes::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  APFloat number(0.0f);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return number.isInfinity() || std::abs(number.convertToDouble()) < 1e30;
  Node *node = graph.definitions.lookup(value);
  if (!node)
    return ofBody(value.getDefiningOp());
  switch (node->kind) {
  case NodeKind::Dot:
    return true;
  case NodeKind::Fill:
    return !node->source || isModerate(node->source);
  case NodeKind::Load:
    return getElementTypeOrSelf(value.getType()).isF16();
  case NodeKind::Map:
    return isModerate(node->generic().getBlock()->getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber()));
  case NodeKind::Reduce:
    return node->combiner != Combiner::Add && isModerate(node->generic().getDpsInputs()[0]) &&
           isModerate(node->generic().getDpsInits()[0]);
  case NodeKind::Loop:
    return isModerate(node->loop().getRegionIterArgs()[cast<OpResult>(value).getResultNumber()]);
  case NodeKind::Store:
    return false;
  }
  return false;
}

/// A handful of operations keep values moderate: a few of them in a row cannot come from 1e30 near
/// 1e38.
bool Magnitudes::ofBody(Operation *op) {
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isModerate(value); });
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp, arith::NegFOp>([&](Operation *) { return all(op->getOperands()); })
      .Case([&](arith::ExtFOp) {
        return op->getOperand(0).getType().isF16() && all(op->getOperands());
      })
      .Case([&](arith::MulFOp) {
        APFloat number(0.0f);
        bool isScale = matchPattern(op->getOperand(1), m_ConstantFloat(&number)) ||
                       matchPattern(op->getOperand(0), m_ConstantFloat(&number));
        return isScale && std::abs(number.convertToDouble()) < 1e6 && all(op->getOperands());
      })
      .Case([&](arith::SelectOp select) {
        return isModerate(select.getTrueValue()) && isModerate(select.getFalseValue());
      })
      .Case<arith::SIToFPOp, arith::UIToFPOp, math::TanhOp>([](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}
