//===- AccessLayout.cpp - How an access runs through a tensor -------------===//

#include "AccessLayout.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fa;

std::optional<Digit> mlir::fa::getDigit(ExprContext &exprs, Expr e) {
  Digit digit = {0, 1, 0, ShapedType::kDynamic, 1, e};
  if (e->kind == ExprKind::Mod) {
    digit.modulus = e->number;
    e = e->operands[0];
  }
  if (e->kind == ExprKind::FloorDiv) {
    digit.divisor = e->number;
    e = e->operands[0];
  }
  if (e->kind != ExprKind::Atom)
    return std::nullopt;
  digit.atom = e->number;
  if (digit.modulus)
    digit.size = digit.modulus;
  if (std::optional<int64_t> size = exprs.getAtomSize(digit.atom)->getInt()) {
    int64_t span = digit.divisor * std::max<int64_t>(digit.modulus, 1);
    if (*size % span != 0)
      return std::nullopt;
    if (!digit.modulus)
      digit.size = *size / digit.divisor;
  }
  return digit;
}

/// The digits of one index, checked to run through `size` exactly.
static std::optional<DimensionLayout> getDimensionLayout(ExprContext &exprs, Expr index,
                                                         int64_t size) {
  if (std::optional<int64_t> constant = index->getInt())
    return *constant == 0 && size == 1 ? std::optional(DimensionLayout()) : std::nullopt;
  DimensionLayout digits;
  bool isLinear = index->kind == ExprKind::Linear;
  if (isLinear && index->number != 0)
    return std::nullopt;
  for (unsigned i = 0, e = isLinear ? index->operands.size() : 1; i < e; ++i) {
    std::optional<Digit> digit = getDigit(exprs, isLinear ? index->operands[i] : index);
    if (!digit)
      return std::nullopt;
    digit->stride = isLinear ? index->coefficients[i] : 1;
    digits.push_back(*digit);
  }
  llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.stride > b.stride; });
  int64_t span = 1;
  for (Digit &digit : llvm::reverse(digits)) {
    if (ShapedType::isDynamic(span) || digit.stride != span)
      return std::nullopt;
    span = ShapedType::isDynamic(digit.size) ? digit.size : span * digit.size;
  }
  if (!ShapedType::isDynamic(span) && !ShapedType::isDynamic(size) && span != size)
    return std::nullopt;
  return digits;
}

static bool overlap(const Digit &a, const Digit &b) {
  if (a.atom != b.atom)
    return false;
  const Digit &low = a.divisor <= b.divisor ? a : b, &high = a.divisor <= b.divisor ? b : a;
  return !low.modulus || low.divisor * low.modulus > high.divisor;
}

std::optional<SmallVector<DimensionLayout>> mlir::fa::getLayout(ExprContext &exprs, Expr load) {
  auto type = cast<RankedTensorType>(load->value.getType());
  SmallVector<DimensionLayout> layout;
  SmallVector<Digit> all;
  for (auto [index, size] : llvm::zip_equal(load->operands, type.getShape())) {
    std::optional<DimensionLayout> digits = getDimensionLayout(exprs, index, size);
    if (!digits)
      return std::nullopt;
    for (Digit &digit : *digits) {
      if (llvm::any_of(all, [&](Digit &other) { return overlap(digit, other); }))
        return std::nullopt;
      all.push_back(digit);
    }
    layout.push_back(std::move(*digits));
  }
  return layout;
}
