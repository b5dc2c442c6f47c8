//===- TraceReshape.h - Indices through a change of shape -----------------===//
#ifndef FA_LIB_RAISE_TRACERESHAPE_H
#define FA_LIB_RAISE_TRACERESHAPE_H

#include "TraceAccess.h"

namespace mlir::fa {

/// Splits one index into indices of the dimensions `sizes`, outermost first. Only the outermost
/// dimension that is not of size 1 may be dynamic.
bool splitIndex(ExprContext &exprs, Expr index, ArrayRef<Expr> sizes, SmallVectorImpl<Expr> &parts);

/// The index into the collapsed dimension; null if an inner size is not known.
Expr joinIndices(ExprContext &exprs, ArrayRef<Expr> indices, ArrayRef<Expr> sizes);

} // namespace mlir::fa

#endif // FA_LIB_RAISE_TRACERESHAPE_H
