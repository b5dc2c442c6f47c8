//===- BuildAttention.h - From a match to the op --------------------------===//
#ifndef FA_LIB_RAISE_BUILDATTENTION_H
#define FA_LIB_RAISE_BUILDATTENTION_H

#include "ChooseDims.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fa {

/// Creates values and regions for expressions, in front of the op that attention replaces.
class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Tracer &tracer, const AttentionMatch &match,
                   const LoopDims &dims);

  /// Creates `fa.attention` and the views around it; returns the value that replaces the root.
  Value build();
  /// The value of `row` from the results of the op, after `build`.
  Value buildRow(const RowResult &row);
  /// The op that was created.
  AttentionOp getOp() { return op; }

private:
  /// An operand of the op: a tensor with a map, or a scalar.
  struct Operand {
    Value value;
    AffineMap map;
  };

  /// `value`, cloned into the module if it exists in a scratch copy only.
  Value materialize(Value value);
  /// A scalar that depends on no loop index, computed outside of the op.
  Value emitScalar(Expr e);
  Operand readOperand(Expr load);
  Operand getScalarOperand(Expr e);
  Operand readSink();
  Operand copyExpression(Expr e);
  Value convert(OpBuilder &inside, Value value);
  Value castFloat(OpBuilder &inside, Value value, Type type);
  Value emitElement(Expr load);
  Value expandDims(Value tensor, ArrayRef<SmallVector<Expr>> groups);
  /// The atoms of an index, outermost first.
  SmallVector<Expr> getAtoms(Expr index);

  void collectExtras(Expr e, llvm::DenseSet<Expr> &seen);
  bool isHoisted(Expr e);
  void fillRegion(Region &region, Expr e, int64_t marker);
  Value emit(OpBuilder &inside, Expr e, llvm::DenseMap<Expr, Value> &values);
  Value emitIndex(OpBuilder &inside, Expr e, llvm::DenseMap<Expr, Value> &values);
  Type getType(Type type);

  /// A tensor of `type`, which `indices` run through, with one dimension per atom.
  RankedTensorType getExpandedType(RankedTensorType type, ArrayRef<Expr> indices, AffineMap &map);
  /// The inverse on values.
  Value restoreShape(Value expanded, RankedTensorType type, ArrayRef<Expr> indices);
  /// The type of a result with one number per row, and its map.
  RankedTensorType getRowType(AffineMap &map);

  OpBuilder &builder;
  Tracer &tracer;
  ExprContext &exprs;
  const AttentionMatch &match;
  const LoopDims &dims;
  Location loc;
  FloatType accumulation;
  SmallVector<Operand> extras;
  llvm::DenseMap<Expr, unsigned> extraNumbers;
  llvm::DenseMap<Expr, Value> scalars;
  IRMapping cloned;
  AttentionOp op;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_BUILDATTENTION_H
