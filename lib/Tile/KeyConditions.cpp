//===- KeyConditions.cpp - Which conditions make a score −inf -------------===//

#include "ColumnRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Collects the conditions of one score region.
class ConditionFinder {
public:
  ConditionFinder(AttentionInterface op, TiledDims dims) : op(op), dims(dims) {}

  /// Adds conditions without which `score` is −inf.
  void visitScore(Value score);

  SmallVector<KeyCondition> conditions;

private:
  void addCondition(Value value, bool expected);
  std::optional<PositionCondition> parse(Value value, bool expected);
  std::optional<PositionCondition> parsePair(Value lhs, Value rhs, bool expected, bool isAll);
  std::optional<PositionCondition> parseComparison(arith::CmpIOp compare, bool expected);
  bool isKnown(const LinearForm &form);

  AttentionInterface op;
  TiledDims dims;
};
} // namespace

static bool isNegativeInfinity(Value value) {
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) && constant.isInfinity() &&
         constant.isNegative();
}

static bool isPositiveConstant(Value value) {
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) && constant.isFinite() &&
         !constant.isNegative() && !constant.isZero();
}

/// An i1 constant.
static std::optional<bool> getConstantBool(Value value) {
  APInt constant;
  if (!value.getType().isInteger(1) || !matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return !constant.isZero();
}

void ConditionFinder::visitScore(Value score) {
  Operation *definition = score.getDefiningOp();
  if (!definition)
    return;
  if (auto select = dyn_cast<arith::SelectOp>(definition)) {
    bool expected = isNegativeInfinity(select.getFalseValue());
    if (!expected && !isNegativeInfinity(select.getTrueValue()))
      return;
    addCondition(select.getCondition(), expected);
    visitScore(expected ? select.getTrueValue() : select.getFalseValue());
    return;
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(definition))
    return visitScore(definition->getOperand(0));
  // −inf stays −inf when a score below +inf is added: the contract for additive masks.
  if (isa<arith::AddFOp>(definition)) {
    visitScore(definition->getOperand(0));
    visitScore(definition->getOperand(1));
  } else if (isa<arith::SubFOp>(definition)) {
    visitScore(definition->getOperand(0));
  } else if (isa<arith::MulFOp, arith::DivFOp>(definition)) {
    if (isPositiveConstant(definition->getOperand(1)))
      visitScore(definition->getOperand(0));
    else if (isa<arith::MulFOp>(definition) && isPositiveConstant(definition->getOperand(0)))
      visitScore(definition->getOperand(1));
  }
}

void ConditionFinder::addCondition(Value value, bool expected) {
  Operation *definition = value.getDefiningOp();
  // A conjunction is taken apart, so that one part may be unknown.
  if ((expected && isa_and_nonnull<arith::AndIOp>(definition)) ||
      (!expected && isa_and_nonnull<arith::OrIOp>(definition))) {
    addCondition(definition->getOperand(0), expected);
    addCondition(definition->getOperand(1), expected);
    return;
  }
  if (std::optional<PositionCondition> condition = parse(value, expected))
    conditions.push_back({value, expected, std::move(*condition)});
}

std::optional<PositionCondition> ConditionFinder::parsePair(Value lhs, Value rhs, bool expected,
                                                            bool isAll) {
  std::optional<PositionCondition> left = parse(lhs, expected), right = parse(rhs, expected);
  if (!left || !right)
    return std::nullopt;
  PositionCondition pair;
  pair.kind = isAll ? PositionCondition::Kind::All : PositionCondition::Kind::Any;
  pair.operands = {std::move(*left), std::move(*right)};
  return pair;
}

std::optional<PositionCondition> ConditionFinder::parse(Value value, bool expected) {
  if (std::optional<bool> constant = getConstantBool(value)) {
    PositionCondition condition;
    condition.form.constant = *constant == expected ? 0 : -1;
    return condition;
  }
  Operation *definition = value.getDefiningOp();
  if (!definition)
    return std::nullopt;
  if (isa<arith::AndIOp, arith::OrIOp>(definition))
    return parsePair(definition->getOperand(0), definition->getOperand(1), expected,
                     isa<arith::AndIOp>(definition) == expected);
  if (isa<arith::XOrIOp>(definition)) {
    for (unsigned i : {0, 1})
      if (std::optional<bool> constant = getConstantBool(definition->getOperand(i)))
        return parse(definition->getOperand(1 - i), expected != *constant);
    return std::nullopt;
  }
  if (auto select = dyn_cast<arith::SelectOp>(definition)) {
    // c ? x : false is c && x, c ? true : x is c || x.
    if (getConstantBool(select.getFalseValue()) == std::optional(false))
      return parsePair(select.getCondition(), select.getTrueValue(), expected, expected);
    if (getConstantBool(select.getTrueValue()) == std::optional(true))
      return parsePair(select.getCondition(), select.getFalseValue(), expected, !expected);
    return std::nullopt;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(definition))
    return parseComparison(compare, expected);
  return std::nullopt;
}

/// True if all but the tiled positions are known before the loop over columns.
bool ConditionFinder::isKnown(const LinearForm &form) {
  unsigned firstExtra = 1 + op.getIndexedDims().size();
  return llvm::all_of(form.terms, [&](const LinearForm::Term &term) {
    unsigned number = term.argument.getArgNumber();
    if (number < firstExtra)
      return true;
    AffineMap map = op.getExtraMap(number - firstExtra);
    return !(dims.column && map.isFunctionOfDim(*dims.column)) &&
           !(dims.row && map.isFunctionOfDim(*dims.row));
  });
}

/// left − right − gap ≥ 0, if the difference is a linear form.
static std::optional<PositionCondition> makeAtLeast(const LinearForm &left, const LinearForm &right,
                                                    int64_t gap) {
  std::optional<LinearForm> form = subtract(left, right);
  if (!form)
    return std::nullopt;
  form->constant -= gap;
  form->constantMagnitude += gap;
  PositionCondition condition;
  condition.form = std::move(*form);
  return condition;
}

std::optional<PositionCondition> ConditionFinder::parseComparison(arith::CmpIOp compare,
                                                                  bool expected) {
  // An i1 that was widened and compared with 0.
  if (isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(compare.getLhs().getDefiningOp())) {
    Value narrow = compare.getLhs().getDefiningOp()->getOperand(0);
    bool isEqual = compare.getPredicate() == arith::CmpIPredicate::eq;
    if (narrow.getType().isInteger(1) && matchPattern(compare.getRhs(), m_Zero()) &&
        (isEqual || compare.getPredicate() == arith::CmpIPredicate::ne))
      return parse(narrow, expected != isEqual);
  }
  std::optional<LinearForm> lhs = parseLinearForm(compare.getLhs());
  std::optional<LinearForm> rhs = parseLinearForm(compare.getRhs());
  if (!lhs || !rhs || !isKnown(*lhs) || !isKnown(*rhs))
    return std::nullopt;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!expected)
    predicate = arith::invertPredicate(predicate);
  using Predicate = arith::CmpIPredicate;
  bool isUnsigned = predicate == Predicate::ult || predicate == Predicate::ule ||
                    predicate == Predicate::ugt || predicate == Predicate::uge;
  if (isUnsigned && !(isNonNegative(*lhs) && isNonNegative(*rhs)))
    return std::nullopt;
  switch (predicate) {
  case Predicate::slt:
  case Predicate::ult:
    return makeAtLeast(*rhs, *lhs, 1);
  case Predicate::sle:
  case Predicate::ule:
    return makeAtLeast(*rhs, *lhs, 0);
  case Predicate::sgt:
  case Predicate::ugt:
    return makeAtLeast(*lhs, *rhs, 1);
  case Predicate::sge:
  case Predicate::uge:
    return makeAtLeast(*lhs, *rhs, 0);
  case Predicate::eq: {
    std::optional<PositionCondition> up = makeAtLeast(*lhs, *rhs, 0);
    std::optional<PositionCondition> down = makeAtLeast(*rhs, *lhs, 0);
    if (!up || !down)
      return std::nullopt;
    PositionCondition both;
    both.kind = PositionCondition::Kind::All;
    both.operands = {std::move(*up), std::move(*down)};
    return both;
  }
  case Predicate::ne:
    return std::nullopt;
  }
  return std::nullopt;
}

SmallVector<KeyCondition> fa::findKeyConditions(AttentionInterface op, TiledDims dims) {
  ConditionFinder finder(op, dims);
  finder.visitScore(cast<YieldOp>(op.getScore().front().getTerminator()).getValue());
  return std::move(finder.conditions);
}
