//===- TraceBody.h - Scalar ops as expressions ----------------------------===//
#ifndef FA_LIB_RAISE_TRACEBODY_H
#define FA_LIB_RAISE_TRACEBODY_H

#include "Expr.h"

namespace mlir::fa {

/// The scalar arith or math op `op` on `operands`; null if it has no place in an expression (it
/// reinterprets bits, has regions, or works on types that expressions do not have).
Expr applyOp(ExprContext &exprs, Operation *op, ArrayRef<Expr> operands, Type resultType);

/// An affine expression with expressions for its dimensions and symbols; null if it divides by
/// something that is not constant.
Expr applyAffine(ExprContext &exprs, AffineExpr expr, ArrayRef<Expr> dims, ArrayRef<Expr> symbols);

} // namespace mlir::fa

#endif // FA_LIB_RAISE_TRACEBODY_H
