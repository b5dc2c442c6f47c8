//===- Expr.h - Formulas over run-time sizes ------------------------------===//
//
// Grids, guards, workspace sizes and result shapes of an artifact are formulas over
// the sizes of its operands: small trees that are evaluated at every launch.
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_ARTIFACT_EXPR_H
#define FA_RUNTIME_ARTIFACT_EXPR_H

#include "Runtime/Expected.h"
#include <cstdint>
#include <string>
#include <vector>

namespace fa_runtime {

/// A formula over an entry's operands. Operands are numbered arguments first, then results.
/// Arithmetic is in int64; overflow, a division by zero or a negative divisor is an error.
/// Comparisons give 0 or 1; anything but 0 is true.
struct Expr {
  enum class Op : uint8_t {
    Constant,  ///< `value`
    Dim,       ///< size of dimension `axis` of operand `operand`
    Stride,    ///< its stride, in elements
    Scalar,    ///< value of the integer scalar `operand`
    Alignment, ///< largest power of two, at most 4096, that divides the operand's address
    Sms,       ///< multiprocessors of the device
    Add,
    Sub,
    Mul,
    CeilDiv,
    FloorDiv,
    Mod, ///< never negative
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
    Select ///< children: condition, value if true, value if false
  };

  Op op = Op::Constant;
  int64_t value = 0;
  int32_t operand = 0;
  int32_t axis = 0;
  std::vector<Expr> children;

  Expr() = default;
  /// A constant; implicit, so that `dim(0, 1) * 2` reads well.
  Expr(int64_t value) : value(value) {}
  Expr(Op op, std::vector<Expr> children) : op(op), children(std::move(children)) {}

  static Expr leaf(Op op, int32_t operand = 0, int32_t axis = 0) {
    Expr expr(op, {});
    expr.operand = operand;
    expr.axis = axis;
    return expr;
  }

  bool operator==(const Expr &other) const;
};

inline Expr dim(int32_t operand, int32_t axis) { return Expr::leaf(Expr::Op::Dim, operand, axis); }
inline Expr stride(int32_t operand, int32_t axis) {
  return Expr::leaf(Expr::Op::Stride, operand, axis);
}
inline Expr scalar(int32_t operand) { return Expr::leaf(Expr::Op::Scalar, operand); }
inline Expr alignment(int32_t operand) { return Expr::leaf(Expr::Op::Alignment, operand); }
inline Expr sms() { return Expr::leaf(Expr::Op::Sms); }
inline Expr operator+(Expr a, Expr b) { return Expr(Expr::Op::Add, {a, b}); }
inline Expr operator-(Expr a, Expr b) { return Expr(Expr::Op::Sub, {a, b}); }
inline Expr operator*(Expr a, Expr b) { return Expr(Expr::Op::Mul, {a, b}); }
inline Expr ceilDiv(Expr a, Expr b) { return Expr(Expr::Op::CeilDiv, {a, b}); }
inline Expr floorDiv(Expr a, Expr b) { return Expr(Expr::Op::FloorDiv, {a, b}); }
inline Expr mod(Expr a, Expr b) { return Expr(Expr::Op::Mod, {a, b}); }
inline Expr minimum(Expr a, Expr b) { return Expr(Expr::Op::Min, {a, b}); }
inline Expr maximum(Expr a, Expr b) { return Expr(Expr::Op::Max, {a, b}); }
inline Expr equal(Expr a, Expr b) { return Expr(Expr::Op::Eq, {a, b}); }
inline Expr notEqual(Expr a, Expr b) { return Expr(Expr::Op::Ne, {a, b}); }
inline Expr less(Expr a, Expr b) { return Expr(Expr::Op::Lt, {a, b}); }
inline Expr lessEqual(Expr a, Expr b) { return Expr(Expr::Op::Le, {a, b}); }
inline Expr both(Expr a, Expr b) { return Expr(Expr::Op::And, {a, b}); }
inline Expr either(Expr a, Expr b) { return Expr(Expr::Op::Or, {a, b}); }
inline Expr select(Expr condition, Expr then, Expr otherwise) {
  return Expr(Expr::Op::Select, {condition, then, otherwise});
}

/// How often each operation stands in the format: its name and number of children.
struct ExprOpInfo {
  const char *name;
  int children;
};
/// By Expr::Op.
extern const ExprOpInfo kExprOps[];
constexpr int kNumExprOps = static_cast<int>(Expr::Op::Select) + 1;

/// What an expression may look at. Scalars have no dims; tensors have no value.
struct OperandSizes {
  const int64_t *dims = nullptr;
  const int64_t *strides = nullptr; ///< in elements
  int32_t rank = 0;
  int64_t scalar = 0;
  uint64_t address = 0;
};

struct ExprInputs {
  std::vector<OperandSizes> operands;
  int64_t sms = 1;
};

/// The value of `expr`; the error names the operation that overflowed.
Expected<int64_t> evaluate(const Expr &expr, const ExprInputs &inputs);

/// As a person writes it: "ceildiv(dim(q, 2), 64)"; `names` are the operands' names.
std::string toString(const Expr &expr, const std::vector<std::string> &names);

} // namespace fa_runtime

#endif // FA_RUNTIME_ARTIFACT_EXPR_H
