//===- Emitter.h - From a planned graph to the kernel of one thread -------===//
//
// Walks the graph in order and emits what one thread does for each node, in the LLVM and
// NVVM dialects. Every value of a tile that a thread holds is an SSA value of its own.
//
//===----------------------------------------------------------------------===//
#ifndef FA_TARGET_GPU_EMITTER_H
#define FA_TARGET_GPU_EMITTER_H

#include "Instructions.h"
#include "KernelParameters.h"
#include "KernelPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fa {

/// The values of a tile that one thread holds. Fragment: [row fragment][column fragment][4], Row:
/// [row fragment][2], Column: [column fragment][2], Scalar: [1].
struct TileValues {
  Place place = Place::Scalar;
  SmallVector<Value> values;
};

/// One element that a thread holds of a fragment. Its row is 16·rowFragment + 8·half + lane / 4
/// within the warp's rows, its column 8·columnFragment + 2·(lane % 4) + parity.
struct Slot {
  int64_t rowFragment = 0, half = 0, columnFragment = 0, parity = 0;
};

/// Bounds of an integer that are known at compile time, inclusive.
struct Bounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
};

class Emitter {
public:
  Emitter(const TileGraph &graph, const KernelPlan &plan, const Instructions &instructions,
          gpu::GPUModuleOp module);

  /// Emits the kernel into the module. On failure an error was emitted, and the module holds a
  /// part of the kernel.
  FailureOr<LLVM::LLVMFuncOp> emit(StringRef name);

  KernelParameters parameters;

private:
  using NodeList = std::vector<std::unique_ptr<Node>>;

  // EmitKernel.cpp: the frame, and small builders.
  LogicalResult emitPreamble();
  LogicalResult decodeBlockIndex();
  LogicalResult emitNodes(const NodeList &nodes);
  LogicalResult emitNode(Node &node);
  LogicalResult emitFill(Node &node);
  Block *addBlock(TypeRange arguments = {});
  Value constant(int64_t value);
  Value constant64(int64_t value);
  Value add(Value a, Value b);
  Value mul(Value a, Value b);
  Value widen(Value value);
  void barrier();
  Value sharedPointer(Value offset, int64_t immediate = 0);

  // EmitScalar.cpp: index and scalar arithmetic.
  FailureOr<Value> scalar(Value value);
  FailureOr<Value> scalar(OpFoldResult value);
  FailureOr<Value> scalarOp(Operation *op, ValueRange operands);
  FailureOr<Value> indexOp(Operation *op, ValueRange operands);
  FailureOr<Value> affine(AffineExpr expr, ValueRange dims, ValueRange symbols);
  Value indexBinary(StringRef opName, Value a, Value b, Bounds bounds);
  Bounds boundsOf(Value value);
  Value setBounds(Value value, Bounds bounds);
  Value dimOf(Value tensor, int64_t dim);
  Value parameterOf(KernelParameter parameter, Type type);
  Value scalarParameter(unsigned operand, Type type);
  unsigned operandOf(Value tensor);
  void remember(Value source, Value emitted) { scopes.back()[source] = emitted; }

  // EmitMath.cpp
  FailureOr<Value> mathOp(Operation *op, ValueRange operands);
  /// The chip's own 2^x of an f32.
  Value exp2(Value exponent);

  // EmitLoads.cpp: from global memory.
  LogicalResult emitLoad(Node &node);
  FailureOr<Value> windowBase(const Window &window);
  FailureOr<Value> loadElement(Node &load, ArrayRef<Value> position);
  FailureOr<Value> clampAndCheck(OpFoldResult size, int64_t tileSize, Value &position);
  Value elementPointer(const Window &window, Value base, ArrayRef<Value> position);
  Value loadGlobal(Value pointer, Type element);

  // EmitCopies.cpp: into shared memory.
  LogicalResult copyToShared(Node &load, Value slotOffset);
  /// How the threads of a block share the copies of a tile.
  struct CopyShape {
    int64_t lanes;       ///< threads side by side in a row
    int64_t perLane;     ///< copies of a thread in a row
    int64_t rowsAtOnce;  ///< of all threads
    Value row, byte;     ///< where this thread begins
    Value rows, columns; ///< that exist, null where all do
  };
  LogicalResult copyUnits(Node &load, Value slotOffset, int64_t bytes);
  void copyRow(const SharedTile &tile, const CopyShape &shape, Value source, Value slotOffset,
               int64_t start, int64_t bytes);
  LogicalResult copyElements(Node &load, Value slotOffset);
  void clearPadding();
  Value swizzled(const SharedTile &tile, Value row, Value unit);

  // EmitLoops.cpp
  LogicalResult emitLoop(Node &node);
  LogicalResult startChain(LoopChain &chain);
  LogicalResult fetch(LoopChain &chain, Value tile, Value slot);
  LogicalResult emitLoopBody(Node &node, Value variable, ValueRange carried);
  Value slotAfter(Value slot);

  // EmitDot.cpp
  LogicalResult emitDot(Node &node);
  LogicalResult multiplyAll(Node &node, MutableArrayRef<Value> product);
  FailureOr<SmallVector<Value>> rowOperand(Node &node, int64_t rowFragment, int64_t step);
  SmallVector<Value> packFragment(Value rows, Type element, int64_t rowFragment, int64_t step,
                                  function_ref<Value(Value)> change = nullptr);
  SmallVector<Value> loadRowOperand(Node &node, int64_t rowFragment, int64_t step);
  SmallVector<Value> loadColumnOperand(Node &node, int64_t pair, int64_t step);
  /// A place in shared memory: what depends on the thread, and constants to be added, the row a
  /// multiple of 8.
  struct Cell {
    Value row;
    int64_t constantRow;
    Value column; ///< of matrixAddress: the 16-byte unit
    int64_t constantColumn;
  };
  Value matrixAddress(Value load, const Cell &cell);
  Value loadWord(Value load, const Cell &cell);
  void makeResident();
  Value slotOffsetOf(Value load);

  // EmitGuardedDot.cpp: products with a zero factor left out.
  LogicalResult emitGuardedDot(Node &node, MutableArrayRef<Value> product);
  Value findSpecials(Value load);
  Value anyInBlock(Value value);
  LogicalResult multiplyGuarded(Node &node, MutableArrayRef<Value> product);
  SmallVector<Value> loadColumnFragment(Node &node, int64_t column, int64_t step);
  void addSpecials(Node &node, int64_t column, ArrayRef<SmallVector<Value>> signs,
                   MutableArrayRef<Value> product);
  Value signOf(Value value);
  void addInfinities(Value above, Value below, Value &product);

  // EmitMap.cpp, EmitReduce.cpp, EmitStore.cpp
  LogicalResult emitMap(Node &node);
  LogicalResult emitReduce(Node &node);
  LogicalResult emitStore(Node &node);
  LogicalResult storeElements(Node &node, Value base);
  friend class MapEmitter;

  /// The row or column of a slot within its tile, i32.
  Value rowOf(const Slot &slot);
  Value columnOf(const Slot &slot);
  /// The value of a tile in registers at a slot.
  Value valueAt(Value tile, const Slot &slot);

  const TileGraph &graph;
  const KernelPlan &plan;
  const Instructions &instructions;
  gpu::GPUModuleOp module;
  LLVM::LLVMFuncOp kernel;
  Location loc;
  /// Where the walk is, and the end of the first block: what does not change in the kernel.
  OpBuilder b, preamble;

  LLVM::GlobalOp sharedGlobal;
  Value shared; ///< start of dynamic shared memory
  Value thread, lane, warp;
  Value quadRow;    ///< lane / 4
  Value quadColumn; ///< 2 · (lane % 4)
  Value warpRow;    ///< first row of this warp

  DenseMap<Value, TileValues> tiles;
  /// Emitted scalars; a loop body has a scope of its own.
  SmallVector<DenseMap<Value, Value>> scopes;
  DenseMap<Value, Bounds> bounds;
  /// Byte offset in shared memory of the slot that a load's tile is in.
  DenseMap<Value, Value> slotOffsets;
  /// Loads outside of loops whose copies have not been waited for.
  bool hasPendingCopies = false;
  /// Some dot has f32 inputs: results are accurate to f32.
  bool hasWideDots = false;
  /// Row operands that stay in registers: [row fragment][step], prepared.
  DenseMap<Value, SmallVector<SmallVector<Value>>> resident;
  DenseMap<std::pair<int64_t, int64_t>, Value> rowMemo, columnMemo;
  DenseMap<int64_t, Value> constants;

  /// The running position in the current chain's sequence of tiles.
  struct ChainState {
    SmallVector<Value> firsts;  ///< position of the first tile, by loop
    SmallVector<Value> numbers; ///< number of the first tile in the sequence, by loop
    Value total;
    Value step;
    Value number; ///< of the next tile to be computed
    Value slot;   ///< that it is in
  };
  DenseMap<unsigned, ChainState> chainStates;
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_EMITTER_H
