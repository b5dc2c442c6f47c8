//===- AccessLayout.h - How an access runs through a tensor ---------------===//
#ifndef FA_LIB_RAISE_ACCESSLAYOUT_H
#define FA_LIB_RAISE_ACCESSLAYOUT_H

#include "Expr.h"

namespace mlir::fa {

/// One digit of an atom in mixed radix: (atom floordiv divisor) mod modulus, without the mod where
/// `modulus` is 0. `size` is the number of its values, or ShapedType::kDynamic.
struct Digit {
  unsigned atom;
  int64_t divisor;
  int64_t modulus;
  int64_t size;
  int64_t stride;
  Expr expr;
};

/// The digits that index one dimension, outermost first; none where the index is 0 in a dimension
/// of size 1.
using DimensionLayout = SmallVector<Digit, 2>;

/// The layout of an access: every dimension is run through exactly, by digits that are disjoint
/// over all dimensions. Null for any other access (an offset, a diagonal, data as an index).
std::optional<SmallVector<DimensionLayout>> getLayout(ExprContext &exprs, Expr load);

/// `e` as a digit of an atom.
std::optional<Digit> getDigit(ExprContext &exprs, Expr e);

} // namespace mlir::fa

#endif // FA_LIB_RAISE_ACCESSLAYOUT_H
