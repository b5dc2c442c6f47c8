//===- MatchSoftmax.cpp - Weights that are a softmax over the keys --------===//

#include "MatchSoftmax.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fa;

SoftmaxMatcher::SoftmaxMatcher(Tracer &tracer, ArrayRef<Expr> keys)
    : tracer(tracer), exprs(tracer.exprs), keys(keys) {
  for (Expr key : keys)
    keyAtoms |= key->atoms;
}

LogicalResult SoftmaxMatcher::fail(const Twine &text, Operation *at) {
  if (mismatch.text.empty())
    mismatch = {text.str(), at};
  return failure();
}

/// The predicate of a floating-point comparison.
static arith::CmpFPredicate getPredicate(Expr compare) {
  return arith::CmpFPredicate(
      cast<DictionaryAttr>(compare->attr).getAs<IntegerAttr>("predicate").getInt());
}

/// True if `condition` holds only for values of `value` that a weight never takes, or for NaN.
bool SoftmaxMatcher::isReplacement(Expr condition, Expr value) {
  if (!condition->isOp("arith.cmpf"))
    return false;
  // Replacements may follow one another: all test the weight itself.
  while (true) {
    value = tracer.toHead(value);
    if (!value->isOp("arith.select") ||
        !isReplacement(tracer.toHead(value->operands[0]), value->operands[2]))
      break;
    value = value->operands[2];
  }
  if (tracer.resolve(condition->operands[0]) != tracer.resolve(value))
    return false;
  using P = arith::CmpFPredicate;
  P predicate = getPredicate(condition);
  bool isSelf = condition->operands[0] == condition->operands[1];
  std::optional<double> bound = tracer.toHead(condition->operands[1])->getFloat();
  return (isSelf && (predicate == P::UNO || predicate == P::UNE)) ||
         (bound && std::isinf(*bound) && predicate == P::OEQ);
}

void SoftmaxMatcher::flatten(Expr e, WeightFactors &factors, bool isDenominator) {
  e = tracer.toHead(e);
  if (e->isOp("arith.mulf") || e->isOp("arith.divf")) {
    flatten(e->operands[0], factors, isDenominator);
    flatten(e->operands[1], factors, isDenominator != e->isOp("arith.divf"));
    return;
  }
  // A power of a constant is an exponential, once the constant is known to be one.
  if (e->isOp("math.powf"))
    e = exprs.apply("math.powf", {tracer.resolve(e->operands[0]), e->operands[1]});
  if (e->isOp("math.exp") && !isDenominator) {
    factors.hasSeveralExponents |= factors.exponent != nullptr;
    factors.exponent = e->operands[0];
    return;
  }
  if (e->isOp("arith.select") && !isDenominator) {
    Expr condition = tracer.toHead(e->operands[0]);
    auto isZero = [&](Expr value) { return tracer.resolve(value)->isFloat(0); };
    Expr whenTrue = e->operands[1], whenFalse = e->operands[2];
    if (isReplacement(condition, whenFalse)) {
      factors.replacesNaN |= condition->operands[0] == condition->operands[1] && isZero(whenTrue);
      return flatten(whenFalse, factors);
    }
    if (isZero(whenFalse) || isZero(whenTrue)) {
      bool keep = isZero(whenFalse);
      factors.guards.push_back({condition, keep});
      return flatten(keep ? whenTrue : whenFalse, factors);
    }
  }
  (isDenominator ? factors.denominators : factors.numerators).push_back(e);
}

/// Splits a positive constant factor off.
static std::pair<double, Expr> splitScale(Expr e) {
  double scale = 1;
  while (e->isOp("arith.mulf") || e->isOp("arith.divf")) {
    std::optional<double> constant = e->operands[1]->getFloat();
    if (!constant || !(*constant > 0) || std::isinf(*constant))
      break;
    scale = e->isOp("arith.mulf") ? scale * *constant : scale / *constant;
    e = e->operands[0];
  }
  return {scale, e};
}

Expr SoftmaxMatcher::stripRows(Expr e, double factor,
                               SmallVectorImpl<std::pair<double, Expr>> &rows) {
  if (!variesAlongKeys(e) && !containsStatistic(e))
    return e;
  if (e->isOp("arith.addf") || e->isOp("arith.subf")) {
    Expr left = stripRows(e->operands[0], factor, rows);
    Expr right = stripRows(e->operands[1], e->isOp("arith.subf") ? -factor : factor, rows);
    return exprs.apply(e->name.getValue(), {left, right});
  }
  bool isProduct = e->isOp("arith.mulf");
  if (isProduct || e->isOp("arith.divf"))
    if (std::optional<double> constant = e->operands[1]->getFloat()) {
      double inner = isProduct ? factor * *constant : factor / *constant;
      Expr rest = stripRows(e->operands[0], inner, rows);
      return exprs.apply(e->name.getValue(), {rest, e->operands[1]});
    }
  if (variesAlongKeys(e))
    return e;
  rows.push_back({factor, e});
  return exprs.constant(0.0);
}

bool SoftmaxMatcher::isShiftOfScores(const Statistic &statistic, double &ratio,
                                     SmallVectorImpl<std::pair<double, Expr>> &rows) {
  auto [scale, core] = splitScale(stripRows(statistic.body, 1, rows));
  auto [scoreScale, scoreCore] = splitScale(scores);
  ratio = scale / scoreScale;
  return core == scoreCore;
}

void SoftmaxMatcher::addStatistic(double factor, const Statistic &statistic, RowTerms &terms) {
  Operation *op = statistic.load->value.getDefiningOp();
  if (statistic.kind != Statistic::Max || !statistic.problem.empty()) {
    terms.isOther = true;
    (void)fail(statistic.problem.empty() ? "the exponent subtracts a sum" : statistic.problem, op);
    return;
  }
  for (const Statistic &opening : statisticsOf[statistic.load]) {
    SmallVector<std::pair<double, Expr>> rows;
    double ratio;
    if (!isShiftOfScores(opening, ratio, rows))
      continue;
    if (opening.extra) {
      SmallVector<std::pair<double, Expr>> sinkRows;
      Expr value = stripRows(opening.extra, 1, sinkRows);
      if (sinkRows != rows || (sink && sink != value))
        continue;
      sink = value;
    }
    terms.max += factor * ratio;
    for (auto [inner, row] : rows)
      addRow(factor * inner, row, terms);
    return;
  }
  terms.isOther = true;
  (void)fail("the row maximum that is subtracted is not the maximum of the same scores", op);
}

void SoftmaxMatcher::addRow(double factor, Expr row, RowTerms &terms) {
  if (row->isOp("arith.addf") || row->isOp("arith.subf")) {
    addRow(factor, row->operands[0], terms);
    return addRow(row->isOp("arith.subf") ? -factor : factor, row->operands[1], terms);
  }
  if (row->isOp("arith.mulf") || row->isOp("arith.divf"))
    if (std::optional<double> constant = row->operands[1]->getFloat())
      return addRow(row->isOp("arith.mulf") ? factor * *constant : factor / *constant,
                    row->operands[0], terms);
  if (row->kind == ExprKind::Load && getStatistic(row).kind != Statistic::None)
    return addStatistic(factor, getStatistic(row), terms);
  // max(row maximum, sink): the shift of a softmax with a sink.
  if (row->isOp("arith.maximumf") || row->isOp("arith.maxnumf"))
    for (unsigned i : {0, 1})
      if (containsStatistic(row->operands[i]) && !containsStatistic(row->operands[1 - i])) {
        if (!sink || sink == row->operands[1 - i]) {
          sink = row->operands[1 - i];
          return addRow(factor, row->operands[i], terms);
        }
      }
  // is-finite(M) ? M : 0 differs from M only in rows whose result is NaN either way.
  if (row->isOp("arith.select") && containsStatistic(row->operands[0]))
    for (unsigned i : {1, 2})
      if (containsStatistic(row->operands[i]) && row->operands[3 - i]->isFloat(0))
        return addRow(factor, row->operands[i], terms);
  if (row->isOp("math.log")) {
    terms.logSum += factor;
    logSum = row->operands[0];
    return;
  }
  terms.isOther |= !row->isFloat(0);
}

LogicalResult SoftmaxMatcher::matchShift(const RowTerms &terms, Expr exponent,
                                         SoftmaxMatch &found) {
  auto isNear = [](double a, double b) { return std::fabs(a - b) < 1e-6; };
  if (terms.isOther)
    return fail("the exponent subtracts something else than the row maximum of the same scores");
  if (!isNear(terms.max, -1) && !isNear(terms.max, 0))
    return fail("the exponent subtracts a multiple of the row maximum");
  if (!isNear(terms.logSum, 0) && !isNear(terms.logSum, -1))
    return fail("the exponent subtracts a multiple of the logarithm of the sum");
  shift = terms;
  if (isNear(terms.logSum, 0))
    return success();
  isNormalised = true;
  return matchSum(logSum, found);
}

LogicalResult SoftmaxMatcher::matchSum(Expr sum, SoftmaxMatch &found) {
  while (sum->isOp("math.absf"))
    sum = sum->operands[0];
  // With a sink, one exponential stands beside the sum.
  Expr extra = nullptr;
  if (sum->isOp("arith.addf"))
    for (unsigned i : {0, 1})
      if (sum->operands[i]->isOp("math.exp")) {
        extra = sum->operands[i]->operands[0];
        sum = sum->operands[1 - i];
        break;
      }
  Statistic statistic = getStatistic(sum);
  if (statistic.kind != Statistic::Sum)
    return fail("the weights are divided by something else than the sum of their exponentials");
  Operation *op = sum->value.getDefiningOp();
  normalisation = op;
  if (!statistic.problem.empty())
    return fail(statistic.problem, op);
  auto isSameShift = [&](ArrayRef<std::pair<double, Expr>> rows) {
    RowTerms terms;
    for (auto [factor, row] : rows)
      addRow(factor, row, terms);
    return !terms.isOther && terms.logSum == 0 && std::fabs(terms.max - shift.max) < 1e-6;
  };
  for (const Statistic &opening : statisticsOf[sum]) {
    SmallVector<std::pair<double, Expr>> rows, sinkRows;
    Expr body = stripRows(opening.body, 1, rows);
    if (opening.condition)
      body = exprs.select(opening.condition, body, exprs.constant(-INFINITY));
    if (body != scores || !isSameShift(rows))
      continue;
    if (Expr logit = opening.extra ? opening.extra : extra) {
      Expr value = stripRows(logit, 1, sinkRows);
      if (!isSameShift(sinkRows) || (sink && sink != value))
        return fail("the extra term of the sum is not the exponential of a sink", op);
      found.sink = value;
    } else if (sink) {
      return fail("the maximum has an extra term that the sum does not have", op);
    }
    return success();
  }
  return fail("the weights are divided by the sum of other exponentials than theirs", op);
}

FailureOr<SoftmaxMatch> SoftmaxMatcher::match(const WeightFactors &factors) {
  SoftmaxMatch found;
  if (!factors.exponent || factors.hasSeveralExponents)
    return fail("the weights are not one exponential");
  SmallVector<std::pair<double, Expr>> rows;
  Expr exponent = tracer.resolve(factors.exponent);
  scores = stripRows(exponent, 1, rows);
  // Where the sum leaves keys out, and the weight is 0 for the same keys, they are masked.
  for (Expr denominator : factors.denominators) {
    Statistic sum = getStatistic(tracer.resolve(denominator));
    if (sum.kind == Statistic::Sum)
      normalisation = sum.load->value.getDefiningOp();
    if (!sum.condition)
      continue;
    for (auto [condition, keep] : factors.guards)
      if (keep && tracer.resolve(condition) == sum.condition)
        keyCondition = sum.condition;
    if (keyCondition)
      scores = exprs.select(keyCondition, scores, exprs.constant(-INFINITY));
  }
  found.scores = scores;
  RowTerms terms;
  for (auto [factor, row] : rows)
    addRow(factor, row, terms);
  if (failed(matchShift(terms, exponent, found)) || failed(matchFactors(factors, found)))
    return failure();
  return found;
}
