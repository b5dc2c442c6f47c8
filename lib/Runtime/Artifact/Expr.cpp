//===- Expr.cpp - Evaluating and printing formulas ------------------------===//

#include "Runtime/Artifact/Expr.h"
#include <algorithm>

namespace fa_runtime {

const ExprOpInfo kExprOps[kNumExprOps] = {
    {"const", 0}, {"dim", 0}, {"stride", 0}, {"scalar", 0},  {"align", 0},    {"sms", 0},
    {"add", 2},   {"sub", 2}, {"mul", 2},    {"ceildiv", 2}, {"floordiv", 2}, {"mod", 2},
    {"min", 2},   {"max", 2}, {"eq", 2},     {"ne", 2},      {"lt", 2},       {"le", 2},
    {"and", 2},   {"or", 2},  {"select", 3}};

bool Expr::operator==(const Expr &other) const {
  return op == other.op && value == other.value && operand == other.operand && axis == other.axis &&
         children == other.children;
}

namespace {

/// Evaluates without allocating; `failed` remembers the operation that had no value.
struct Evaluator {
  const ExprInputs &inputs;
  const Expr *failed = nullptr;

  int64_t fail(const Expr &expr) {
    if (!failed)
      failed = &expr;
    return 0;
  }

  int64_t leaf(const Expr &expr) {
    if (expr.op == Expr::Op::Constant)
      return expr.value;
    if (expr.op == Expr::Op::Sms)
      return inputs.sms;
    if (expr.operand < 0 || expr.operand >= static_cast<int64_t>(inputs.operands.size()))
      return fail(expr);
    const OperandSizes &operand = inputs.operands[expr.operand];
    if (expr.op == Expr::Op::Scalar)
      return operand.scalar;
    if (expr.op == Expr::Op::Alignment)
      return operand.address ? std::min<uint64_t>(operand.address & -operand.address, 4096) : 4096;
    if (expr.axis < 0 || expr.axis >= operand.rank)
      return fail(expr);
    return expr.op == Expr::Op::Dim ? operand.dims[expr.axis] : operand.strides[expr.axis];
  }

  int64_t divide(const Expr &expr, int64_t a, int64_t b) {
    if (b <= 0)
      return fail(expr);
    int64_t quotient = a / b, rest = a % b;
    if (expr.op == Expr::Op::Mod)
      return rest < 0 ? rest + b : rest;
    if (expr.op == Expr::Op::CeilDiv)
      return quotient + (rest > 0);
    return quotient - (rest < 0);
  }

  int64_t binary(const Expr &expr, int64_t a, int64_t b) {
    int64_t result;
    switch (expr.op) {
    case Expr::Op::Add:
      return __builtin_add_overflow(a, b, &result) ? fail(expr) : result;
    case Expr::Op::Sub:
      return __builtin_sub_overflow(a, b, &result) ? fail(expr) : result;
    case Expr::Op::Mul:
      return __builtin_mul_overflow(a, b, &result) ? fail(expr) : result;
    case Expr::Op::CeilDiv:
    case Expr::Op::FloorDiv:
    case Expr::Op::Mod:
      return divide(expr, a, b);
    case Expr::Op::Min:
      return std::min(a, b);
    case Expr::Op::Max:
      return std::max(a, b);
    case Expr::Op::Eq:
      return a == b;
    case Expr::Op::Ne:
      return a != b;
    case Expr::Op::Lt:
      return a < b;
    case Expr::Op::Le:
      return a <= b;
    default:
      return fail(expr);
    }
  }

  /// The second operand of `and`, `or` and the branch not taken of `select` are not looked at: a
  /// guard may protect a division.
  int64_t eval(const Expr &expr) {
    if (expr.op <= Expr::Op::Sms)
      return leaf(expr);
    if (expr.children.size() != static_cast<size_t>(kExprOps[static_cast<int>(expr.op)].children))
      return fail(expr);
    int64_t first = eval(expr.children[0]);
    if (expr.op == Expr::Op::And)
      return first ? eval(expr.children[1]) != 0 : 0;
    if (expr.op == Expr::Op::Or)
      return first ? 1 : eval(expr.children[1]) != 0;
    if (expr.op == Expr::Op::Select)
      return eval(expr.children[first ? 1 : 2]);
    return binary(expr, first, eval(expr.children[1]));
  }
};

} // namespace

Expected<int64_t> evaluate(const Expr &expr, const ExprInputs &inputs) {
  Evaluator evaluator{inputs};
  int64_t value = evaluator.eval(expr);
  if (!evaluator.failed)
    return value;
  return Error{"the size " + toString(expr, {}) + " has no 64-bit value: " +
               toString(*evaluator.failed, {}) + " overflows or divides by zero"};
}

std::string toString(const Expr &expr, const std::vector<std::string> &names) {
  if (expr.op == Expr::Op::Constant)
    return std::to_string(expr.value);
  std::string text = kExprOps[static_cast<int>(expr.op)].name;
  if (expr.op == Expr::Op::Sms)
    return text;
  text += '(';
  if (expr.op <= Expr::Op::Alignment) {
    bool named = expr.operand >= 0 && expr.operand < static_cast<int64_t>(names.size());
    text += named ? names[expr.operand] : "#" + std::to_string(expr.operand);
    if (expr.op == Expr::Op::Dim || expr.op == Expr::Op::Stride)
      text += ", " + std::to_string(expr.axis);
  }
  for (size_t i = 0; i < expr.children.size(); ++i)
    text += (i ? ", " : "") + toString(expr.children[i], names);
  return text + ')';
}

} // namespace fa_runtime
