//===- UnitDims.h - Dimensions of size 1 that maps have constants for -----===//
//
// A map of an attention op has constant 0 where its tensor has a dimension of size 1 that is no
// loop dimension (A2).
//
//===----------------------------------------------------------------------===//
#ifndef FA_DIALECT_ATTENTION_UNITDIMS_H
#define FA_DIALECT_ATTENTION_UNITDIMS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// `map` without its constants.
AffineMap dropConstants(AffineMap map);

/// `value`, whose dimensions are those of `map` that are not dropped, with dimensions of size 1
/// where `isDropped` holds.
Value createUnitDims(OpBuilder &builder, Location loc, Value value, ArrayRef<bool> isDropped);
/// The same where `map` has constants.
Value createUnitDims(OpBuilder &builder, Location loc, Value value, AffineMap map);

/// The slice of `tensor` at these offsets, without the dimensions that are dropped, which have
/// size 1.
Value createReducedSlice(OpBuilder &builder, Location loc, Value tensor,
                         ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                         ArrayRef<bool> isDropped);

/// What to insert at a slice of these sizes so that it becomes `source`, which does not have the
/// dimensions that are dropped.
Value createInsertSource(OpBuilder &builder, Location loc, Value source,
                         ArrayRef<OpFoldResult> sizes, ArrayRef<bool> isDropped);

} // namespace mlir::fa

#endif // FA_DIALECT_ATTENTION_UNITDIMS_H
