//===- MatchBodies.h - What the body of a tile op computes ----------------===//
#ifndef FA_TARGET_GPU_MATCHBODIES_H
#define FA_TARGET_GPU_MATCHBODIES_H

#include "TileGraph.h"

namespace mlir::fa {

/// True if a body over (a, b, acc) is `acc + ext(a)·ext(b)`. The product may be left out where a
/// factor is 0: the two differ for infinities and NaN only.
bool isMultiplyAdd(Block &body);

/// How a body over (value, acc) combines the two; none if it is no single operation on them.
std::optional<Combiner> findCombiner(Block &body);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_MATCHBODIES_H
