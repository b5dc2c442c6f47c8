//===- PlanPlacement.h - The steps of planning ----------------------------===//
#ifndef FA_TARGET_GPU_PLANPLACEMENT_H
#define FA_TARGET_GPU_PLANPLACEMENT_H

#include "KernelPlan.h"

namespace mlir::fa {

/// Gives every tile value its place.
LogicalResult placeTiles(const TileGraph &graph, KernelPlan &plan);

/// Finds the loops whose loads are one sequence.
void chainLoops(const TileGraph &graph, KernelPlan &plan);

/// The registers that a thread needs at the busiest point, and which row operands may stay in
/// registers.
void estimateRegisters(const TileGraph &graph, KernelPlan &plan);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_PLANPLACEMENT_H
