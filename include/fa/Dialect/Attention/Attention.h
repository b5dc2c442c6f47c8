//===- Attention.h - The fa dialect ---------------------------------------===//
#ifndef FA_DIALECT_ATTENTION_ATTENTION_H
#define FA_DIALECT_ATTENTION_ATTENTION_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "fa/Dialect/Attention/AttentionDialect.h.inc"
#include "fa/Dialect/Attention/AttentionEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/Dialect/Attention/AttentionAttrs.h.inc"

namespace mlir::fa::detail {
/// See AttentionInterface; for any op that implements it.
int64_t getStaticLoopSize(Operation *op, unsigned dim);
OpFoldResult getLoopSize(Operation *op, OpBuilder &builder, Location loc, unsigned dim);
LogicalResult reifyResultShapes(Operation *op, OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes);
} // namespace mlir::fa::detail

#include "fa/Dialect/Attention/AttentionInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/Attention/AttentionOps.h.inc"

#endif // FA_DIALECT_ATTENTION_ATTENTION_H
