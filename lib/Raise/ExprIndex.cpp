//===- ExprIndex.cpp - Index arithmetic in linear normal form -------------===//
//
// Reshapes and broadcasts become floordiv and mod of indices. The normal form makes the usual round
// trips vanish: (b·H + h) floordiv H is b, and H·(x floordiv H) + x mod H is x.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fa;

using Terms = SmallVector<std::pair<Expr, int64_t>>;

/// The terms of an index expression; the constant goes to `constant`.
static Terms getTerms(Expr e, int64_t &constant) {
  if (std::optional<int64_t> value = e->getInt()) {
    constant += *value;
    return {};
  }
  if (e->kind != ExprKind::Linear)
    return {{e, 1}};
  constant += e->number;
  Terms terms;
  for (auto [operand, coefficient] : llvm::zip_equal(e->operands, e->coefficients))
    terms.push_back({operand, coefficient});
  return terms;
}

static int64_t saturatingAdd(int64_t a, int64_t b, int64_t infinity) {
  int64_t sum;
  if (a == infinity || b == infinity || llvm::AddOverflow(a, b, sum))
    return infinity;
  return sum;
}

/// [low, high] of coefficient·e, added to the bounds given.
static void addRange(Expr e, int64_t coefficient, int64_t &low, int64_t &high) {
  int64_t from = e->low, to = e->high, scaledFrom, scaledTo;
  if (coefficient < 0)
    std::swap(from, to);
  bool isOpenFrom =
      from == INT64_MIN || from == INT64_MAX || llvm::MulOverflow(from, coefficient, scaledFrom);
  bool isOpenTo =
      to == INT64_MIN || to == INT64_MAX || llvm::MulOverflow(to, coefficient, scaledTo);
  low = isOpenFrom ? INT64_MIN : saturatingAdd(low, scaledFrom, INT64_MIN);
  high = isOpenTo ? INT64_MAX : saturatingAdd(high, scaledTo, INT64_MAX);
}

/// Joins a quotient with its remainder: c·k·(x floordiv c) + k·(x mod c) is k·x, and
/// c·k·((x floordiv c) mod d) + k·(x mod c) is k·(x mod c·d). Returns true if a pair was joined.
static bool mergeQuotients(ExprContext &context, Terms &terms) {
  for (auto &[upper, outer] : terms) {
    bool isBounded = upper->kind == ExprKind::Mod;
    Expr quotient = isBounded ? upper->operands[0] : upper;
    if (quotient->kind != ExprKind::FloorDiv)
      continue;
    for (auto &[rest, inner] : terms)
      if (rest->kind == ExprKind::Mod && rest->number == quotient->number &&
          rest->operands[0] == quotient->operands[0] && outer == inner * rest->number) {
        Expr whole = rest->operands[0], first = upper, second = rest;
        int64_t coefficient = inner;
        if (isBounded)
          whole = context.mod(whole, upper->number * rest->number);
        llvm::erase_if(terms, [&](auto &t) { return t.first == first || t.first == second; });
        terms.push_back({whole, coefficient});
        return true;
      }
  }
  return false;
}

Expr ExprContext::linear(int64_t constant, ArrayRef<std::pair<Expr, int64_t>> given) {
  Terms terms;
  auto addAll = [&](ArrayRef<std::pair<Expr, int64_t>> added) {
    for (auto [e, coefficient] : added) {
      int64_t innerConstant = 0;
      for (auto &inner : getTerms(e, innerConstant)) {
        auto known = llvm::find_if(terms, [&](auto &term) { return term.first == inner.first; });
        if (known == terms.end())
          terms.push_back({inner.first, inner.second * coefficient});
        else
          known->second += inner.second * coefficient;
      }
      constant += innerConstant * coefficient;
    }
    llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
  };
  addAll(given);
  while (mergeQuotients(*this, terms)) {
    Terms merged = std::move(terms);
    terms.clear();
    addAll(merged);
  }
  if (terms.empty())
    return index(constant);
  if (terms.size() == 1 && terms[0].second == 1 && constant == 0)
    return terms[0].first;
  llvm::sort(terms, [](auto &a, auto &b) { return a.first->id < b.first->id; });
  SmallVector<Expr> operands;
  SmallVector<int64_t> coefficients;
  ExprNode node;
  node.low = node.high = constant;
  for (auto [e, coefficient] : terms) {
    operands.push_back(e);
    coefficients.push_back(coefficient);
    addRange(e, coefficient, node.low, node.high);
  }
  node.kind = ExprKind::Linear;
  node.type = indexType;
  node.number = constant;
  node.operands = operands;
  node.coefficients = coefficients;
  return unique(node);
}

Expr ExprContext::combine(Expr a, int64_t factorA, Expr b, int64_t factorB) {
  int64_t constant = 0, constantB = 0;
  Terms terms = getTerms(a, constant);
  constant *= factorA;
  for (auto &term : terms)
    term.second *= factorA;
  Terms termsB = getTerms(b, constantB);
  constant += constantB * factorB;
  for (auto &added : termsB) {
    auto known = llvm::find_if(terms, [&](auto &term) { return term.first == added.first; });
    if (known == terms.end())
      terms.push_back({added.first, added.second * factorB});
    else
      known->second += added.second * factorB;
  }
  llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
  if (terms.empty())
    return index(constant);
  if (terms.size() == 1 && terms[0].second == 1 && constant == 0)
    return terms[0].first;
  return linear(constant, terms);
}

Expr ExprContext::multiply(Expr a, Expr b) {
  if (std::optional<int64_t> factor = a->getInt())
    return scale(b, *factor);
  if (std::optional<int64_t> factor = b->getInt())
    return scale(a, *factor);
  // One factor out of a single-term linear expression, so that 2·x·y has one form.
  int64_t factor = 1;
  auto strip = [&](Expr e) {
    if (e->kind != ExprKind::Linear || e->number != 0 || e->operands.size() != 1)
      return e;
    factor *= e->coefficients[0];
    return e->operands[0];
  };
  SmallVector<Expr> factors;
  auto flatten = [&](Expr e) {
    if (e->isOp("arith.muli") && e->type == indexType)
      llvm::append_range(factors, e->operands);
    else
      factors.push_back(e);
  };
  flatten(strip(a));
  flatten(strip(b));
  llvm::sort(factors, [](Expr x, Expr y) { return x->id < y->id; });
  ExprNode node;
  node.kind = ExprKind::Apply;
  node.type = indexType;
  node.name = StringAttr::get(context, "arith.muli");
  node.attr = DictionaryAttr::get(context);
  node.operands = factors;
  if (llvm::all_of(factors, [](Expr e) { return e->low >= 0; }))
    node.low = 0;
  return scale(unique(node), factor);
}

/// Splits e = step·high + low with low in [0, step), where step divides `divisor` and is as large
/// as possible: then e floordiv divisor and e mod divisor follow from high alone.
static int64_t splitDigits(ExprContext &exprs, Expr e, int64_t divisor, Expr &high, Expr &low) {
  int64_t constant = 0;
  Terms terms = getTerms(e, constant);
  SmallVector<int64_t> steps = {1, divisor};
  for (auto &term : terms)
    steps.push_back(std::gcd(term.second, divisor));
  llvm::sort(steps, std::greater<>());
  for (int64_t step : steps) {
    int64_t wholes = llvm::divideFloorSigned(constant, step);
    high = exprs.index(wholes);
    low = exprs.index(constant - wholes * step);
    for (auto &[term, coefficient] : terms) {
      bool isHigh = coefficient % step == 0;
      Expr &part = isHigh ? high : low;
      part = exprs.add(part, exprs.scale(term, isHigh ? coefficient / step : coefficient));
    }
    if (low->low >= 0 && low->high < step)
      return step;
  }
  llvm_unreachable("step 1 leaves nothing low");
}

Expr ExprContext::floorDiv(Expr a, int64_t divisor) {
  if (divisor == 1)
    return a;
  Expr low, high;
  divisor /= splitDigits(*this, a, divisor, high, low);
  if (divisor == 1)
    return high;
  // Multiples of the divisor leave the quotient as it is.
  int64_t constant = 0;
  Terms terms = getTerms(high, constant);
  int64_t wholes = llvm::divideFloorSigned(constant, divisor);
  Expr quotient = index(wholes), rest = index(constant - wholes * divisor);
  for (auto &[term, coefficient] : terms) {
    bool isMultiple = coefficient % divisor == 0;
    Expr &part = isMultiple ? quotient : rest;
    part = combine(part, 1, term, isMultiple ? coefficient / divisor : coefficient);
  }
  if (rest->low >= 0 && rest->high < divisor)
    return quotient;
  if (rest->kind == ExprKind::FloorDiv)
    return add(quotient, floorDiv(rest->operands[0], rest->number * divisor));
  if (rest->kind == ExprKind::Mod && rest->number % divisor == 0)
    return add(quotient, mod(floorDiv(rest->operands[0], divisor), rest->number / divisor));
  ExprNode node;
  node.kind = ExprKind::FloorDiv;
  node.type = indexType;
  node.number = divisor;
  node.operands = rest;
  if (rest->low != INT64_MIN)
    node.low = llvm::divideFloorSigned(rest->low, divisor);
  if (rest->high != INT64_MAX)
    node.high = llvm::divideFloorSigned(rest->high, divisor);
  return add(quotient, unique(node));
}

Expr ExprContext::mod(Expr a, int64_t divisor) {
  if (divisor == 1)
    return index(0);
  Expr low, high;
  int64_t step = splitDigits(*this, a, divisor, high, low);
  divisor /= step;
  if (divisor == 1)
    return low;
  int64_t constant = 0;
  Terms terms = getTerms(high, constant);
  Expr rest = index(constant - llvm::divideFloorSigned(constant, divisor) * divisor);
  for (auto &[term, coefficient] : terms)
    if (coefficient % divisor != 0)
      rest = combine(rest, 1, term, coefficient);
  Expr digit = rest;
  if (rest->kind == ExprKind::Mod && rest->number % divisor == 0) {
    digit = mod(rest->operands[0], divisor);
  } else if (rest->low < 0 || rest->high >= divisor) {
    ExprNode node;
    node.kind = ExprKind::Mod;
    node.type = indexType;
    node.number = divisor;
    node.operands = rest;
    node.low = 0;
    node.high = divisor - 1;
    digit = unique(node);
  }
  return combine(low, 1, digit, step);
}

Expr ExprContext::asIndex(Expr integer) {
  if (integer->type == indexType)
    return integer;
  if (std::optional<int64_t> value = integer->getInt())
    return integer->type.isInteger(1) ? nullptr : index(*value);
  if (integer->isOp("arith.index_cast") && integer->operands[0]->type == indexType)
    return integer->operands[0];
  return nullptr;
}

Expr ExprContext::castIndex(Expr index, Type type) {
  if (type == indexType)
    return index;
  if (std::optional<int64_t> value = index->getInt())
    return constant(*value, type);
  ExprNode node;
  node.kind = ExprKind::Apply;
  node.type = type;
  node.name = StringAttr::get(context, "arith.index_cast");
  node.attr = DictionaryAttr::get(context);
  node.operands = index;
  node.low = index->low;
  node.high = index->high;
  return unique(node);
}
