//===- SoftmaxFactors.cpp - What else multiplies the weights --------------===//

#include "MatchSoftmax.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fa;

/// True if `condition == keep` says that the score of one key is not -inf.
bool SoftmaxMatcher::isNotMasked(Expr condition, bool keep) {
  // The mask itself: the score is -inf where it does not hold.
  if (scores->isOp("arith.select"))
    for (unsigned i : {1, 2})
      if (scores->operands[i]->isFloat(-INFINITY) && condition == scores->operands[0])
        return keep == (i == 2);
  if (condition->isOp("arith.xori") && condition->operands[1]->getInt() == 1)
    return isNotMasked(condition->operands[0], !keep);
  if (!condition->isOp("arith.cmpf") || !condition->operands[1]->isFloat(-INFINITY))
    return false;
  SmallVector<std::pair<double, Expr>> rows;
  if (condition->operands[0] != scores)
    return false;
  using P = arith::CmpFPredicate;
  auto predicate =
      P(cast<DictionaryAttr>(condition->attr).getAs<IntegerAttr>("predicate").getInt());
  bool isEqual = predicate == P::OEQ || predicate == P::UEQ || predicate == P::OLE;
  bool isDifferent = predicate == P::ONE || predicate == P::UNE || predicate == P::OGT;
  return keep ? isDifferent : isEqual;
}

/// True if `condition == keep` says that at least one key of the row is not masked.
bool SoftmaxMatcher::someKeyCounts(Expr condition, bool keep) {
  if (condition->isOp("arith.xori") && condition->operands[1]->getInt() == 1)
    return someKeyCounts(condition->operands[0], !keep);
  if (condition->isOp("arith.cmpf") && condition->operands[1]->isFloat(-INFINITY)) {
    RowTerms terms;
    addRow(1, condition->operands[0], terms);
    using P = arith::CmpFPredicate;
    auto predicate =
        P(cast<DictionaryAttr>(condition->attr).getAs<IntegerAttr>("predicate").getInt());
    bool isEqual = predicate == P::OEQ || predicate == P::UEQ || predicate == P::OLE;
    bool isDifferent = predicate == P::ONE || predicate == P::UNE || predicate == P::OGT;
    return !terms.isOther && terms.max > 0 && terms.logSum == 0 && (keep ? isDifferent : isEqual);
  }
  if (!tracer.getReductionOp(condition))
    return false;
  bool hasExtra;
  for (SmallVector<Expr> &indices : getKeyIndices(condition, hasExtra)) {
    std::optional<Reduction> reduction = tracer.open(condition, indices);
    if (!reduction || hasExtra)
      continue;
    StringRef any = keep ? "arith.ori" : "arith.andi",
              anyMax = keep ? "arith.maxui" : "arith.minui";
    std::optional<int64_t> init = tracer.toHead(reduction->init)->getInt();
    if ((reduction->combiner == any || reduction->combiner == anyMax) && init == (keep ? 0 : 1) &&
        isNotMasked(tracer.resolve(reduction->body), keep))
      return true;
  }
  return false;
}

LogicalResult SoftmaxMatcher::matchFactors(const WeightFactors &factors, SoftmaxMatch &found) {
  Expr probability = exprs.marker(0), zero = exprs.constant(0.0);
  for (Expr given : factors.denominators) {
    Expr denominator = tracer.resolve(given);
    if (!variesAlongKeys(denominator) && containsStatistic(denominator)) {
      if (isNormalised)
        return fail("the weights are divided by their sum twice");
      isNormalised = true;
      if (failed(matchSum(denominator, found)))
        return failure();
      continue;
    }
    if (tracer.getReductionOp(denominator)) {
      normalisation = denominator->value.getDefiningOp();
      return fail(variesAlongKeys(denominator)
                      ? "the softmax normalises over another dimension than the one that the "
                        "second product sums over"
                      : "the weights are divided by the sum of other exponentials than theirs",
                  normalisation);
    }
    probability = exprs.apply("arith.divf", {probability, denominator});
  }
  isUnnormalised = !isNormalised;
  isBareExponential = factors.numerators.empty();
  if (!isNormalised)
    return failure(); // No reason yet: the division may come after the product.
  for (auto [given, keep] : factors.guards) {
    Expr condition = tracer.resolve(given);
    if (keep && condition == keyCondition)
      continue;
    if (!variesAlongKeys(condition) && someKeyCounts(condition, keep)) {
      found.isGuarded = true;
      continue;
    }
    probability = exprs.select(condition, keep ? probability : zero, keep ? zero : probability);
  }
  for (Expr factor : factors.numerators)
    probability = exprs.apply("arith.mulf", {probability, tracer.resolve(factor)});
  found.isGuarded |= factors.replacesNaN;
  found.probability = probability;
  return success();
}
