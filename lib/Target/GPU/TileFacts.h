//===- TileFacts.h - What is known about a tile's values ------------------===//
#ifndef FA_TARGET_GPU_TILEFACTS_H
#define FA_TARGET_GPU_TILEFACTS_H

#include "TileGraph.h"

namespace mlir::fa {

/// A tile that is another one times a constant.
struct ScaledTile {
  Value source;
  double factor;
};

/// How `tile` is computed, if it is a multiplication by a positive constant and nothing else.
std::optional<ScaledTile> findScale(const TileGraph &graph, Value tile);

/// Says of values whether all finite ones are far from the largest f32, so that they may be
/// multiplied by log2(e) without becoming infinite. Results of dots count as far from it: within a
/// factor of 1.45 of overflow, they are taken for infinite.
class Magnitudes {
public:
  explicit Magnitudes(const TileGraph &graph) : graph(graph) {}

  /// `value` is a tile, or a scalar of the body of a map.
  bool isModerate(Value value);

private:
  bool compute(Value value);
  bool ofArgument(BlockArgument argument);
  bool ofBody(Operation *op);

  const TileGraph &graph;
  DenseMap<Value, bool> known;
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_TILEFACTS_H
