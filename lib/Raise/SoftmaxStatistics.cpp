//===- SoftmaxStatistics.cpp - Row maxima and sums over the keys ----------===//

#include "MatchSoftmax.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fa;

using Candidates = SmallVector<SmallVector<Expr>>;

/// The product of static sizes, or null where one is dynamic.
static std::optional<int64_t> multiply(ArrayRef<Expr> sizes) {
  int64_t product = 1;
  for (Expr size : sizes) {
    if (!size->getInt())
      return std::nullopt;
    product *= *size->getInt();
  }
  return product;
}

/// Every way in which the loops of a reduction can run through the keys: a loop per key dimension
/// in some order, one loop over several collapsed key dimensions, or several loops over one.
Candidates SoftmaxMatcher::getKeyIndices(Expr load, bool &hasExtra) {
  hasExtra = false;
  SmallVector<Expr> loops = tracer.getReductionSizes(tracer.getReductionOp(load));
  SmallVector<Expr> wide, order(keys), sizes;
  for (Expr size : loops)
    if (size->getInt() != 1)
      wide.push_back(size);
  if (wide.empty() && !loops.empty()) {
    wide = {loops.back()};
    loops.back() = nullptr;
  }
  auto isWide = [&](Expr size) { return !size || size->getInt() != 1; };
  for (Expr key : keys)
    sizes.push_back(exprs.getAtomSize(key->number));
  auto assemble = [&](ArrayRef<Expr> indices) {
    SmallVector<Expr> all;
    for (Expr size : loops) {
      all.push_back(isWide(size) ? indices.front() : exprs.index(0));
      if (isWide(size))
        indices = indices.drop_front();
    }
    return all;
  };
  std::optional<int64_t> total = multiply(sizes), loopTotal = multiply(wide);
  Candidates candidates;
  if (wide.size() == 1 && keys.size() == 1) {
    hasExtra = total && loopTotal && *loopTotal == *total + 1;
    if (hasExtra || exprs.sameSize(wide[0], sizes[0]))
      candidates.push_back(assemble(keys));
    return candidates;
  }
  auto byId = [](Expr a, Expr b) { return a->id < b->id; };
  llvm::sort(order, byId);
  do {
    if (wide.size() == keys.size()) {
      bool isSame = llvm::all_of(llvm::zip_equal(wide, order), [&](auto pair) {
        return exprs.sameSize(std::get<0>(pair), exprs.getAtomSize(std::get<1>(pair)->number));
      });
      if (isSame)
        candidates.push_back(assemble(order));
    } else if (total && loopTotal && *total == *loopTotal) {
      Expr flat = exprs.index(0);
      for (Expr key : order)
        flat = exprs.add(exprs.scale(flat, *exprs.getAtomSize(key->number)->getInt()), key);
      SmallVector<Expr> parts;
      int64_t stride = *loopTotal;
      for (Expr size : wide) {
        stride /= *size->getInt();
        parts.push_back(exprs.mod(exprs.floorDiv(flat, stride), *size->getInt()));
      }
      candidates.push_back(assemble(parts));
    }
  } while (candidates.size() < 24 && std::next_permutation(order.begin(), order.end(), byId));
  return candidates;
}

static constexpr StringLiteral kCarried =
    "the softmax is an online one already: its maximum or sum goes on from one iteration of a "
    "loop to the next";

/// True if every score is at least `init`: it does not take part in the maximum.
static bool isLowest(double init, StringRef combiner, Type element) {
  if (init == -INFINITY || (std::isnan(init) && combiner == "arith.maxnumf"))
    return true;
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return false;
  APFloat lowest = APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true);
  bool isInexact;
  lowest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  return init <= lowest.convertToDouble();
}

bool SoftmaxMatcher::isCarried(Expr init) {
  llvm::SetVector<Expr> loads;
  collectLoads(tracer.resolve(init), loads);
  return llvm::any_of(loads, [](Expr load) {
    auto argument = dyn_cast<BlockArgument>(load->value);
    return argument && isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  });
}

SoftmaxMatcher::Statistic SoftmaxMatcher::describe(Expr load, const Reduction &reduction) {
  Statistic statistic;
  statistic.load = load;
  Expr init = tracer.toHead(reduction.init);
  std::optional<double> start = init->getFloat();
  Type element = cast<ShapedType>(load->value.getType()).getElementType();
  if (reduction.combiner == "arith.maximumf" || reduction.combiner == "arith.maxnumf") {
    statistic.kind = Statistic::Max;
    statistic.body = tracer.resolve(reduction.body);
    statistic.ignoresNaN = reduction.combiner == "arith.maxnumf";
    statistic.startsAtInfinity = start && (*start == -INFINITY || std::isnan(*start));
    if (!start || !isLowest(*start, reduction.combiner, element))
      statistic.problem =
          isCarried(init) ? kCarried : "the row maximum does not start at the lowest value";
    return statistic;
  }
  if (reduction.combiner != "arith.addf")
    return statistic;
  WeightFactors factors;
  flatten(reduction.body, factors);
  if (!factors.exponent || factors.hasSeveralExponents || !factors.numerators.empty() ||
      !factors.denominators.empty() || factors.guards.size() > 1)
    return statistic;
  statistic.kind = Statistic::Sum;
  statistic.body = tracer.resolve(factors.exponent);
  if (!factors.guards.empty())
    statistic.condition = factors.guards[0].second
                              ? tracer.resolve(factors.guards[0].first)
                              : exprs.logicalNot(tracer.resolve(factors.guards[0].first));
  if (!start || *start != 0)
    statistic.problem =
        isCarried(init) ? kCarried : "the sum of the exponentials does not start at 0";
  return statistic;
}

SoftmaxMatcher::Statistic SoftmaxMatcher::openStatistic(Expr load) {
  SmallVector<Statistic> openings;
  bool hasExtra = false;
  if (tracer.getReductionOp(load) && !variesAlongKeys(load))
    for (SmallVector<Expr> &indices : getKeyIndices(load, hasExtra)) {
      std::optional<Reduction> reduction = tracer.open(load, indices);
      if (!reduction)
        continue;
      Statistic statistic = describe(load, *reduction);
      if (statistic.kind == Statistic::None)
        continue;
      if (hasExtra) {
        // The one position more than there are keys: the last one.
        llvm::DenseMap<Expr, Expr> beyond = {{keys[0], exprs.getAtomSize(keys[0]->number)}};
        SmallVector<Expr> last;
        for (Expr index : indices)
          last.push_back(exprs.substitute(index, beyond));
        std::optional<Reduction> end = tracer.open(load, last);
        if (!end)
          continue;
        statistic.extra = describe(load, *end).body;
        if (!statistic.extra || variesAlongKeys(statistic.extra))
          continue;
      }
      openings.push_back(statistic);
    }
  Statistic first = openings.empty() ? Statistic() : openings.front();
  first.load = load;
  statisticsOf[load] = std::move(openings);
  return first;
}

SoftmaxMatcher::Statistic SoftmaxMatcher::getStatistic(Expr load) {
  if (load->kind != ExprKind::Load)
    return {};
  auto known = statisticsOf.find(load);
  if (known == statisticsOf.end())
    return openStatistic(load);
  return known->second.empty() ? Statistic() : known->second.front();
}

bool SoftmaxMatcher::containsStatistic(Expr e) {
  if (e->kind == ExprKind::Load)
    return getStatistic(e).kind != Statistic::None;
  if (e->kind != ExprKind::Apply)
    return false;
  auto known = statisticUsers.find(e);
  if (known != statisticUsers.end())
    return known->second;
  bool isUser = llvm::any_of(e->operands, [&](Expr operand) { return containsStatistic(operand); });
  return statisticUsers[e] = isUser;
}
