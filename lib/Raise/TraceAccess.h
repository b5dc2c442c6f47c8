//===- TraceAccess.h - From a tensor element to what computes it ----------===//
#ifndef FA_LIB_RAISE_TRACEACCESS_H
#define FA_LIB_RAISE_TRACEACCESS_H

#include "Expr.h"
#include "fa/Normalize/OpMeaning.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fa {

/// A reduction, opened at one element of its result: `init ∘ body[i₀] ∘ body[i₁] ∘ …`.
struct Reduction {
  linalg::LinalgOp op;
  /// The combining op's name, `arith.addf`, `arith.maximumf`, `arith.ori`, …
  StringRef combiner;
  Expr body;
  Expr init;
};

/// Follows element accesses backwards through the ops that produce a tensor. Reads the IR (and
/// scratch copies of single ops), never changes it.
class Tracer {
public:
  /// With `keepGathers`, `resolve` keeps accesses that no view can express; otherwise it stops
  /// before them, at a tensor that the IR has.
  Tracer(ExprContext &exprs, OpMeaning &meaning, bool keepGathers = false)
      : exprs(exprs), meaning(meaning), keepGathers(keepGathers) {}

  /// The element of `tensor` at `indices`, not yet followed.
  Expr access(Value tensor, ArrayRef<Expr> indices);
  /// One step: what computes this `Load`; null if it is a leaf (an argument, a reduction, an op
  /// without a known meaning).
  Expr expand(Expr load);
  /// Follows loads until the outermost node is an op or a leaf.
  Expr toHead(Expr e);
  /// Follows every load in `e` as far as the accesses that remain can be addressed by views.
  Expr resolve(Expr e);
  /// The value of a scalar outside of any body.
  Expr evaluate(Value scalar);
  /// The size of a dimension.
  Expr size(Value tensor, int64_t dimension);

  /// The op whose reduction `load` reads; null if it reads something else.
  linalg::LinalgOp getReductionOp(Expr load);
  /// The sizes of the reduction's own loops, in loop order.
  SmallVector<Expr> getReductionSizes(linalg::LinalgOp op);
  /// Loop indices for a reduction of these sizes: atoms, which are appended to `atoms`, and 0 for
  /// loops of size 1 beside others.
  SmallVector<Expr> makeReductionIndices(ArrayRef<Expr> sizes, SmallVectorImpl<Expr> &atoms);
  /// Opens the reduction that `load` reads, its own loops at `reductionIndices`.
  std::optional<Reduction> open(Expr load, ArrayRef<Expr> reductionIndices);

  /// True if an access can be read through views: each index is a sum of disjoint digits of atoms
  /// that runs through its dimension exactly.
  bool isViewable(Expr load);

  ExprContext &exprs;
  OpMeaning &meaning;

private:
  const bool keepGathers;
  /// The values that are known while a body is evaluated.
  struct Body {
    llvm::DenseMap<Value, Expr> values;
    SmallVector<Expr> loops;
    /// What is not inside of this op is outside of the body; null for no body.
    Operation *scope = nullptr;
  };
  using Indices = SmallVector<Expr>;

  Expr tryResolve(Expr e);
  Expr expandOp(Operation *op, unsigned result, ArrayRef<Expr> indices);
  Expr expandLinalg(linalg::LinalgOp op, unsigned result, ArrayRef<Expr> indices);
  Expr expandElementwise(Operation *op, ArrayRef<Expr> indices);
  Expr expandConstant(Value constant, DenseElementsAttr value, ArrayRef<Expr> indices);
  Expr expandShapeOp(Operation *op, ArrayRef<Expr> indices);
  Expr expandReshape(Operation *op, ArrayRef<Expr> indices);
  Expr expandSlice(Operation *op, ArrayRef<Expr> indices);
  Expr expandInsertSlice(Operation *op, ArrayRef<Expr> indices);
  Expr expandConcat(Operation *op, ArrayRef<Expr> indices);
  Expr expandPad(Operation *op, ArrayRef<Expr> indices);
  /// The value of `value` in a body; null if it is not scalar arithmetic.
  Expr evaluate(Value value, Body &body);
  Expr evaluateOp(Operation *op, unsigned result, Body &body);
  Expr evaluateAccess(Value tensor, ArrayRef<Expr> indices, Body &body);
  /// Binds loops and block arguments; null `loops` entries make it fail.
  LogicalResult enterBody(linalg::LinalgOp op, ArrayRef<Expr> loops, Body &body);
  /// The loop indices that produce the element `indices` of `result`; the loops that the result
  /// does not name take `others` in order.
  FailureOr<Indices> invertMap(linalg::LinalgOp op, unsigned result, ArrayRef<Expr> indices,
                               ArrayRef<Expr> others);
  void equateSizes(linalg::LinalgOp op);
  Expr computeSize(Value tensor, int64_t dimension);
  Expr evaluate(OpFoldResult value);
  /// False if `indices` may leave part of a dimension of `tensor` unread, or cannot be shown not
  /// to.
  bool coversKnownSizes(Value tensor, ArrayRef<Expr> indices);

  llvm::DenseMap<Expr, Expr> expanded, resolved;
  llvm::DenseMap<std::pair<Value, int64_t>, Expr> sizes;
  llvm::DenseMap<Value, Expr> scalars;
  llvm::DenseSet<Operation *> equated;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_TRACEACCESS_H
