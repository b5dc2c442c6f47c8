//===- SoftmaxRows.cpp - Row values in terms of LSE and row maximum -------===//

#include "MatchSoftmax.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fa;

/// a + factor·b.
static RowValue add(RowValue a, double factor, const RowValue &b) {
  a.max += factor * b.max;
  a.lse += factor * b.lse;
  a.finiteMax += factor * b.finiteMax;
  a.ignoresNaN |= b.ignoresNaN;
  a.isNaNIfEmpty |= b.isNaNIfEmpty;
  return a;
}

static bool isZero(double factor) { return std::fabs(factor) < 1e-6; }

/// True if a score may be -inf for another reason than an infinite query or key.
bool SoftmaxMatcher::mayBeMasked(Expr e) {
  if (e->kind == ExprKind::Load)
    return !tracer.getReductionOp(e);
  if (std::optional<double> constant = e->getFloat())
    return std::isinf(*constant);
  return e->isOp("arith.select") ||
         llvm::any_of(e->operands, [&](Expr operand) { return mayBeMasked(operand); });
}

std::optional<RowValue> SoftmaxMatcher::describeMax(Expr row, bool hasSink) {
  if (sink && !hasSink && (row->isOp("arith.maximumf") || row->isOp("arith.maxnumf")))
    for (unsigned i : {0, 1})
      if (row->operands[1 - i] == sink)
        return describeMax(row->operands[i], /*hasSink=*/true);
  if (getStatistic(row).kind != Statistic::Max)
    return std::nullopt;
  for (const Statistic &opening : statisticsOf[row]) {
    SmallVector<std::pair<double, Expr>> rows;
    double ratio;
    bool isExact = opening.startsAtInfinity || !mayBeMasked(scores);
    if (!opening.problem.empty() || !isExact || !isShiftOfScores(opening, ratio, rows) ||
        !rows.empty())
      continue;
    bool hasExtra = opening.extra != nullptr;
    if ((hasExtra && (hasSink || opening.extra != sink)) || (sink && !hasSink && !hasExtra) ||
        (sink && ratio != 1))
      continue;
    RowValue value;
    value.max = ratio;
    value.ignoresNaN = opening.ignoresNaN;
    return value;
  }
  return std::nullopt;
}

std::optional<RowValue> SoftmaxMatcher::describeSum(ArrayRef<std::pair<double, Expr>> terms) {
  RowValue sum;
  for (auto [factor, term] : terms) {
    std::optional<RowValue> value = describeRow(term);
    if (!value)
      return std::nullopt;
    sum = add(sum, factor, *value);
  }
  return sum;
}

/// log Σ exp(S + r) is LSE + r for any r that is the same for the whole row.
std::optional<RowValue> SoftmaxMatcher::describeLog(Expr sum) {
  while (sum->isOp("math.absf"))
    sum = sum->operands[0];
  Expr extra = nullptr;
  if (sum->isOp("arith.addf"))
    for (unsigned i : {0, 1})
      if (sum->operands[i]->isOp("math.exp")) {
        extra = sum->operands[i]->operands[0];
        sum = sum->operands[1 - i];
        break;
      }
  if (getStatistic(sum).kind != Statistic::Sum)
    return std::nullopt;
  for (const Statistic &opening : statisticsOf[sum]) {
    SmallVector<std::pair<double, Expr>> rows, sinkRows;
    Expr body = stripRows(opening.body, 1, rows), logit = opening.extra ? opening.extra : extra;
    if (opening.condition)
      body = exprs.select(opening.condition, body, exprs.constant(-INFINITY));
    Expr value = logit ? stripRows(logit, 1, sinkRows) : nullptr;
    bool hasBoth = opening.extra && extra;
    if (!opening.problem.empty() || body != scores || value != sink || hasBoth ||
        (sink && sinkRows != rows))
      continue;
    std::optional<RowValue> shift = describeSum(rows);
    if (!shift || !isZero(shift->lse))
      return std::nullopt;
    shift->lse = 1;
    // exp(-inf - -inf) is NaN unless the sum leaves the key out.
    shift->isNaNIfEmpty = !isZero(shift->max) && !opening.condition;
    return shift;
  }
  return std::nullopt;
}

std::optional<RowValue> SoftmaxMatcher::describeRow(Expr row) {
  if (row->isOp("arith.addf") || row->isOp("arith.subf"))
    return describeSum(
        {{1, row->operands[0]}, {row->isOp("arith.subf") ? -1 : 1, row->operands[1]}});
  if (row->isOp("arith.negf"))
    return describeSum({{-1, row->operands[0]}});
  if (row->isOp("arith.mulf") || row->isOp("arith.divf")) {
    std::optional<double> constant = row->operands[1]->getFloat();
    if (!constant || *constant == 0 || !std::isfinite(*constant))
      return std::nullopt;
    return describeSum({{row->isOp("arith.mulf") ? *constant : 1 / *constant, row->operands[0]}});
  }
  // M where it is finite and 0 elsewhere.
  if (row->isOp("arith.select"))
    for (unsigned i : {1, 2}) {
      std::optional<RowValue> value = describeMax(row->operands[i], /*hasSink=*/false);
      if (!value || !row->operands[3 - i]->isFloat(0))
        continue;
      llvm::DenseMap<Expr, Expr> empty = {{row->operands[i], exprs.constant(-INFINITY)}};
      std::optional<int64_t> condition = exprs.substitute(row->operands[0], empty)->getInt();
      if (condition != (i == 1 ? 0 : 1))
        return std::nullopt;
      value->finiteMax = std::exchange(value->max, 0);
      return value;
    }
  if (row->isOp("math.log"))
    return describeLog(row->operands[0]);
  return describeMax(row, /*hasSink=*/false);
}

std::optional<RowValue> SoftmaxMatcher::describeRow(Expr row, const SoftmaxMatch &softmax) {
  scores = softmax.scores;
  sink = softmax.sink;
  std::optional<RowValue> value = describeRow(row);
  if (!value || !isZero(value->finiteMax))
    return std::nullopt;
  // One result each: a difference of both would cancel.
  bool isMax = isZero(value->lse), isLse = isZero(value->max);
  if (isMax == isLse || (isMax && value->ignoresNaN))
    return std::nullopt;
  // In rows without a key LSE is NaN or -inf as `isGuarded` says.
  if (isLse && mayBeMasked(scores) && value->isNaNIfEmpty == softmax.isGuarded)
    return std::nullopt;
  return value;
}
