//===- ScoreChain.cpp - Who else needs the scores and the weights ---------===//

#include "ScoreChain.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fa;

/// What `op` reads, in its regions too.
static SmallVector<Value> getReads(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> reads = captured.takeVector();
  llvm::append_range(reads, op->getOperands());
  return reads;
}

/// True if only the shape of the operand is read.
static bool readsShapeOnly(Operation *op) { return isa<tensor::DimOp, shape::ShapeOfOp>(op); }

static bool isReduction(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getNumReductionLoops() > 0;
  return op->getName().getStringRef().starts_with("tosa.reduce");
}

/// A product of two tensors that sums over something.
static bool isContraction(Operation *op) {
  if (op->getName().getStringRef() == "tosa.matmul")
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0 && linalgOp.getNumDpsInputs() >= 2;
}

/// True for an op that has no results and no effect but `cf.assert`: it checks values, and keeps
/// them alive for that only.
static bool onlyAsserts(Operation *op) {
  if (op->getNumResults() != 0 || op->getNumRegions() == 0)
    return false;
  return !op->walk([](Operation *nested) {
              bool isBody = nested->hasTrait<OpTrait::IsTerminator>() ||
                            nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                            isa<linalg::LinalgOp, cf::AssertOp>(nested);
              return isBody || isMemoryEffectFree(nested) ? WalkResult::advance()
                                                          : WalkResult::interrupt();
            }).wasInterrupted();
}

ScoreChain::ScoreChain(const AttentionMatch &match, OpMeaning &meaning)
    : meaning(meaning), deadCode(meaning), block(match.root.getOwner()->getBlock()) {
  collectChain(match.root.getOwner(), match.scoreProduct);
  collectUsers(match.root.getOwner());
}

void ScoreChain::collectChain(Operation *root, Operation *product) {
  Operation *first = product ? block->findAncestorOpInBlock(*product) : nullptr;
  if (!first)
    return;
  // Only what stands between the two products can depend on the first.
  llvm::SetVector<Operation *> reached;
  SmallVector<Operation *> worklist = {root};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!reached.insert(op))
      continue;
    for (Value read : getReads(op)) {
      Operation *source = read.getDefiningOp();
      source = source ? block->findAncestorOpInBlock(*source) : nullptr;
      if (source && (source == first || first->isBeforeInBlock(source)))
        worklist.push_back(source);
    }
  }
  SmallVector<Operation *> ordered = reached.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a != b && a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    if (op != root)
      addToChain(op, op == first);
}

/// A callee may pass on values that have nothing to do with the scores it gets.
bool ScoreChain::dependsThroughCall(OpResult result) {
  Value inner = meaning.getMeaning(result);
  if (!inner)
    return true;
  llvm::SetVector<Value> reached;
  reached.insert(inner);
  for (unsigned i = 0; i < reached.size(); ++i) {
    if (values.contains(meaning.getBound(reached[i])))
      return true;
    if (Operation *op = reached[i].getDefiningOp(); op && meaning.isScratch(reached[i]))
      for (Value read : getReads(op))
        reached.insert(read);
  }
  return false;
}

void ScoreChain::addToChain(Operation *op, bool isFirst) {
  bool depends = isFirst, isRow = true;
  for (Value read : getReads(op)) {
    if (!values.contains(read))
      continue;
    depends = true;
    auto from = dyn_cast<ShapedType>(read.getType());
    auto to = op->getNumResults() ? dyn_cast<ShapedType>(op->getResult(0).getType()) : nullptr;
    bool isSameSize = from && to && from.getNumDynamicDims() == to.getNumDynamicDims() &&
                      (!from.hasStaticShape() || from.getNumElements() == to.getNumElements());
    isRow &= rows.contains(read.getDefiningOp()) && isSameSize;
  }
  if (!depends)
    return;
  chain.insert(op);
  for (OpResult result : op->getResults())
    if (!isa<func::CallOp>(op) || dependsThroughCall(result))
      values.insert(result);
  if (!isFirst && (isRow || isReduction(op)))
    rows.insert(op);
}

void ScoreChain::collectUsers(Operation *root) {
  for (Operation *op : chain)
    for (OpResult result : op->getResults()) {
      if (rows.contains(op) || !values.contains(result))
        continue;
      for (Operation *user : result.getUsers()) {
        Operation *ancestor = block->findAncestorOpInBlock(*user);
        if (ancestor && ancestor != root && !chain.contains(ancestor) &&
            !readsShapeOnly(ancestor) && !deadCode.isUnused(ancestor))
          users.insert(ancestor);
      }
    }
}

Operation *ScoreChain::findRowUser(const llvm::SetVector<Operation *> &roots) {
  for (Operation *op : rows)
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (ancestor && !chain.contains(ancestor) && !roots.contains(ancestor) &&
          !readsShapeOnly(ancestor) && !deadCode.isUnused(ancestor))
        return ancestor;
    }
  return nullptr;
}

Operation *ScoreChain::findEscape(const llvm::SetVector<Operation *> &roots) {
  llvm::DenseSet<Operation *> derived;
  SmallVector<Operation *> worklist(users.begin(), users.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (roots.contains(op) || readsShapeOnly(op) || isContraction(op) || deadCode.isUnused(op) ||
        !derived.insert(op).second)
      continue;
    if (onlyAsserts(op))
      continue;
    if (!deadCode.isPure(op))
      return op;
    // An op that takes other data in computes something of its own: a gradient, not the weights.
    bool takesOther = llvm::any_of(getReads(op), [&](Value read) {
      Operation *source = read.getDefiningOp();
      bool isFresh = source && (isa<tensor::EmptyOp, linalg::FillOp>(source) ||
                                source->hasTrait<OpTrait::ConstantLike>());
      bool isOurs = values.contains(read) || (source && derived.contains(source));
      return isa<RankedTensorType>(read.getType()) && !isFresh && !isOurs;
    });
    if (!takesOther)
      for (Operation *user : op->getUsers()) {
        Operation *ancestor = block->findAncestorOpInBlock(*user);
        worklist.push_back(ancestor ? ancestor : user);
      }
  }
  return nullptr;
}
