//===- ExprFoldInteger.cpp - Folding of integers, comparisons and logic ---===//
//
// Integers that come from indices and sizes are computed as indices, whatever type the IR used:
// an index that overflows 32 bits has no meaning in the IR either.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

using namespace mlir;
using namespace mlir::fa;

static arith::CmpIPredicate getIntPredicate(DictionaryAttr attributes) {
  return arith::CmpIPredicate(attributes.getAs<IntegerAttr>("predicate").getInt());
}

static DictionaryAttr getPredicateAttributes(MLIRContext *context, int64_t predicate) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      builder.getNamedAttr("predicate", builder.getI64IntegerAttr(predicate)));
}

static int64_t getOpposite(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return int64_t(P::ne);
  case P::ne:
    return int64_t(P::eq);
  case P::slt:
    return int64_t(P::sge);
  case P::sle:
    return int64_t(P::sgt);
  case P::sgt:
    return int64_t(P::sle);
  case P::sge:
    return int64_t(P::slt);
  case P::ult:
    return int64_t(P::uge);
  case P::ule:
    return int64_t(P::ugt);
  case P::ugt:
    return int64_t(P::ule);
  case P::uge:
    return int64_t(P::ult);
  }
  llvm_unreachable("unknown predicate");
}

static int64_t getOpposite(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  static const std::pair<P, P> kOpposites[] = {{P::AlwaysFalse, P::AlwaysTrue},
                                               {P::OEQ, P::UNE},
                                               {P::OGT, P::ULE},
                                               {P::OGE, P::ULT},
                                               {P::OLT, P::UGE},
                                               {P::OLE, P::UGT},
                                               {P::ONE, P::UEQ},
                                               {P::ORD, P::UNO}};
  for (auto [ordered, unordered] : kOpposites) {
    if (predicate == ordered)
      return int64_t(unordered);
    if (predicate == unordered)
      return int64_t(ordered);
  }
  llvm_unreachable("unknown predicate");
}

Expr ExprContext::logicalNot(Expr condition) {
  return apply("arith.xori", {condition, constant(1, condition->type)});
}

/// The truth of `difference PRED 0`, if the bounds of the difference decide it.
static std::optional<bool> decide(arith::CmpIPredicate predicate, Expr difference) {
  using P = arith::CmpIPredicate;
  int64_t low = difference->low, high = difference->high;
  auto known = [](bool isTrue, bool isFalse) -> std::optional<bool> {
    return isTrue ? std::optional(true) : isFalse ? std::optional(false) : std::nullopt;
  };
  switch (predicate) {
  case P::eq:
    return known(low == 0 && high == 0, low > 0 || high < 0);
  case P::ne:
    return known(low > 0 || high < 0, low == 0 && high == 0);
  case P::slt:
    return known(high < 0, low >= 0);
  case P::sle:
    return known(high <= 0, low > 0);
  case P::sgt:
    return known(low > 0, high <= 0);
  case P::sge:
    return known(low >= 0, high < 0);
  default:
    return std::nullopt;
  }
}

/// The signed predicate with the same meaning for values that are not negative.
static arith::CmpIPredicate toSigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
    return P::slt;
  case P::ule:
    return P::sle;
  case P::ugt:
    return P::sgt;
  case P::uge:
    return P::sge;
  default:
    return predicate;
  }
}

Expr ExprContext::foldCompare(StringRef name, DictionaryAttr attributes, ArrayRef<Expr> operands) {
  Expr a = operands[0], b = operands[1];
  if (name == "arith.cmpf") {
    auto predicate = arith::CmpFPredicate(attributes.getAs<IntegerAttr>("predicate").getInt());
    std::optional<double> x = a->getFloat(), y = b->getFloat();
    if (x && y)
      return constant(int64_t(arith::applyCmpPredicate(predicate, APFloat(*x), APFloat(*y))),
                      IntegerType::get(context, 1));
    return nullptr;
  }
  Type boolean = IntegerType::get(context, 1);
  arith::CmpIPredicate predicate = getIntPredicate(attributes);
  using P = arith::CmpIPredicate;
  if (a->type == boolean && (predicate == P::eq || predicate == P::ne)) {
    if (a->getInt())
      std::swap(a, b);
    if (std::optional<int64_t> value = b->getInt())
      return (*value == 1) == (predicate == P::eq) ? a : logicalNot(a);
    return nullptr;
  }
  Expr x = asIndex(a), y = asIndex(b);
  if (!x || !y)
    return nullptr;
  if (x->low >= 0 && y->low >= 0)
    predicate = toSigned(predicate);
  if (std::optional<bool> truth = decide(predicate, subtract(x, y)))
    return constant(int64_t(*truth), boolean);
  if ((predicate == P::eq || predicate == P::ne) && sameSize(x, y))
    return constant(int64_t(predicate == P::eq), boolean);
  bool isDone = a == x && b == y && predicate == getIntPredicate(attributes);
  if (isDone)
    return nullptr;
  return apply(name, getPredicateAttributes(context, int64_t(predicate)), {x, y}, boolean);
}

Expr ExprContext::foldLogic(StringRef name, ArrayRef<Expr> operands) {
  Expr a = operands[0], b = operands[1];
  if (a->getInt())
    std::swap(a, b);
  std::optional<int64_t> value = b->getInt();
  if (name == "arith.andi" || name == "arith.ori") {
    if (a == b)
      return a;
    if (value)
      return (*value == 1) == (name == "arith.andi") ? a : b;
    return nullptr;
  }
  if (!value || name != "arith.xori")
    return nullptr;
  if (*value == 0)
    return a;
  if (a->isOp("arith.xori") && a->operands[1]->getInt() == 1)
    return a->operands[0];
  auto attributes = dyn_cast_or_null<DictionaryAttr>(a->attr);
  if (a->isOp("arith.cmpi"))
    return apply("arith.cmpi",
                 getPredicateAttributes(context, getOpposite(getIntPredicate(attributes))),
                 a->operands, a->type);
  if (a->isOp("arith.cmpf")) {
    auto predicate = arith::CmpFPredicate(attributes.getAs<IntegerAttr>("predicate").getInt());
    return apply("arith.cmpf", getPredicateAttributes(context, getOpposite(predicate)), a->operands,
                 a->type);
  }
  return nullptr;
}

Expr ExprContext::foldIntegerCast(StringRef name, Expr operand, Type type) {
  if (operand->type == type)
    return operand;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isUnsigned = name == "arith.extui" || name == "arith.index_castui";
  if (std::optional<int64_t> value = operand->getInt()) {
    bool isBool = operand->type.isInteger(1);
    if (isBool)
      return constant(isUnsigned ? *value : -*value, type);
    if ((*value >= 0 || !isUnsigned) && (width >= 64 || llvm::isIntN(width, *value)))
      return constant(*value, type);
    return nullptr;
  }
  if (Expr index = asIndex(operand))
    if (width >= 32 && (index->low >= 0 || !isUnsigned))
      return castIndex(index, type);
  // An index is wide enough for what was widened before.
  if (type.isIndex() && operand->isOp("arith.extsi") && !isUnsigned)
    return apply("arith.index_cast", DictionaryAttr::get(context), operand->operands, type);
  return nullptr;
}

Expr ExprContext::foldInteger(StringRef name, DictionaryAttr attributes, ArrayRef<Expr> operands,
                              Type type) {
  if (llvm::is_contained(
          {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"},
          name))
    return foldIntegerCast(name, operands[0], type);
  if (operands.size() != 2)
    return nullptr;
  if (type.isInteger(1))
    return foldLogic(name, operands);
  Expr a = asIndex(operands[0]), b = asIndex(operands[1]);
  if (!a || !b)
    return nullptr;
  std::optional<int64_t> divisor = b->getInt();
  bool isDivision = divisor && *divisor > 0 && a->low >= 0;
  if (name == "arith.addi")
    return castIndex(add(a, b), type);
  if (name == "arith.subi")
    return castIndex(subtract(a, b), type);
  if (name == "arith.muli")
    return castIndex(multiply(a, b), type);
  if (isDivision && llvm::is_contained({"arith.divsi", "arith.floordivsi", "arith.divui"}, name))
    return castIndex(floorDiv(a, *divisor), type);
  if (isDivision && (name == "arith.remsi" || name == "arith.remui"))
    return castIndex(mod(a, *divisor), type);
  bool isMax = name == "arith.maxsi" || name == "arith.maxui";
  bool isMin = name == "arith.minsi" || name == "arith.minui";
  bool isUnsigned = name == "arith.maxui" || name == "arith.minui";
  if ((isMax || isMin) && (!isUnsigned || (a->low >= 0 && b->low >= 0))) {
    Expr difference = subtract(a, b);
    if (sameSize(a, b) || difference->low >= 0)
      return castIndex(isMax ? a : b, type);
    if (difference->high <= 0)
      return castIndex(isMax ? b : a, type);
  }
  return nullptr;
}
