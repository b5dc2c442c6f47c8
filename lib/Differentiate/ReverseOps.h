//===- ReverseOps.h - Gradients through ops on whole tensors --------------===//
#ifndef FA_LIB_DIFFERENTIATE_REVERSEOPS_H
#define FA_LIB_DIFFERENTIATE_REVERSEOPS_H

#include "fa/Dialect/Attention/Attention.h"

namespace mlir::fa {

/// The gradients of values in reverse mode.
class TensorGradients {
public:
  TensorGradients(OpBuilder &builder, const llvm::DenseSet<Value> &active)
      : builder(builder), active(active) {}

  /// Whether a gradient of `value` is wanted.
  bool isActive(Value value) const { return active.contains(value); }
  /// The gradient of `value` so far, of its type; null for 0.
  Value get(Value value) const { return gradients.lookup(value); }
  Value getOrCreateZero(Location loc, Value value);
  void add(Location loc, Value value, Value gradient);
  OpBuilder &getBuilder() { return builder; }

private:
  OpBuilder &builder;
  const llvm::DenseSet<Value> &active;
  llvm::DenseMap<Value, Value> gradients;
};

/// A tensor of zeros with the shape and type of `value`.
Value createZeroLike(OpBuilder &builder, Location loc, Value value);

/// Adds to the gradients of `op`'s operands what the gradient of its result makes of them. Fails
/// with an error if the op is none that is known; `op` is not attention.
LogicalResult reverseTensorOp(Operation *op, TensorGradients &gradients);

/// The same for attention, whose output and LSE are `output` and `lse`.
LogicalResult reverseAttention(AttentionOp op, Value output, Value lse, AffineMap lseMap,
                               TensorGradients &gradients);

} // namespace mlir::fa

#endif // FA_LIB_DIFFERENTIATE_REVERSEOPS_H
