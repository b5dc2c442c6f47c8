//===- KernelPlan.h - Where every tile value lives ------------------------===//
//
// The planner's result: the placement of each tile, rings in shared memory, warps and
// stages, with an estimate of what the kernel needs.
//
//===----------------------------------------------------------------------===//
#ifndef FA_TARGET_GPU_KERNELPLAN_H
#define FA_TARGET_GPU_KERNELPLAN_H

#include "TileGraph.h"

namespace mlir::fa {

constexpr int64_t kWarpSize = 32;
/// Rows of one accumulator fragment: what one warp's matrix instruction covers.
constexpr int64_t kFragmentRows = 16;
constexpr int64_t kFragmentColumns = 8;
/// The unit that shared memory is swizzled in.
constexpr int64_t kUnitBytes = 16;
/// Registers that a thread may have at most.
constexpr int64_t kMaxRegisters = 255;
/// Run-time sizes are at most this, so that positions fit 32 bits; a rule of the launch record.
constexpr int64_t kMaxDimSize = int64_t(1) << 30;

/// Where a tile value lives.
enum class Place : uint8_t {
  Scalar,   ///< one value for the block
  Row,      ///< a vector over rows: two values a thread and fragment, equal in four lanes
  Column,   ///< a vector over columns: two values a thread and eight columns
  Fragment, ///< a matrix in accumulator layout
  Shared,   ///< a matrix in shared memory, for dots
  Global    ///< a matrix that maps read element by element where it is
};
StringRef stringifyPlace(Place place);

/// How the 16-byte units of a row are permuted, so that eight rows of one column of units touch
/// all banks.
enum class Swizzle : uint8_t {
  None, ///< rows are an odd number of units apart
  Xor2, ///< rows of 2 units: unit ^ (row / 4 % 2)
  Xor4, ///< rows of 4 units: unit ^ (row / 2 % 4)
  Xor8  ///< rows of 8·i units: unit ^ (row % 8)
};

/// A matrix in shared memory, `slots` times.
struct SharedTile {
  int64_t rows = 0, columns = 0; ///< with data
  /// With the zeros behind the data, for whole matrix instructions.
  int64_t paddedRows = 0, paddedColumns = 0;
  int64_t elementBytes = 0;
  int64_t rowBytes = 0; ///< from one row to the next
  Swizzle swizzle = Swizzle::None;
  int64_t slots = 1;
  int64_t slotBytes = 0;
  int64_t offset = 0; ///< of slot 0 in shared memory

  int64_t unitsPerRow() const { return paddedColumns * elementBytes / kUnitBytes; }
  int64_t bytes() const { return slots * slotBytes; }
};

/// The layout of a matrix of `rows` x `columns` elements; offset and slots are left to the caller.
SharedTile layoutSharedTile(int64_t rows, int64_t columns, int64_t elementBytes);

/// The position of 16-byte unit `unit` of row `row`, in units within the row. What the emitted
/// address arithmetic computes, for tests.
int64_t swizzleUnit(Swizzle swizzle, int64_t row, int64_t unit);

/// Loops of one block, one after the other, whose loads differ only in the loop variable: their
/// tiles form one sequence, so that the next loop's first tile is on its way before it starts.
struct LoopChain {
  SmallVector<Node *> loops;
  /// The loads into shared memory by which every tile is fetched; of loop `sources[i]`.
  SmallVector<Node *> loads;
  SmallVector<Node *> sources;
};

/// What a user or a schedule fixes; 0 is left to the planner.
struct PlanOptions {
  int64_t warps = 0;
  int64_t stages = 0;
  int64_t sharedLimit = 99 * 1024;
  /// Operands keep rules on addresses and strides; otherwise only single elements are aligned.
  bool isAligned = true;
};

struct KernelPlan {
  int64_t warps = 0;
  int64_t rowFragments = 0; ///< fragments of 16 rows that a warp owns
  int64_t stages = 0;
  int64_t registers = 0; ///< estimate, per thread
  int64_t sharedBytes = 0;
  bool isAligned = true;

  DenseMap<Value, Place> places;
  std::vector<SharedTile> shared;
  DenseMap<Value, unsigned> sharedOf; ///< load -> index into `shared`
  std::vector<LoopChain> chains;
  DenseMap<Node *, unsigned> chainOf; ///< loop -> index into `chains`
  /// Dots whose shared row operand is read into registers once, before the loop.
  DenseSet<Node *> residentOperands;

  Place placeOf(Value value) const { return places.lookup(value); }
  int64_t threads() const { return warps * kWarpSize; }
  int64_t rowsPerWarp() const { return rowFragments * kFragmentRows; }
  /// Columns of the fragment of a matrix, in fragments of 8.
  static int64_t columnFragments(Value tile);
  /// Values that a thread holds of a tile in registers.
  int64_t valuesPerThread(Value tile) const;
};

/// Plans the kernel of a graph. Errors name the op that cannot be placed; a kernel that needs
/// more registers or shared memory than there are is an error too, with the figures.
FailureOr<KernelPlan> planKernel(const TileGraph &graph, const PlanOptions &options);

/// Writes the plan into the IR: `fa.place` on the tile ops, `fa.plan` on the forall.
void annotatePlan(const TileGraph &graph, const KernelPlan &plan);

/// The contraction length of one matrix instruction on this element type.
int64_t dotDepth(Type elementType);

} // namespace mlir::fa

#endif // FA_TARGET_GPU_KERNELPLAN_H
