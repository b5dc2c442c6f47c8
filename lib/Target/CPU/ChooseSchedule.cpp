//===- ChooseSchedule.cpp - fa-choose-schedule ----------------------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "fa/Machine/Machine.h"
#include "fa/Target/CPU/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct TileSizes {
  int64_t rows, keys;
};
} // namespace

/// The product of the sizes of the dims with a role; dynamic if one of them is.
static int64_t getRoleSize(AttentionInterface op, DimRole role) {
  int64_t size = 1;
  for (unsigned dim : op.getDims(role)) {
    int64_t one = op.getStaticLoopSize(dim);
    if (ShapedType::isDynamic(one))
      return ShapedType::kDynamic;
    size *= one;
  }
  return size;
}

/// The largest size among the dims with a role; an unknown one counts as large.
static int64_t getLargestSize(AttentionInterface op, DimRole role) {
  int64_t largest = 1;
  for (unsigned dim : op.getDims(role)) {
    int64_t size = op.getStaticLoopSize(dim);
    largest =
        std::max(largest, ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max() : size);
  }
  return largest;
}

/// "64x128".
static std::optional<TileSizes> parseTile(StringRef text) {
  auto [rowsText, keysText] = text.split('x');
  TileSizes tile;
  if (rowsText.getAsInteger(10, tile.rows) || keysText.getAsInteger(10, tile.keys) ||
      tile.rows < 1 || tile.keys < 1)
    return std::nullopt;
  return tile;
}

/// FlashAttention's own rule (Dao et al. 2022, algorithm 1).
static FailureOr<TileSizes> chooseFlash(AttentionInterface op, const Machine &machine,
                                        bool roundUp) {
  int64_t headDim = getRoleSize(op, DimRole::head_dim);
  int64_t valueDim = getRoleSize(op, DimRole::value_dim);
  if (ShapedType::isDynamic(headDim) || ShapedType::isDynamic(valueDim))
    return op->emitOpError("cannot be scheduled by the flash rule: expects static head and value "
                           "dims; use policy=default or tile=MxN");
  int64_t dim = std::max<int64_t>({headDim, valueDim, 1});
  int64_t bits = getElementTypeOrSelf(op.getQuery().getType()).getIntOrFloatBitWidth();
  int64_t memory = machine.fastBytes * 8 / bits;
  int64_t block = roundUp ? llvm::divideCeil(memory, 4 * dim) : memory / (4 * dim);
  block = std::max<int64_t>(block, 1);
  return TileSizes{std::min(block, dim), block};
}

/// The size of a tile along a dimension of `size` elements: `preferred`, or for fewer elements the
/// next multiple of the vector length, or the few there are.
static int64_t fitTile(int64_t size, int64_t preferred) {
  constexpr int64_t kLanes = 16;
  if (size >= preferred)
    return preferred;
  return size < kLanes ? std::max<int64_t>(size, 1) : llvm::alignTo(size, kLanes);
}

/// What is fastest on a CPU; docs/Rationale/cpu-schedule.md has the measurements.
static TileSizes chooseForHost(AttentionInterface op) {
  return {fitTile(getLargestSize(op, DimRole::query), 64),
          fitTile(getLargestSize(op, DimRole::key), 64)};
}

namespace {
struct ChooseSchedule : fa::impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;

  FailureOr<TileSizes> choose(AttentionInterface op, const Machine &row,
                              std::optional<TileSizes> forced) {
    if (forced)
      return *forced;
    if (policy == "flash")
      return chooseFlash(op, row, roundUp);
    if (row.isGPU())
      return op->emitOpError() << "cannot be scheduled for the GPU " << row.getTitle()
                               << " by this pass; use policy=flash or the GPU's own schedule";
    return chooseForHost(op);
  }

  void fail(const Twine &message) {
    emitError(getOperation()->getLoc()) << message;
    signalPassFailure();
  }

  void runOnOperation() override {
    const Machine *row = findMachine(machine);
    std::optional<TileSizes> forced = parseTile(tile);
    if (!row)
      return fail("unknown machine '" + machine + "': expects one of " + listMachineNames());
    if (policy != "default" && policy != "flash")
      return fail("unknown policy '" + policy + "': expects default or flash");
    if (!tile.empty() && !forced)
      return fail("expects tile to be two positive numbers such as 64x128, got '" + tile + "'");

    getOperation()->walk([&](AttentionInterface op) {
      if (op.getScheduleAttr())
        return;
      FailureOr<TileSizes> sizes = choose(op, *row, forced);
      if (failed(sizes))
        return signalPassFailure();
      op.setScheduleAttr(ScheduleAttr::get(&getContext(), sizes->rows, sizes->keys, 0, 0));
    });
  }
};
} // namespace
