//===- MatchBodies.h - What the body of a tile op computes ----------------===//
#ifndef FA_TARGET_GPU_MATCHBODIES_H
#define FA_TARGET_GPU_MATCHBODIES_H

#include "TileGraph.h"

namespace mlir::fa {

/// A body over (a, b, acc) that is `acc + ext(a)·ext(b)`.
struct MultiplyAdd {
  /// The input (0 or 1) whose zeros leave the product out: infinities and NaN of the other one
  /// count only where this one is not 0. None: a plain product.
  std::optional<unsigned> guard;
};

/// The body as a multiplication and addition; none if it is something else.
std::optional<MultiplyAdd> matchMultiplyAdd(Block &body);

/// How a body over (value, acc) combines the two; none if it is no single operation on them.
std::optional<Combiner> findCombiner(Block &body);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_MATCHBODIES_H
