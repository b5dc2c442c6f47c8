//===- ChooseDims.h - The loop dimensions of an attention op --------------===//
#ifndef FA_LIB_RAISE_CHOOSEDIMS_H
#define FA_LIB_RAISE_CHOOSEDIMS_H

#include "MatchAttention.h"
#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// The loop dimensions of a match: which atoms there are, and what each ranges over.
struct LoopDims {
  /// In loop order: batch, query, key, head, value.
  SmallVector<Expr> atoms;
  SmallVector<DimRole> roles;

  unsigned getDim(Expr atom) const { return llvm::find(atoms, atom) - atoms.begin(); }
};

/// Splits atoms wherever an operand reads only a digit of one (heads out of batch·heads, groups out
/// of heads), so that every operand is indexed by whole atoms; rewrites `match` to them.
LogicalResult splitAtoms(ExprContext &exprs, AttentionMatch &match, Mismatch &mismatch);

/// Gives loops of size 1 that no operand reads a place in one that has a dimension of size 1, and
/// makes such a loop of the queries if there is no other: the op wants a dimension for each sum,
/// and tiles want rows.
void bindUnitAtoms(ExprContext &exprs, AttentionMatch &match);

/// The roles of the atoms of `match`, whose operands are indexed by whole atoms.
FailureOr<LoopDims> chooseDims(ExprContext &exprs, const AttentionMatch &match, Mismatch &mismatch);

/// What the regions and the sink read; with `nested`, the loads of their indices too.
SmallVector<Expr> getRegionLoads(const AttentionMatch &match, bool nested = false);

/// Every load of the match, those in indices included.
SmallVector<Expr> getAllLoads(const AttentionMatch &match);

} // namespace mlir::fa

#endif // FA_LIB_RAISE_CHOOSEDIMS_H
