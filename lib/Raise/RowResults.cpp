//===- RowResults.cpp - Row statistics that are used elsewhere ------------===//

#include "RowResults.h"
#include "AccessLayout.h"

using namespace mlir;
using namespace mlir::fa;

/// How many ops that follow from the scores are looked at, and how many loop indices there may be:
/// each value takes some.
static constexpr unsigned kMaxOps = 32, kMaxAtoms = 56;

RowResults::RowResults(Tracer &tracer, const AttentionMatch &match, const ScoreChain &chain,
                       const llvm::SetVector<Operation *> &roots)
    : tracer(tracer), exprs(tracer.exprs), match(match), chain(chain), roots(roots),
      deadCode(tracer.meaning), softmax(tracer, match.keys) {
  collectLoads(match.scores, scoreLoads);
}

bool RowResults::find(SmallVectorImpl<RowResult> &rows) {
  for (Value value : chain.getValues())
    for (Operation *user : value.getUsers())
      if (needs(user) && !canReplace(value, user))
        return false;
  for (auto &[value, row] : replaced)
    rows.push_back(row);
  return true;
}

/// True if `user` lives on when attention has replaced the roots.
bool RowResults::needs(Operation *user) {
  if (chain.contains(user) || roots.contains(user) || deadCode.isUnused(user))
    return false;
  return isNeeded(user);
}

bool RowResults::isNeeded(Operation *op) {
  auto [entry, isNew] = needed.try_emplace(op, true);
  if (!isNew || needed.size() > kMaxOps || op->getBlock() != chain.getBlock() ||
      !deadCode.isPure(op))
    return entry->second;
  for (OpResult result : op->getResults())
    for (Operation *user : result.getUsers())
      if (needs(user) && !canReplace(result, user))
        return true;
  return needed[op] = false;
}

bool RowResults::canReplace(Value value, Operation *user) {
  Operation *root = match.root.getOwner(), *at = chain.getBlock()->findAncestorOpInBlock(*user);
  if (!at || !root->isBeforeInBlock(at))
    return false;
  auto [entry, isNew] = described.try_emplace(value);
  if (isNew) {
    std::optional<RowResult> row = describe(value);
    described[value] = row;
    if (row)
      replaced[value] = *row;
  }
  return described[value].has_value();
}

std::optional<RowResult> RowResults::describe(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<FloatType>(type.getElementType()) ||
      exprs.getNumAtoms() + type.getRank() > kMaxAtoms)
    return std::nullopt;
  SmallVector<Expr> indices;
  for (int64_t i = 0; i < type.getRank(); ++i)
    indices.push_back(type.getDimSize(i) == 1 ? exprs.index(0) : exprs.atom(tracer.size(value, i)));
  Expr element = tracer.resolve(tracer.access(value, indices));
  llvm::DenseMap<Expr, Expr> atoms;
  if (!unify(element, atoms))
    return std::nullopt;
  for (Expr &index : indices)
    if (!index->getInt()) {
      index = atoms.lookup(index);
      if (!index)
        return std::nullopt;
    }
  SoftmaxMatch matched;
  matched.scores = match.scores;
  matched.sink = match.sink;
  matched.isGuarded = match.isGuarded;
  std::optional<RowValue> row = softmax.describeRow(exprs.substitute(element, atoms), matched);
  if (!row)
    return std::nullopt;
  RowResult result = {exprs.load(value, indices), row->max, row->lse};
  if (!getLayout(exprs, result.place))
    return std::nullopt;
  return result;
}

/// Notes that the fresh index `from` reads where `to` does: values of digits of fresh atoms.
static void unifyIndex(ExprContext &exprs, Expr from, Expr to,
                       llvm::MapVector<Expr, Expr> &digits) {
  if (from->kind == ExprKind::Linear) {
    for (auto [atom, stride] : llvm::zip_equal(from->operands, from->coefficients)) {
      std::optional<int64_t> size =
          atom->kind == ExprKind::Atom ? exprs.getAtomSize(atom->number)->getInt() : std::nullopt;
      if (stride > 0 && size)
        digits.insert({atom, exprs.mod(exprs.floorDiv(to, stride), *size)});
    }
    return;
  }
  digits.insert({from, to});
}

void RowResults::unifyScores(Expr statistic, llvm::MapVector<Expr, Expr> &digits) {
  SmallVector<Expr> sizes = tracer.getReductionSizes(tracer.getReductionOp(statistic)), keys;
  if (exprs.getNumAtoms() + sizes.size() > kMaxAtoms)
    return;
  SmallVector<Expr> indices = tracer.makeReductionIndices(sizes, keys);
  std::optional<Reduction> reduction = tracer.open(statistic, indices);
  if (!reduction)
    return;
  llvm::SetVector<Expr> loads;
  collectLoads(tracer.resolve(reduction->body), loads);
  for (Expr load : loads)
    for (Expr known : scoreLoads)
      if (load->value == known->value)
        for (auto [from, to] : llvm::zip_equal(load->operands, known->operands))
          unifyIndex(exprs, from, to, digits);
}

bool RowResults::unify(Expr e, llvm::DenseMap<Expr, Expr> &atoms) {
  llvm::SetVector<Expr> loads;
  llvm::MapVector<Expr, Expr> digits, sums;
  collectLoads(e, loads);
  for (Expr load : loads)
    if (tracer.getReductionOp(load))
      unifyScores(load, digits);
  // An atom is known as a whole, or by its digits.
  for (auto [index, value] : digits) {
    if (index->kind == ExprKind::Atom) {
      atoms[index] = value;
      continue;
    }
    std::optional<Digit> digit = getDigit(exprs, index);
    if (!digit)
      continue;
    Expr &sum = sums[exprs.getAtom(digit->atom)];
    sum = exprs.add(sum ? sum : exprs.index(0), exprs.scale(value, digit->divisor));
  }
  for (auto [atom, sum] : sums)
    atoms.insert({atom, sum});
  return !atoms.empty();
}
