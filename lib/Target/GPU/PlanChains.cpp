//===- PlanChains.cpp - Loops whose loads form one sequence ---------------===//

#include "PlanPlacement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// True if two values are the same computation, with loop variable `a` in the place of `b`.
static bool isSameValue(Value left, Value right, Value a, Value b) {
  if (left == right || (left == a && right == b))
    return true;
  Operation *leftOp = left.getDefiningOp(), *rightOp = right.getDefiningOp();
  if (!leftOp || !rightOp || leftOp->getName() != rightOp->getName() ||
      leftOp->getAttrDictionary() != rightOp->getAttrDictionary() ||
      leftOp->getNumOperands() != rightOp->getNumOperands() || leftOp->getNumRegions())
    return false;
  return llvm::all_of(llvm::zip(leftOp->getOperands(), rightOp->getOperands()), [&](auto pair) {
    return isSameValue(std::get<0>(pair), std::get<1>(pair), a, b);
  });
}

static bool isSameFoldResult(OpFoldResult left, OpFoldResult right, Value a, Value b) {
  if (isa<Attribute>(left) || isa<Attribute>(right))
    return isEqualConstantIntOrValue(left, right);
  return isSameValue(cast<Value>(left), cast<Value>(right), a, b);
}

/// True if both loads read the same window at equal values of their loop's variable. Sizes are not
/// compared: a tile that is whole in one loop may be ragged in the other.
static bool isSameLoad(Node &left, Node &right, Value a, Value b) {
  if (left.window.tensor != right.window.tensor || left.window.tileDims != right.window.tileDims ||
      left.op->getResult(0).getType() != right.op->getResult(0).getType())
    return false;
  return llvm::all_of(llvm::zip(left.window.offsets, right.window.offsets), [&](auto pair) {
    return isSameFoldResult(std::get<0>(pair), std::get<1>(pair), a, b);
  });
}

static SmallVector<Node *> sharedLoads(Node &loop, const KernelPlan &plan) {
  SmallVector<Node *> loads;
  for (const std::unique_ptr<Node> &node : loop.body)
    if (node->kind == NodeKind::Load && plan.placeOf(node->op->getResult(0)) == Place::Shared)
      loads.push_back(node.get());
  return loads;
}

/// True if `loop` may go on with the tiles of `chain`.
static bool fits(LoopChain &chain, Node &loop, ArrayRef<Node *> loads) {
  scf::ForOp first = chain.loops.front()->loop(), own = loop.loop();
  if (first->getBlock() != own->getBlock() || loads.size() != chain.loads.size() ||
      !isSameValue(first.getStep(), own.getStep(), {}, {}))
    return false;
  for (auto [left, source, right] : llvm::zip(chain.loads, chain.sources, loads))
    if (!isSameLoad(*left, *right, source->loop().getInductionVar(), own.getInductionVar()))
      return false;
  return true;
}

void mlir::fa::chainLoops(const TileGraph &graph, KernelPlan &plan) {
  graph.walk([&](Node &node) {
    if (node.kind != NodeKind::Loop)
      return;
    SmallVector<Node *> loads = sharedLoads(node, plan);
    if (loads.empty())
      return;
    if (plan.chains.empty() || !fits(plan.chains.back(), node, loads)) {
      plan.chains.emplace_back();
      plan.chains.back().loads = loads;
      plan.chains.back().sources.assign(loads.size(), &node);
    }
    LoopChain &chain = plan.chains.back();
    plan.chainOf[&node] = plan.chains.size() - 1;
    chain.loops.push_back(&node);
    // Fetch by the loads that know about ragged tiles.
    for (auto [index, load] : llvm::enumerate(loads))
      if (isa<tensor::PadOp>(load->op) && !isa<tensor::PadOp>(chain.loads[index]->op)) {
        chain.loads[index] = load;
        chain.sources[index] = &node;
      }
  });
}
