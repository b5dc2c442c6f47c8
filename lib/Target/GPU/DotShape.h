//===- DotShape.h - A product of matrices as the emitter sees it ----------===//
#ifndef FA_TARGET_GPU_DOTSHAPE_H
#define FA_TARGET_GPU_DOTSHAPE_H

#include "KernelPlan.h"

namespace mlir::fa {

/// What a dot looks like, read off its maps.
struct DotShape {
  Value rows, columns;      ///< the inputs
  bool isRowsTransposed;    ///< stored (depth, row)
  bool isColumnsDepthMajor; ///< stored (depth, column), not (column, depth)
  Type element;             ///< of the product's inputs
  int64_t depth;            ///< length of the contraction
  int64_t columnFragments;

  explicit DotShape(Node &node) {
    linalg::GenericOp op = node.generic();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap rowMap = maps[node.rowInput], columnMap = maps[1 - node.rowInput];
    rows = op.getDpsInputs()[node.rowInput];
    columns = op.getDpsInputs()[1 - node.rowInput];
    isRowsTransposed = rowMap.getDimPosition(0) != maps[2].getDimPosition(0);
    isColumnsDepthMajor = columnMap.getDimPosition(1) == maps[2].getDimPosition(1);
    auto type = cast<RankedTensorType>(columns.getType());
    element = type.getElementType();
    depth = type.getDimSize(isColumnsDepthMajor ? 0 : 1);
    columnFragments = KernelPlan::columnFragments(op.getResult(0));
  }
  int64_t steps() const { return llvm::divideCeil(depth, dotDepth(element)); }
  /// Where the four values of an accumulator fragment begin.
  int64_t fragmentAt(int64_t rowFragment, int64_t columnFragment) const {
    return (rowFragment * columnFragments + columnFragment) * 4;
  }
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_DOTSHAPE_H
