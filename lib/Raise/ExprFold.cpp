//===- ExprFold.cpp - Folding of scalar arithmetic ------------------------===//
//
// Rules that give one form to what front ends spell differently. Each holds for every value, or
// changes only what the floating-point contract leaves open (rounding, the sign of zero).
//
//===----------------------------------------------------------------------===//

#include "Expr.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fa;

static bool isCommutative(StringRef name) {
  return llvm::is_contained({"arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf",
                             "arith.maxnumf", "arith.minnumf", "arith.addi", "arith.muli",
                             "arith.andi", "arith.ori", "arith.xori", "arith.maxsi", "arith.minsi",
                             "arith.maxui", "arith.minui"},
                            name);
}

Expr ExprContext::apply(StringRef name, ArrayRef<Expr> operands) {
  return apply(name, DictionaryAttr::get(context), operands, operands[0]->type);
}

Expr ExprContext::apply(StringRef name, DictionaryAttr attributes, ArrayRef<Expr> operands,
                        Type type) {
  if (isa<FloatType>(type))
    type = floatType;
  SmallVector<Expr> sorted(operands);
  // Constants stand last, the rest in order of creation.
  auto rank = [](Expr e) { return std::pair(e->kind == ExprKind::Constant, e->id); };
  if (isCommutative(name) && rank(sorted[1]) < rank(sorted[0]))
    std::swap(sorted[0], sorted[1]);
  Expr folded = nullptr;
  if (name == "arith.select")
    folded = foldSelect(sorted);
  else if (name == "arith.cmpi" || name == "arith.cmpf")
    folded = foldCompare(name, attributes, sorted);
  else if (isa<FloatType>(type))
    folded = foldFloat(name, sorted, type);
  else
    folded = foldInteger(name, attributes, sorted, type);
  if (folded)
    return folded;
  // Flags say what a compiler may do, not what the value is.
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : attributes)
    if (attribute.getName() == "predicate")
      kept.push_back(attribute);
  ExprNode node;
  node.kind = ExprKind::Apply;
  node.type = type;
  node.name = StringAttr::get(context, name);
  node.attr = DictionaryAttr::get(context, kept);
  node.operands = sorted;
  if (type.isInteger(1)) {
    node.low = 0;
    node.high = 1;
  }
  return unique(node);
}

/// The value of a one-operand function of a constant.
static std::optional<double> evaluate(StringRef name, double x) {
  if (name == "arith.negf")
    return -x;
  if (name == "math.sqrt")
    return std::sqrt(x);
  if (name == "math.rsqrt")
    return 1 / std::sqrt(x);
  if (name == "math.exp")
    return std::exp(x);
  if (name == "math.log")
    return std::log(x);
  if (name == "math.absf")
    return std::fabs(x);
  return std::nullopt;
}

static std::optional<double> evaluate(StringRef name, double x, double y) {
  if (name == "arith.addf")
    return x + y;
  if (name == "arith.subf")
    return x - y;
  if (name == "arith.mulf")
    return x * y;
  if (name == "arith.divf")
    return x / y;
  if (name == "math.powf")
    return std::pow(x, y);
  return std::nullopt;
}

/// True if `constant` changes nothing as an operand of the commutative `name`.
static bool isNeutral(StringRef name, double constant) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (name == "arith.addf")
    return constant == 0;
  if (name == "arith.mulf")
    return constant == 1;
  if (name == "arith.maximumf")
    return constant == -infinity;
  if (name == "arith.maxnumf")
    return constant == -infinity || std::isnan(constant);
  if (name == "arith.minimumf")
    return constant == infinity;
  if (name == "arith.minnumf")
    return constant == infinity || std::isnan(constant);
  return false;
}

Expr ExprContext::foldFloat(StringRef name, ArrayRef<Expr> operands, Type type) {
  if (name == "arith.extf" || name == "arith.truncf")
    return operands[0];
  std::optional<double> first = operands[0]->getFloat();
  if (operands.size() == 1) {
    if (first)
      if (std::optional<double> value = evaluate(name, *first))
        return constant(*value);
    if (name == "arith.sitofp" || name == "arith.uitofp")
      if (std::optional<int64_t> value = operands[0]->getInt()) {
        // A true bit is -1 as a signed number.
        bool isNegative = operands[0]->type.isInteger(1) && name == "arith.sitofp";
        if (*value >= 0 || name == "arith.sitofp")
          return constant(double(isNegative ? -*value : *value));
      }
    if (name == "math.exp2")
      return apply("math.exp", apply("arith.mulf", {operands[0], constant(M_LN2)}));
    if (name == "math.log2")
      return apply("arith.mulf", {apply("math.log", operands[0]), constant(M_LOG2E)});
    if (name == "arith.negf" && operands[0]->isOp("arith.negf"))
      return operands[0]->operands[0];
    return nullptr;
  }
  if (operands.size() != 2)
    return nullptr;
  std::optional<double> second = operands[1]->getFloat();
  if (first && second)
    if (std::optional<double> value = evaluate(name, *first, *second))
      return constant(*value);
  if (first && isNeutral(name, *first))
    return operands[1];
  if (second && (isNeutral(name, *second) || (name == "arith.subf" && *second == 0) ||
                 (name == "arith.divf" && *second == 1)))
    return operands[0];
  bool isExtremum = name == "arith.maximumf" || name == "arith.maxnumf" ||
                    name == "arith.minimumf" || name == "arith.minnumf";
  if (isExtremum && operands[0] == operands[1])
    return operands[0];
  if (name == "arith.addf")
    for (unsigned i : {0, 1})
      if (operands[i]->isOp("arith.negf"))
        return apply("arith.subf", {operands[1 - i], operands[i]->operands[0]});
  if (name == "arith.subf" && operands[1]->isOp("arith.negf"))
    return apply("arith.addf", {operands[0], operands[1]->operands[0]});
  if (name == "math.powf" && first && *first > 0 && std::isfinite(*first))
    return apply("math.exp", apply("arith.mulf", {operands[1], constant(std::log(*first))}));
  return nullptr;
}

Expr ExprContext::select(Expr condition, Expr whenTrue, Expr whenFalse) {
  return apply("arith.select", DictionaryAttr::get(context), {condition, whenTrue, whenFalse},
               whenTrue->type);
}

/// max or min, if `select(a PRED b, x, y)` picks one of a and b by their order.
static StringRef getExtremum(Expr compare, Expr whenTrue, Expr whenFalse) {
  auto predicate = arith::CmpFPredicate(
      cast<DictionaryAttr>(compare->attr).getAs<IntegerAttr>("predicate").getInt());
  using P = arith::CmpFPredicate;
  bool isGreater = llvm::is_contained({P::OGT, P::OGE, P::UGT, P::UGE}, predicate);
  bool isLess = llvm::is_contained({P::OLT, P::OLE, P::ULT, P::ULE}, predicate);
  bool isStraight = whenTrue == compare->operands[0] && whenFalse == compare->operands[1];
  bool isSwapped = whenTrue == compare->operands[1] && whenFalse == compare->operands[0];
  if (!(isGreater || isLess) || !(isStraight || isSwapped))
    return "";
  return isGreater == isStraight ? "arith.maximumf" : "arith.minimumf";
}

Expr ExprContext::foldSelect(ArrayRef<Expr> operands) {
  Expr condition = operands[0], whenTrue = operands[1], whenFalse = operands[2];
  if (std::optional<int64_t> value = condition->getInt())
    return *value ? whenTrue : whenFalse;
  if (whenTrue == whenFalse)
    return whenTrue;
  if (condition->type.isInteger(1) && condition->isOp("arith.xori") &&
      condition->operands[1]->getInt() == 1)
    return select(condition->operands[0], whenFalse, whenTrue);
  if (whenTrue->isOp("arith.select") && whenTrue->operands[0] == condition)
    return select(condition, whenTrue->operands[1], whenFalse);
  if (whenFalse->isOp("arith.select") && whenFalse->operands[0] == condition)
    return select(condition, whenTrue, whenFalse->operands[2]);
  if (whenTrue->type.isInteger(1)) {
    if (whenTrue->getInt() == 1 && whenFalse->getInt() == 0)
      return condition;
    if (whenTrue->getInt() == 0 && whenFalse->getInt() == 1)
      return logicalNot(condition);
    if (whenFalse->getInt() == 0)
      return apply("arith.andi", {condition, whenTrue});
    if (whenTrue->getInt() == 1)
      return apply("arith.ori", {condition, whenFalse});
  }
  if (condition->isOp("arith.cmpf")) {
    StringRef extremum = getExtremum(condition, whenTrue, whenFalse);
    if (!extremum.empty())
      return apply(extremum, {whenTrue, whenFalse});
  }
  // A dynamic broadcast reads index 0 where the size is 1: an index below that size is 0 anyway.
  bool isBroadcast =
      condition->isOp("arith.cmpi") && condition->operands[1]->getInt() == 1 &&
      whenTrue->getInt() == 0 &&
      cast<DictionaryAttr>(condition->attr).getAs<IntegerAttr>("predicate").getInt() ==
          int64_t(arith::CmpIPredicate::eq);
  Expr extent = isBroadcast ? getExtent(whenFalse) : nullptr;
  return extent && sameSize(condition->operands[0], extent) ? whenFalse : nullptr;
}
