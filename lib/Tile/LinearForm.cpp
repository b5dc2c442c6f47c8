//===- LinearForm.cpp - Integer arithmetic of a region as a linear form ---===//

#include "LinearForm.h"
#include "fa/Dialect/Attention/Attention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

/// Coefficients beyond this are no mask: refusing them keeps the sums below exact.
static constexpr int64_t kMaxCoefficient = int64_t(1) << 40;

int64_t LinearForm::getCoefficient(BlockArgument argument) const {
  for (const Term &term : terms)
    if (term.argument == argument)
      return term.coefficient;
  return 0;
}

int64_t LinearForm::getLimit(const Term &term) const {
  // Every term and the constant get an equal share of half the range: the other half is room for
  // the sum with a tile's size.
  int64_t share = (int64_t(1) << (width - 2)) / static_cast<int64_t>(terms.size() + 1);
  if (constantMagnitude > share)
    return 0;
  return share / term.magnitude;
}

/// The sum lhs + factor·rhs.
static std::optional<LinearForm> addScaled(const LinearForm &lhs, const LinearForm &rhs,
                                           int64_t factor) {
  LinearForm sum = lhs;
  sum.width = std::min(lhs.width, rhs.width);
  auto accumulate = [&](int64_t &value, int64_t &magnitude, int64_t add, int64_t addMagnitude) {
    int64_t product, productMagnitude;
    if (llvm::MulOverflow(add, factor, product) ||
        llvm::MulOverflow(addMagnitude, std::abs(factor), productMagnitude))
      return false;
    if (llvm::AddOverflow(value, product, value) ||
        llvm::AddOverflow(magnitude, productMagnitude, magnitude))
      return false;
    return magnitude <= kMaxCoefficient;
  };
  if (!accumulate(sum.constant, sum.constantMagnitude, rhs.constant, rhs.constantMagnitude))
    return std::nullopt;
  for (const LinearForm::Term &term : rhs.terms) {
    auto *known = llvm::find_if(sum.terms, [&](const LinearForm::Term &candidate) {
      return candidate.argument == term.argument;
    });
    if (known == sum.terms.end()) {
      sum.terms.push_back({term.argument, 0, 0});
      known = std::prev(sum.terms.end());
    }
    if (!accumulate(known->coefficient, known->magnitude, term.coefficient, term.magnitude))
      return std::nullopt;
  }
  return sum;
}

std::optional<LinearForm> fa::subtract(const LinearForm &lhs, const LinearForm &rhs) {
  return addScaled(lhs, rhs, -1);
}

bool fa::isPosition(BlockArgument argument) {
  auto op = cast<AttentionInterface>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  return number >= 1 && number <= op.getIndexedDims().size();
}

bool fa::isNonNegative(const LinearForm &form) {
  return form.constant >= 0 && llvm::all_of(form.terms, [&](const LinearForm::Term &term) {
           return term.coefficient >= 0 && isPosition(term.argument);
         });
}

/// The width of an integer or index type, if it takes part in the analysis.
static std::optional<unsigned> getWidth(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 8 || integer.getWidth() > 64)
    return std::nullopt;
  return integer.getWidth();
}

static std::optional<LinearForm> parseProduct(arith::MulIOp product) {
  APInt factor;
  Value other;
  if (matchPattern(product.getRhs(), m_ConstantInt(&factor)))
    other = product.getLhs();
  else if (matchPattern(product.getLhs(), m_ConstantInt(&factor)))
    other = product.getRhs();
  else
    return std::nullopt;
  std::optional<LinearForm> form = parseLinearForm(other);
  if (!form || factor.getSExtValue() > kMaxCoefficient || factor.getSExtValue() < -kMaxCoefficient)
    return std::nullopt;
  LinearForm zero;
  zero.width = form->width;
  return addScaled(zero, *form, factor.getSExtValue());
}

/// The form without the limit on the width of `value` itself.
static std::optional<LinearForm> parseUnlimited(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    LinearForm form;
    form.terms.push_back({argument, 1, 1});
    return form;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    LinearForm form;
    form.constant = constant.getSExtValue();
    if (form.constant < -kMaxCoefficient || form.constant > kMaxCoefficient)
      return std::nullopt;
    form.constantMagnitude = std::abs(form.constant);
    return form;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return parseLinearForm(op->getOperand(0));
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    // Value-preserving only for what is not negative: positions.
    std::optional<LinearForm> form = parseLinearForm(op->getOperand(0));
    return form && isNonNegative(*form) ? form : std::nullopt;
  }
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return parseProduct(product);
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<LinearForm> lhs = parseLinearForm(op->getOperand(0));
  std::optional<LinearForm> rhs = parseLinearForm(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return addScaled(*lhs, *rhs, isa<arith::AddIOp>(op) ? 1 : -1);
}

std::optional<LinearForm> fa::parseLinearForm(Value value) {
  std::optional<unsigned> width = getWidth(value.getType());
  if (!width)
    return std::nullopt;
  std::optional<LinearForm> form = parseUnlimited(value);
  // What is only read cannot wrap around.
  if (form && value.getDefiningOp() && !matchPattern(value, m_Constant()))
    form->width = std::min(form->width, *width);
  return form;
}
