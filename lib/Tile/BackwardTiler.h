//===- BackwardTiler.h - Builds the tile program of one gradient ----------===//
#ifndef FA_LIB_TILE_BACKWARDTILER_H
#define FA_LIB_TILE_BACKWARDTILER_H

#include "Accumulator.h"
#include "ScoreTile.h"
#include "fa/Differentiate/AttentionGradient.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {

/// Δ = rowsum(dO∘O) − dLSE, computed by a tile program of its own.
struct RowTensor {
  Value value;
  AffineMap map;
};
RowTensor createDelta(RewriterBase &rewriter, AttentionBackwardOp op, StringRef region);

/// The gradient of the sink, in the type of the result, from Δ.
Value createSinkGradientTensor(RewriterBase &rewriter, AttentionBackwardOp op, RowTensor delta);

/// Tiles one gradient. Tiles have keys as rows and queries as columns: keys stay while queries pass
/// by. The frame is moved along as loops are built.
class BackwardTiler {
public:
  BackwardTiler(RewriterBase &rewriter, AttentionBackwardOp op);

  /// Replaces the op by its tile program, which gets the name `region`.
  void tile(StringRef region);

private:
  /// What loops carry: one sum per gradient of `gradients`, and the gradients of the key tile and
  /// its values, inside the loops over queries.
  struct State {
    SmallVector<Value> sums;
    Value dKey, dValue; ///< null outside, and where not asked for

    SmallVector<Value> toValues() const;
    State fromValues(ValueRange values) const;
  };
  /// A gradient that tiles add to.
  struct TiledGradient {
    unsigned operand;
    Accumulator sum;
  };
  /// The values of a tile; those that maps read have their maps over (rows, columns).
  struct TileValues {
    MatrixTile query, dOutput;
    TileInput scores, weights, weightGradients, lse, delta;
    /// A select of −inf may have masked a key: its weight is 0, and what it is multiplied by may be
    /// anything.
    bool hasMask = false;

    /// For a product whose left, or right, factor is 0 where the weight is.
    ZeroFactor getZeroFactor(bool isLeft) const {
      return !hasMask ? ZeroFactor::Multiplies
             : isLeft ? ZeroFactor::Skips
                      : ZeroFactor::SkipsRight;
    }
  };

  // Loops (BackwardTiler.cpp).
  void listLoops();
  SmallVector<OpFoldResult> getShapeOf(AffineMap map);
  Value createParallelLoops(StringRef region);
  void createBody(scf::ForallOp forall);
  State createLoop(State state, OpFoldResult begin, OpFoldResult end, int64_t step, unsigned dim,
                   function_ref<State(State)> body);
  State createKeyLoops(ArrayRef<unsigned> dims, State state);
  State createKeyTile(State state);
  State createQueryLoops(ArrayRef<unsigned> dims, State state);
  State createQueryRanges(State state);
  std::optional<unsigned> findSum(unsigned operand) const;

  // One tile (BackwardTile.cpp).
  State createTile(State state, bool isFull);
  RegionInputs createInputs(bool isFull);
  TileValues createValues(const RegionInputs &inputs);
  void addValueGradient(State &state, const TileValues &values);
  void addScoreGradients(State &state, const TileValues &values, const RegionInputs &inputs);
  TileInput loadRowValue(Value tensor, AffineMap map);
  MatrixTile loadMatrixOf(unsigned operand, std::optional<unsigned> axis, DimRole role);
  TileInput viewAs(MatrixTile tile, unsigned axisLoop, unsigned groupLoop);
  RegionTile createWeights(const TileValues &values, const RegionInputs &inputs);
  Value createGradientTile(const TileValues &values, const RegionInputs &inputs,
                           std::optional<unsigned> extra);
  Value createZeros(OpFoldResult rows, OpFoldResult columns);
  void addGroup(State &state, unsigned operand, Value tile, DimRole role, bool isGroupFirst,
                std::optional<unsigned> axis);

  RewriterBase &rewriter;
  Location loc;
  AttentionBackwardOp op;
  TileFrame frame;
  SmallVector<KeyCondition> conditions;
  SmallVector<unsigned> parallelDims, keyLoops, queryLoops;
  SmallVector<TiledGradient> gradients;
  RowTensor delta;
  MatrixTile keyTile, valueTile;
  SmallVector<TileInput> extras;
};

} // namespace mlir::fa

#endif // FA_LIB_TILE_BACKWARDTILER_H
