//===- ChooseSchedule.h - Tile sizes for mma.sync -------------------------===//
#ifndef FA_TARGET_GPU_SM80_CHOOSESCHEDULE_H
#define FA_TARGET_GPU_SM80_CHOOSESCHEDULE_H

#include "fa/Dialect/Attention/Attention.h"
#include "fa/Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {

/// The schedules to try, best first: what was found fastest without spills, then, for when the
/// planner refuses, fewer stages, a smaller key tile, a smaller query tile. Fails with an error on
/// an op that no schedule fits.
FailureOr<SmallVector<ScheduleAttr>> listSm80Schedules(AttentionOp op, const Machine &machine);

/// The only scheduled op of a function that holds one region; null if there is none or several.
AttentionOp findRegion(func::FuncOp function);

/// Dims of operands that must have equal sizes, as (operand, dim) pairs, a set for each loop.
/// Operands are the function's arguments.
using DimOfOperand = std::pair<unsigned, unsigned>;
SmallVector<SmallVector<DimOfOperand>> listEqualDims(AttentionOp op);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_SM80_CHOOSESCHEDULE_H
