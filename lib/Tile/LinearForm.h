//===- LinearForm.h - Integer arithmetic of a region as a linear form -----===//
#ifndef FA_LIB_TILE_LINEARFORM_H
#define FA_LIB_TILE_LINEARFORM_H

#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::fa {

/// Σ coefficient·argument + constant over the integer arguments of a region: what integer ops of
/// the region compute, as long as none of them wraps around.
struct LinearForm {
  struct Term {
    BlockArgument argument;
    int64_t coefficient;
    /// Σ |coefficient| over all steps of the computation: bounds what intermediate results reach.
    int64_t magnitude;
  };
  SmallVector<Term> terms;
  int64_t constant = 0;
  int64_t constantMagnitude = 0;
  /// The narrowest type of the computation, in bits; an index has 64.
  unsigned width = 64;

  int64_t getCoefficient(BlockArgument argument) const;
  /// The largest |argument| for which no step wraps around, if the other arguments keep their
  /// limits too; 0 if the constant alone may be too large.
  int64_t getLimit(const Term &term) const;
};

/// The form that `value`, of an attention op's region, computes, if it is one.
std::optional<LinearForm> parseLinearForm(Value value);

/// lhs − rhs.
std::optional<LinearForm> subtract(const LinearForm &lhs, const LinearForm &rhs);

/// True if `argument` of an attention op's region is the index of a dimension, so never negative.
bool isPosition(BlockArgument argument);

/// True if the form has no negative coefficient and positions only.
bool isNonNegative(const LinearForm &form);

} // namespace mlir::fa

#endif // FA_LIB_TILE_LINEARFORM_H
