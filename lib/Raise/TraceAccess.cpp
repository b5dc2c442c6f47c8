//===- TraceAccess.cpp - From a tensor element to what computes it --------===//

#include "TraceAccess.h"
#include "AccessLayout.h"
#include "TraceBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

Expr Tracer::access(Value tensor, ArrayRef<Expr> indices) {
  return exprs.load(meaning.getBound(tensor), indices);
}

Expr Tracer::expand(Expr load) {
  auto [entry, isNew] = expanded.try_emplace(load, nullptr);
  if (!isNew)
    return entry->second;
  auto result = dyn_cast<OpResult>(load->value);
  Expr e = nullptr;
  if (result && !exprs.isExhausted()) {
    e = expandOp(result.getOwner(), result.getResultNumber(), load->operands);
    if (!e)
      if (Value value = meaning.getMeaning(result))
        e = access(value, load->operands);
  }
  return expanded[load] = e;
}

Expr Tracer::toHead(Expr e) {
  while (e->kind == ExprKind::Load) {
    Expr next = expand(e);
    if (!next)
      break;
    e = next;
  }
  return e;
}

bool Tracer::isViewable(Expr load) {
  return isa<RankedTensorType>(load->value.getType()) && getLayout(exprs, load).has_value();
}

Expr Tracer::resolve(Expr e) {
  Expr result = tryResolve(e);
  return result ? result : e;
}

/// True if an index was read from a tensor.
static bool usesData(ArrayRef<Expr> indices) {
  return llvm::any_of(indices,
                      [](Expr e) { return e->kind == ExprKind::Load || usesData(e->operands); });
}

Expr Tracer::tryResolve(Expr e) {
  if (e->kind != ExprKind::Load && e->kind != ExprKind::Apply)
    return e;
  auto known = resolved.find(e);
  if (known != resolved.end())
    return known->second;
  Expr result = nullptr;
  if (e->kind == ExprKind::Load) {
    if (Expr next = expand(e))
      result = tryResolve(next);
    bool isLeaf = keepGathers || (getReductionOp(e) && !usesData(e->operands)) ||
                  (isViewable(e) && !meaning.isScratch(e->value));
    if (!result && isLeaf)
      result = e;
  } else {
    Indices operands;
    for (Expr operand : e->operands)
      if (Expr inner = tryResolve(operand))
        operands.push_back(inner);
    if (operands.size() == e->operands.size())
      result = exprs.apply(e->name, cast<DictionaryAttr>(e->attr), operands, e->type);
  }
  return resolved[e] = result;
}

linalg::LinalgOp Tracer::getReductionOp(Expr load) {
  if (load->kind != ExprKind::Load)
    return nullptr;
  auto op = load->value.getDefiningOp<linalg::LinalgOp>();
  return op && op.getNumReductionLoops() > 0 && !expand(load) ? op : nullptr;
}

SmallVector<Expr> Tracer::getReductionSizes(linalg::LinalgOp op) {
  SmallVector<Expr> reductionSizes;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    Expr found = nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      Expr wanted = nullptr;
      if (auto position = map.getResultPosition(getAffineDimExpr(loop, exprs.getContext())))
        wanted = size(operand.get(), *position);
      if (wanted && (!found || wanted->getInt()))
        found = wanted;
    }
    reductionSizes.push_back(found);
  }
  return reductionSizes;
}

SmallVector<Expr> Tracer::makeReductionIndices(ArrayRef<Expr> sizes, SmallVectorImpl<Expr> &atoms) {
  bool isAllUnit = llvm::all_of(sizes, [](Expr size) { return size->getInt() == 1; });
  SmallVector<Expr> indices(sizes.size(), exprs.index(0));
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size->getInt() != 1 || (isAllUnit && i + 1 == sizes.size())) {
      indices[i] = exprs.atom(size);
      atoms.push_back(indices[i]);
    }
  return indices;
}

/// True if `e` depends on `part`.
static bool contains(Expr e, Expr part, llvm::DenseSet<Expr> &seen) {
  if (e == part)
    return true;
  if (!seen.insert(e).second)
    return false;
  return llvm::any_of(e->operands, [&](Expr operand) { return contains(operand, part, seen); });
}

static bool contains(Expr e, Expr part) {
  llvm::DenseSet<Expr> seen;
  return contains(e, part, seen);
}

/// `e` without its addend `marker`; null if `e` is no sum with `marker` once.
static Expr removeAddend(ExprContext &exprs, Expr e, Expr marker) {
  if (e == marker)
    return exprs.constant(0.0);
  bool isSum = e->isOp("arith.addf"), isDifference = e->isOp("arith.subf");
  if (!isSum && !isDifference)
    return nullptr;
  bool isLeft = contains(e->operands[0], marker), isRight = contains(e->operands[1], marker);
  if (isLeft == isRight || (isDifference && isRight))
    return nullptr;
  Expr with = e->operands[isLeft ? 0 : 1], without = e->operands[isLeft ? 1 : 0];
  Expr rest = removeAddend(exprs, with, marker);
  if (!rest)
    return nullptr;
  return exprs.apply(isSum ? "arith.addf" : "arith.subf", {rest, without});
}

std::optional<Reduction> Tracer::open(Expr load, ArrayRef<Expr> reductionIndices) {
  linalg::LinalgOp op = getReductionOp(load);
  unsigned result = cast<OpResult>(load->value).getResultNumber();
  FailureOr<Indices> loops = invertMap(op, result, load->operands, reductionIndices);
  Body body;
  if (failed(loops) || failed(enterBody(op, *loops, body)))
    return std::nullopt;
  OpOperand *initOperand = op.getDpsInitOperand(result);
  BlockArgument accumulator = op.getMatchingBlockArgument(initOperand);
  Expr init = body.values[accumulator], marker = exprs.scalar(accumulator);
  // The other accumulators have no value before the reduction ends.
  for (BlockArgument other : op.getRegionOutputArgs())
    body.values.erase(other);
  body.values[accumulator] = marker;
  Expr yielded = evaluate(op.getBlock()->getTerminator()->getOperand(result), body);
  if (!yielded || yielded->kind != ExprKind::Apply)
    return std::nullopt;
  Reduction reduction = {op, yielded->name.getValue(), nullptr, init};
  if (yielded->isOp("arith.addf") || yielded->isOp("arith.subf")) {
    reduction.combiner = "arith.addf";
    reduction.body = removeAddend(exprs, yielded, marker);
  } else if (yielded->operands.size() == 2) {
    for (unsigned i : {0, 1})
      if (yielded->operands[i] == marker && !contains(yielded->operands[1 - i], marker))
        reduction.body = yielded->operands[1 - i];
  }
  if (!reduction.body)
    return std::nullopt;
  return reduction;
}

FailureOr<Tracer::Indices> Tracer::invertMap(linalg::LinalgOp op, unsigned result,
                                             ArrayRef<Expr> indices, ArrayRef<Expr> others) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  Indices loops(op.getNumLoops(), nullptr);
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), indices)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (loops[dim.getPosition()])
        return failure();
      loops[dim.getPosition()] = index;
    } else if (!isa<AffineConstantExpr>(expr)) {
      return failure();
    }
  }
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (loops[loop])
      continue;
    if (kind == utils::IteratorType::reduction && !others.empty()) {
      loops[loop] = others.front();
      others = others.drop_front();
    } else if (ranges[loop] == 1) {
      loops[loop] = exprs.index(0);
    } else {
      return failure();
    }
  }
  return loops;
}

void Tracer::equateSizes(linalg::LinalgOp op) {
  if (!equated.insert(op).second || !op.hasDynamicShape())
    return;
  SmallVector<Expr> loopSizes(op.getNumLoops(), nullptr);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        Expr &known = loopSizes[dim.getPosition()], found = size(operand.get(), i);
        if (known)
          exprs.equate(known, found);
        known = found;
      }
  }
}

Expr Tracer::expandLinalg(linalg::LinalgOp op, unsigned result, ArrayRef<Expr> indices) {
  equateSizes(op);
  if (op.getNumReductionLoops() > 0) {
    // A reduction loop of size 1 that accumulates nothing is only a loop.
    BlockArgument accumulator = op.getMatchingBlockArgument(op.getDpsInitOperand(result));
    if (!accumulator.use_empty())
      return nullptr;
  }
  FailureOr<Indices> loops = invertMap(op, result, indices, {});
  Body body;
  if (failed(loops) || failed(enterBody(op, *loops, body)))
    return nullptr;
  return evaluate(op.getBlock()->getTerminator()->getOperand(result), body);
}

Expr Tracer::expandElementwise(Operation *op, ArrayRef<Expr> indices) {
  Indices operands;
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(access(operand, indices));
    else if (Expr scalar = evaluate(operand))
      operands.push_back(scalar);
    else
      return nullptr;
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return applyOp(exprs, op, operands, element);
}

Expr Tracer::expandOp(Operation *op, unsigned result, ArrayRef<Expr> indices) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics() ? expandLinalg(linalgOp, result, indices) : nullptr;
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return expandConstant(op->getResult(0), constant, indices);
  if (Expr e = expandShapeOp(op, indices))
    return e;
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return expandElementwise(op, indices);
  return nullptr;
}
