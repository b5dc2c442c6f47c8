//===- ScalarDerivative.h - Derivatives of scalar arithmetic --------------===//
//
// For straight-line code of arith and math ops on scalars, wherever it stands: a region of
// attention, a body of linalg. Knows nothing of attention.
//
// Gradients are computed in the type of the seed, whatever narrower types the code goes through.
// docs/Semantics.md, G5 and G6, states the rules.
//
//===----------------------------------------------------------------------===//
#ifndef FA_DIFFERENTIATE_SCALARDERIVATIVE_H
#define FA_DIFFERENTIATE_SCALARDERIVATIVE_H

#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// Whether `op` has a rule in `createProduct`.
bool hasDerivative(Operation *op);

/// Whether the derivative of `op`, whose operands may be floats, is 0 wherever it exists.
bool isPiecewiseConstant(Operation *op);

/// factor · ∂op/∂operand in the type of `factor`; null if it is 0 whatever `factor` is. `op` has a
/// derivative. Reverse mode sums these products over the uses of a value, forward mode over the
/// operands of an op.
Value createProduct(OpBuilder &builder, OpOperand &operand, Value factor);

/// The first op that `result` gets the value of an input through and that has no derivative; null
/// if there is none.
Operation *findUndifferentiable(Value result, ValueRange inputs);

/// seed · ∂result/∂input for every input, emitted at `builder`, where `result` and all it is
/// computed from can be used; null for what is 0 whatever `seed` is. Nothing on the way is
/// undifferentiable.
SmallVector<Value> createGradients(OpBuilder &builder, Value result, Value seed, ValueRange inputs);

} // namespace mlir::fa

#endif // FA_DIFFERENTIATE_SCALARDERIVATIVE_H
