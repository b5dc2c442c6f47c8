//===- ChooseSchedule.cpp - fa-sm80-choose-schedule -----------------------===//

#include "ChooseSchedule.h"
#include "fa/Target/GPU/Passes.h"

namespace mlir::fa {
#define GEN_PASS_DEF_CHOOSESM80SCHEDULE
#include "fa/Target/GPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {

/// What the choice depends on.
struct Problem {
  int64_t dim = 1;            ///< the larger of head and value dim
  bool isWide = false;        ///< f32 operands
  bool hasTileExtras = false; ///< an operand with an element for every score
  bool mayMask = false;       ///< products may have to leave keys out, which takes registers
  int64_t queries = ShapedType::kDynamic, keys = ShapedType::kDynamic; ///< of the tiled dims
};

struct Tiles {
  int64_t query, key, stages, warps;
};

} // namespace

/// The product of the sizes of the dims with a role; dynamic if one of them is.
static int64_t getRoleSize(AttentionOp op, DimRole role) {
  int64_t size = 1;
  for (unsigned dim : op.getDims(role)) {
    int64_t one = op.getStaticLoopSize(dim);
    if (ShapedType::isDynamic(one))
      return ShapedType::kDynamic;
    size *= one;
  }
  return size;
}

/// The largest of the dims with a role, which is the one that is tiled.
static int64_t getTiledSize(AttentionOp op, DimRole role) {
  int64_t largest = 1;
  for (unsigned dim : op.getDims(role)) {
    int64_t size = op.getStaticLoopSize(dim);
    if (ShapedType::isDynamic(size))
      return size;
    largest = std::max(largest, size);
  }
  return largest;
}

static FailureOr<Problem> describe(AttentionOp op) {
  Problem problem;
  int64_t head = getRoleSize(op, DimRole::head_dim), value = getRoleSize(op, DimRole::value_dim);
  if (ShapedType::isDynamic(head) || ShapedType::isDynamic(value))
    return op.emitOpError("cannot be scheduled for a GPU: expects static head and value dims"),
           failure();
  problem.dim = std::max(head, value);
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()}) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (!element.isF16() && !element.isBF16() && !element.isF32())
      return op.emitOpError(
                 "cannot be scheduled for a GPU: expects f16, bf16 or f32 operands, got ")
                 << element,
             failure();
    problem.isWide |= element.isF32();
  }
  for (unsigned i = 0; i < op.getExtras().size(); ++i) {
    auto uses = [&](DimRole role) {
      return llvm::any_of(op.getDims(role),
                          [&](unsigned dim) { return op.getExtraMap(i).isFunctionOfDim(dim); });
    };
    problem.hasTileExtras |= uses(DimRole::query) && uses(DimRole::key);
  }
  problem.mayMask = !op.getScore().getOps<arith::SelectOp>().empty();
  problem.queries = getTiledSize(op, DimRole::query);
  problem.keys = getTiledSize(op, DimRole::key);
  return problem;
}

/// The largest tiles that ptxas assembles without spills for every mask. Two fragments of rows a
/// warp halve the traffic from shared memory, where the accumulators leave the registers for it.
static Tiles chooseTiles(const Problem &problem) {
  if (problem.isWide)
    return {64, problem.dim <= 128 ? 32 : problem.dim <= 160 ? 16 : 8, 2, 4};
  if (problem.dim <= 64) {
    // Half of the last pair of column fragments is computed for nothing where the dim is odd.
    int64_t warps = problem.mayMask && problem.dim % 16 ? 8 : 4;
    return problem.hasTileExtras ? Tiles{64, 64, 2, 4} : Tiles{128, 64, 2, warps};
  }
  if (problem.dim <= 128)
    return problem.hasTileExtras ? Tiles{64, 64, 2, 4} : Tiles{128, 64, 2, 8};
  if (problem.dim <= 160 && !problem.hasTileExtras)
    return {64, 64, 2, 4};
  return {64, 32, 2, 4};
}

/// Short sequences need no more than their own length.
static Tiles fitTiles(Tiles tiles, const Problem &problem) {
  if (!ShapedType::isDynamic(problem.queries))
    tiles.query =
        std::min<int64_t>(tiles.query, std::max<int64_t>(16, llvm::PowerOf2Ceil(problem.queries)));
  if (!ShapedType::isDynamic(problem.keys))
    tiles.key = std::min(tiles.key, std::max<int64_t>(16, llvm::alignTo(problem.keys, 16)));
  tiles.warps = std::min(tiles.warps, tiles.query / 16);
  return tiles;
}

FailureOr<SmallVector<ScheduleAttr>> mlir::fa::listSm80Schedules(AttentionOp op,
                                                                 const Machine &machine) {
  FailureOr<Problem> problem = describe(op);
  if (failed(problem))
    return failure();
  SmallVector<ScheduleAttr> schedules;
  auto add = [&](Tiles tiles) {
    schedules.push_back(
        ScheduleAttr::get(op.getContext(), tiles.query, tiles.key, tiles.stages, tiles.warps));
  };
  Tiles tiles = fitTiles(chooseTiles(*problem), *problem);
  add(tiles);
  tiles.stages = 1;
  add(tiles);
  while (tiles.key > 16) {
    tiles.key = llvm::alignTo(tiles.key / 2, 16);
    add(tiles);
  }
  while (tiles.query > 16) {
    tiles.query = llvm::alignTo(tiles.query / 2, 16);
    tiles.warps = std::min(tiles.warps, tiles.query / 16);
    add(tiles);
  }
  return schedules;
}

AttentionOp mlir::fa::findRegion(func::FuncOp function) {
  auto ops = function.getOps<AttentionOp>();
  return llvm::hasSingleElement(ops) ? *ops.begin() : AttentionOp();
}

SmallVector<SmallVector<DimOfOperand>> mlir::fa::listEqualDims(AttentionOp op) {
  SmallVector<SmallVector<DimOfOperand>> sets(op.getNumLoops());
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || !isa<RankedTensorType>(operand.getType()))
      continue;
    for (auto [dim, expr] : llvm::enumerate(op.getMap(index).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        sets[loop.getPosition()].push_back({argument.getArgNumber(), dim});
  }
  llvm::erase_if(sets, [](auto &set) { return set.empty(); });
  return sets;
}

namespace {
struct ChooseSm80Schedule : fa::impl::ChooseSm80ScheduleBase<ChooseSm80Schedule> {
  using ChooseSm80ScheduleBase::ChooseSm80ScheduleBase;

  void runOnOperation() override {
    const Machine *row = findMachine(machine);
    if (!row || !row->isGPU()) {
      emitError(getOperation()->getLoc(), "expects the name of a GPU, got \"")
          << machine << "\"; known machines: " << listMachineNames();
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk([&](AttentionOp op) {
      if (op.getScheduleAttr())
        return WalkResult::advance();
      FailureOr<SmallVector<ScheduleAttr>> schedules = listSm80Schedules(op, *row);
      if (failed(schedules))
        return WalkResult::interrupt();
      op.setScheduleAttr(schedules->front());
      return WalkResult::advance();
    });
    WalkResult gradients = getOperation()->walk([](AttentionBackwardOp op) {
      op.emitOpError("has no GPU kernels yet: expects machine=host");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted() || gradients.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
