//===- TileNodes.h - The nodes of a tile program, as builder functions ----===//
//
// The graph nodes of docs/Rationale/tile-program.md on tiles of rows x columns: each function
// creates one node's spelling. Tiles are tensors; row vectors have one value per row, column
// vectors one per column.
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_TILE_TILENODES_H
#define FA_LIB_TILE_TILENODES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// An operand of a node, with its indexing map over the node's loops.
struct TileInput {
  Value value;
  AffineMap map;
};

/// The maps of a node over two loops: the whole tile, its rows, its columns.
AffineMap getTileMap(MLIRContext *context);
AffineMap getRowMap(MLIRContext *context);
AffineMap getColumnMap(MLIRContext *context);
/// The map (i) -> (i) of a node over a vector.
AffineMap getVectorMap(MLIRContext *context);

/// Creates the body of a map from one element of each input.
using TileBody = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// A tensor with every element `value` (a scalar).
Value createFill(OpBuilder &builder, Location loc, Value value, ArrayRef<OpFoldResult> shape);
/// The same with a floating-point constant.
Value createFill(OpBuilder &builder, Location loc, double value, FloatType type,
                 ArrayRef<OpFoldResult> shape);

/// An elementwise map over `shape`, whose body may read the element's position with linalg.index.
Value createMap(OpBuilder &builder, Location loc, ArrayRef<TileInput> inputs,
                ArrayRef<OpFoldResult> shape, Type elementType, TileBody body);

/// What a product adds where its left (or right) factor is 0.
enum class ZeroFactor {
  Multiplies, ///< 0·x, which is NaN if x is not finite
  Skips,      ///< nothing, whatever x is
  SkipsRight  ///< the same where the right factor is 0
};

/// init[i,j] + Σ_k lhs·rhs in the type of `init`; the maps are over (i, j, k).
Value createDot(OpBuilder &builder, Location loc, TileInput lhs, TileInput rhs, Value init,
                ZeroFactor zero = ZeroFactor::Multiplies);

enum class RowCombiner { Maximum, Sum };

/// The combination of every row of `matrix` with the row vector `init`.
Value createRowReduction(OpBuilder &builder, Location loc, Value matrix, Value init,
                         RowCombiner combiner);

/// `tile`, of any rank, in the floating-point type `element`.
Value convertTile(OpBuilder &builder, Location loc, Value tile, Type element);

/// The constant `value` of floating-point type `type`; infinities and NaN are allowed.
Value createFloat(OpBuilder &builder, Location loc, double value, FloatType type);

/// The shape of a tensor, static where it is known.
SmallVector<OpFoldResult> getShape(OpBuilder &builder, Location loc, Value tensor);

} // namespace mlir::fa

#endif // FA_LIB_TILE_TILENODES_H
