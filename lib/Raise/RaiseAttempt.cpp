//===- RaiseAttempt.cpp - One value, asked whether it is attention --------===//

#include "RaiseAttempt.h"
#include "RowResults.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fa;

RaiseAttempt::RaiseAttempt(OpResult root, OpMeaning &meaning, bool keepGathers,
                           const llvm::SetVector<Operation *> *roots)
    : exprs(root.getContext()), tracer(exprs, meaning, keepGathers) {
  AttentionMatcher matcher(tracer);
  FailureOr<AttentionMatch> found = matcher.match(root);
  normalisation = matcher.normalisation;
  isUnnormalised = matcher.isUnnormalised;
  isBareExponential = matcher.isBareExponential;
  if (failed(found)) {
    mismatch = matcher.mismatch;
    return;
  }
  if (failed(check(*found)) || failed(checkReads(*found)))
    return;
  if (roots) {
    ScoreChain chain(*found, meaning);
    freesScores = RowResults(tracer, *found, chain, *roots).find(found->rows);
    rowUser = freesScores ? nullptr : chain.findRowUser(*roots);
  }
  if (failed(splitAtoms(exprs, *found, mismatch)))
    return;
  bindUnitAtoms(exprs, *found);
  FailureOr<LoopDims> chosen = chooseDims(exprs, *found, mismatch);
  if (failed(chosen))
    return;
  dims = std::move(*chosen);
  auto countDims = [](ArrayRef<Expr> indices) {
    int64_t count = 0;
    for (Expr index : indices)
      count += index->kind == ExprKind::Linear ? index->operands.size() : 1;
    return count;
  };
  auto countOperandDims = [&](Expr e) {
    return e->kind == ExprKind::Load ? countDims(e->operands) : llvm::popcount(e->atoms);
  };
  for (int64_t count : {countOperandDims(found->query), countOperandDims(found->key),
                        countOperandDims(found->value), countDims(found->output)})
    if (count > 8) {
      mismatch = {"an operand has more than 8 dimensions", root.getOwner()};
      return;
    }
  match = std::move(*found);
}

LogicalResult RaiseAttempt::check(const AttentionMatch &found) {
  ScoreChain chain(found, tracer.meaning);
  uint64_t keys = 0;
  for (Expr key : found.keys)
    keys |= key->atoms;
  for (Expr load : getRegionLoads(found, /*nested=*/true)) {
    Operation *source = load->value.getDefiningOp();
    bool isScratch = tracer.meaning.isScratch(load->value);
    Value value = isScratch ? tracer.meaning.getOrigin(source)->getResult(0) : load->value;
    if (chain.dependsOnScores(value)) {
      mismatch = {"the scores or weights depend on a reduction of the scores themselves", source};
      return failure();
    }
  }
  AttentionMatch weightsOnly = found;
  weightsOnly.score = found.probability;
  weightsOnly.sink = nullptr;
  for (Expr load : getRegionLoads(weightsOnly))
    if (linalg::LinalgOp op = tracer.getReductionOp(load))
      if (op.getNumDpsInputs() >= 2 && (load->atoms & keys)) {
        mismatch = {"the weights are multiplied by another product, as in a gradient", op};
        return failure();
      }
  return success();
}

/// True if `op` may write to memory.
static bool mayWrite(Operation *op, DeadCode &deadCode) {
  if (isa<cf::AssertOp>(op) || deadCode.isPure(op))
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect());
  });
}

LogicalResult RaiseAttempt::checkReads(const AttentionMatch &found) {
  DeadCode deadCode(tracer.meaning);
  Operation *root = found.root.getOwner();
  for (Expr load : getAllLoads(found)) {
    auto view = load->value.getDefiningOp<bufferization::ToTensorOp>();
    if (!view)
      continue;
    // The tensor is what the buffer holds where it is read first; a callee may read at any time.
    Operation *first = tracer.meaning.isScratch(view) ? &root->getBlock()->front() : root;
    for (Operation *user : view->getUsers())
      if (Operation *at = root->getBlock()->findAncestorOpInBlock(*user))
        first = at->isBeforeInBlock(first) ? at : first;
    for (Operation *op = first; op != root; op = op->getNextNode())
      if (mayWrite(op, deadCode)) {
        mismatch = {"a buffer that an operand is a view of may be overwritten before the second "
                    "product",
                    op};
        return failure();
      }
  }
  return success();
}

AttentionOp RaiseAttempt::build() {
  OpBuilder builder(match->root.getOwner());
  AttentionBuilder attention(builder, tracer, *match, dims);
  Value replacement = attention.build();
  OpResult root = match->root;
  for (const RowResult &row : match->rows) {
    Value value = row.place->value;
    // What stands before is part of the softmax, and goes with it.
    value.replaceUsesWithIf(attention.buildRow(row), [&](OpOperand &use) {
      Operation *user = root.getOwner()->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user && root.getOwner()->isBeforeInBlock(user);
    });
  }
  root.replaceAllUsesWith(replacement);
  return attention.getOp();
}

/// True if `e` compares positions along `keys` with something.
static bool comparesPositions(Expr e, uint64_t keys, llvm::DenseSet<Expr> &seen) {
  if (!seen.insert(e).second || e->kind != ExprKind::Apply)
    return false;
  if (e->isOp("arith.cmpi") && (e->atoms & keys))
    for (Expr operand : e->operands)
      if (operand->type.isIndex() || operand->isOp("arith.index_cast"))
        return true;
  return llvm::any_of(e->operands,
                      [&](Expr operand) { return comparesPositions(operand, keys, seen); });
}

/// The constant that the score is multiplied with before anything else happens to it.
static std::optional<double> findScale(Expr e, Expr marker, llvm::DenseSet<Expr> &seen) {
  if (!seen.insert(e).second)
    return std::nullopt;
  bool isProduct = e->isOp("arith.mulf");
  if ((isProduct || e->isOp("arith.divf")) && e->operands[0] == marker)
    if (std::optional<double> constant = e->operands[1]->getFloat())
      return isProduct ? *constant : 1 / *constant;
  for (Expr operand : e->operands)
    if (std::optional<double> scale = findScale(operand, marker, seen))
      return scale;
  return std::nullopt;
}

std::string RaiseAttempt::describe() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto print = [&](StringRef name, DimRole role) {
    stream << name;
    bool isFirst = true;
    for (auto [atom, atomRole] : llvm::zip_equal(dims.atoms, dims.roles)) {
      if (atomRole != role)
        continue;
      std::optional<int64_t> size = exprs.getAtomSize(atom->number)->getInt();
      stream << (isFirst ? " " : "x");
      size ? stream << *size : stream << "?";
      isFirst = false;
    }
    if (isFirst)
      stream << " 1";
  };
  print("batch", DimRole::batch);
  print(", queries", DimRole::query);
  print(", keys", DimRole::key);
  print(", head dim", DimRole::head_dim);
  print(", value dim", DimRole::value_dim);
  if (match->query->kind == ExprKind::Load)
    stream << ", " << getElementTypeOrSelf(match->query->value.getType());
  llvm::DenseSet<Expr> seen, seenToo;
  if (std::optional<double> scale = findScale(match->score, exprs.marker(1), seen))
    stream << "; scale " << llvm::format("%.6g", *scale);
  uint64_t keys = 0;
  for (Expr key : match->keys)
    keys |= key->atoms;
  if (comparesPositions(match->score, keys, seenToo))
    stream << "; masked by position";
  unsigned extras = getRegionLoads(*match).size() - (match->sink ? 1 : 0);
  if (extras)
    stream << "; " << extras << " mask or bias operand" << (extras > 1 ? "s" : "");
  if (match->sink)
    stream << "; sink";
  if (match->probability->kind != ExprKind::Marker)
    stream << "; weights changed after the softmax";
  if (match->isGuarded)
    stream << "; rows without keys give 0";
  if (llvm::any_of(match->rows, [](const RowResult &row) { return row.lse != 0; }))
    stream << "; gives the log-sum-exp";
  if (llvm::any_of(match->rows, [](const RowResult &row) { return row.max != 0; }))
    stream << "; gives the row maximum";
  if (rowUser)
    stream << "; the scores are computed apart as well: '" << rowUser->getName()
           << "' needs their row statistics";
  return text;
}
