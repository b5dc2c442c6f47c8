//===- VectorizeTiles.h - Linalg ops on tiles as loops over vectors -------===//
#ifndef FA_LIB_TARGET_CPU_VECTORIZETILES_H
#define FA_LIB_TARGET_CPU_VECTORIZETILES_H

#include "TileOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {

/// Elements of one vector over a dimension of `size` elements: as many as fill 64 bytes of `type`,
/// or a smaller power of two that divides the size.
int64_t getLanes(int64_t size, Type type);

/// True if neighbours along result `axis` of the buffer type are neighbours in memory.
bool isContiguous(MemRefType type, unsigned axis);

/// A vector of neighbours along the contiguous `axis` of a buffer, from `indices` on.
Value loadVector(OpBuilder &builder, Location loc, VectorType type, Value buffer,
                 ArrayRef<Value> indices, unsigned axis);
void storeVector(OpBuilder &builder, Location loc, Value vector, Value buffer,
                 ArrayRef<Value> indices, unsigned axis);

/// Replaces a dot on buffers by register-blocked loops of fused multiply-adds; changes nothing and
/// fails where the rows of the output are not contiguous or there is no vector in them.
LogicalResult vectorizeDot(RewriterBase &rewriter, linalg::GenericOp op, DotForm form);

/// Replaces an elementwise map or a row reduction on buffers by loops over vectors; changes nothing
/// and fails where no dimension serves for that.
LogicalResult vectorizeMap(RewriterBase &rewriter, linalg::GenericOp op);

} // namespace mlir::fa

#endif // FA_LIB_TARGET_CPU_VECTORIZETILES_H
