//===- EmitKernel.cpp - The frame of a kernel -----------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

Emitter::Emitter(const TileGraph &graph, const KernelPlan &plan, const Instructions &instructions,
                 gpu::GPUModuleOp module)
    : graph(graph), plan(plan), instructions(instructions), module(module),
      loc(graph.getForall().getLoc()), b(module.getContext()), preamble(module.getContext()) {
  scopes.emplace_back();
}

FailureOr<LLVM::LLVMFuncOp> Emitter::emit(StringRef name) {
  MLIRContext *context = module.getContext();
  b.setInsertionPointToEnd(module.getBody());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  sharedGlobal = LLVM::GlobalOp::create(b, loc, bytes, /*isConstant=*/false,
                                        LLVM::Linkage::External, (name + "_shared").str(),
                                        Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  auto signature = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {});
  kernel = LLVM::LLVMFuncOp::create(b, loc, name, signature);
  kernel->setAttr("nvvm.kernel", b.getUnitAttr());
  kernel->setAttr("nvvm.maxntid",
                  b.getDenseI32ArrayAttr({static_cast<int32_t>(plan.threads()), 1, 1}));
  // Without it the assembler aims at more blocks than fit and spills for them.
  kernel->setAttr("nvvm.minctasm", b.getI32IntegerAttr(1));
  // Denormal inputs and results of f32 arithmetic become zero: exp2 is one instruction then.
  kernel->setAttr("passthrough",
                  b.getArrayAttr(b.getStrArrayAttr({"denormal-fp-math-f32", "preserve-sign"})));

  Block *entry = kernel.addEntryBlock(b);
  Block *start = addBlock();
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, loc, start);
  preamble.setInsertionPoint(entry->getTerminator());
  b.setInsertionPointToStart(start);
  graph.walk([&](Node &node) {
    if (node.kind == NodeKind::Dot)
      for (Value input : node.generic().getDpsInputs())
        hasWideDots |= graph.loadOf(input) && getElementTypeOrSelf(input.getType()).isF32();
  });
  if (failed(emitPreamble()))
    return failure();
  clearPadding();
  if (failed(emitNodes(graph.body)))
    return failure();
  LLVM::ReturnOp::create(b, loc, ValueRange());

  kernel.setFunctionType(LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                                     llvm::to_vector(entry->getArgumentTypes())));
  return kernel;
}

LogicalResult Emitter::emitPreamble() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
  Type i32 = b.getI32Type();
  shared = LLVM::AddressOfOp::create(b, loc, sharedGlobal);
  thread = NVVM::ThreadIdXOp::create(b, loc, i32);
  lane = arith::AndIOp::create(b, loc, thread, constant(kWarpSize - 1));
  // The same in all lanes, and so that the assembler knows it.
  Value wave = arith::ShRUIOp::create(b, loc, thread, constant(5));
  warp = NVVM::ShflOp::create(b, loc, i32, constant(-1), wave, constant(0), constant(31),
                              NVVM::ShflKind::idx, UnitAttr());
  quadRow = arith::ShRUIOp::create(b, loc, lane, constant(2));
  quadColumn = mul(arith::AndIOp::create(b, loc, lane, constant(3)), constant(2));
  warpRow = mul(warp, constant(plan.rowsPerWarp()));
  return decodeBlockIndex();
}

/// True if a loop in the forall runs for longer the higher `index` is.
static bool growsWith(const TileGraph &graph, Value index) {
  bool result = false;
  graph.walk([&](Node &node) {
    if (node.kind != NodeKind::Loop)
      return;
    SmallVector<Value> work = {node.loop().getUpperBound()};
    DenseSet<Operation *> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      result |= value == index;
      Operation *op = value.getDefiningOp();
      if (op && seen.insert(op).second)
        llvm::append_range(work, op->getOperands());
    }
  });
  return result;
}

/// Blocks are numbered in one dimension, which no hardware limit truncates; the last index of the
/// forall runs fastest. Long-running blocks start first.
LogicalResult Emitter::decodeBlockIndex() {
  scf::ForallOp forall = graph.getForall();
  Value rest = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
  SmallVector<OpFoldResult> lower = forall.getMixedLowerBound(),
                            upper = forall.getMixedUpperBound(), step = forall.getMixedStep();
  for (int64_t dim = forall.getRank() - 1; dim >= 0; --dim) {
    FailureOr<Value> low = scalar(lower[dim]), high = scalar(upper[dim]), by = scalar(step[dim]);
    if (failed(low) || failed(high) || failed(by))
      return failure();
    Value extent = indexBinary("arith.subi", *high, *low, {0, kMaxDimSize});
    Value count = indexBinary("arith.ceildivui", extent, *by, {0, kMaxDimSize});
    Value number = rest;
    if (dim > 0) {
      number = arith::RemUIOp::create(b, loc, rest, count);
      rest = arith::DivUIOp::create(b, loc, rest, count);
    }
    Value variable = forall.getInductionVars()[dim];
    if (growsWith(graph, variable))
      number =
          arith::SubIOp::create(b, loc, arith::SubIOp::create(b, loc, count, constant(1)), number);
    Value index = add(*low, mul(number, *by));
    setBounds(index, {std::max<int64_t>(0, boundsOf(*low).low), boundsOf(*high).high - 1});
    remember(variable, index);
  }
  return success();
}

LogicalResult Emitter::emitNodes(const NodeList &nodes) {
  for (const std::unique_ptr<Node> &node : nodes)
    if (failed(emitNode(*node)))
      return failure();
  return success();
}

LogicalResult Emitter::emitNode(Node &node) {
  switch (node.kind) {
  case NodeKind::Fill:
    return emitFill(node);
  case NodeKind::Load:
    return emitLoad(node);
  case NodeKind::Dot:
    return emitDot(node);
  case NodeKind::Map:
    return emitMap(node);
  case NodeKind::Reduce:
    return emitReduce(node);
  case NodeKind::Loop:
    return emitLoop(node);
  case NodeKind::Store:
    return emitStore(node);
  }
  return failure();
}

LogicalResult Emitter::emitFill(Node &node) {
  Value tile = node.op->getResult(0);
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  Value value;
  if (node.source) {
    FailureOr<Value> emitted = scalar(node.source);
    if (failed(emitted))
      return failure();
    value = *emitted;
  } else {
    // An uninitialised tile holds anything: zero, where it is read at all.
    TypedAttr attribute = node.constant ? node.constant : cast<TypedAttr>(b.getZeroAttr(element));
    value = arith::ConstantOp::create(preamble, loc, attribute);
  }
  Place place = plan.placeOf(tile);
  tiles[tile] = {place, SmallVector<Value>(plan.valuesPerThread(tile), value)};
  return success();
}

Block *Emitter::addBlock(TypeRange arguments) {
  OpBuilder::InsertionGuard guard(b);
  return b.createBlock(&kernel.getBody(), kernel.getBody().end(), arguments,
                       SmallVector<Location>(arguments.size(), loc));
}

Value Emitter::constant(int64_t value) {
  Value &known = constants[value];
  if (!known)
    known = arith::ConstantOp::create(preamble, loc, b.getI32IntegerAttr(value));
  return known;
}

Value Emitter::constant64(int64_t value) {
  return arith::ConstantOp::create(preamble, loc, b.getI64IntegerAttr(value));
}

Value Emitter::add(Value a, Value other) { return b.createOrFold<arith::AddIOp>(loc, a, other); }

Value Emitter::mul(Value a, Value other) { return b.createOrFold<arith::MulIOp>(loc, a, other); }

Value Emitter::widen(Value value) {
  return value.getType().isInteger(64) ? value
                                       : b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), value);
}

void Emitter::barrier() { NVVM::BarrierOp::create(b, loc); }

Value Emitter::sharedPointer(Value offset, int64_t immediate) {
  Value pointer = LLVM::GEPOp::create(b, loc, shared.getType(), b.getI8Type(), shared,
                                      ArrayRef<LLVM::GEPArg>{offset});
  if (immediate)
    pointer = LLVM::GEPOp::create(b, loc, shared.getType(), b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(immediate)});
  return pointer;
}

Value Emitter::rowOf(const Slot &slot) {
  Value &row = rowMemo[{slot.rowFragment, slot.half}];
  if (row)
    return row;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
  row = add(add(warpRow, quadRow), constant(slot.rowFragment * kFragmentRows + slot.half * 8));
  return setBounds(row, {0, plan.warps * plan.rowsPerWarp() - 1});
}

Value Emitter::columnOf(const Slot &slot) {
  Value &column = columnMemo[{slot.columnFragment, slot.parity}];
  if (column)
    return column;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(preamble.getInsertionBlock(), preamble.getInsertionPoint());
  column = add(quadColumn, constant(slot.columnFragment * kFragmentColumns + slot.parity));
  return setBounds(column, {0, (slot.columnFragment + 1) * kFragmentColumns - 1});
}

Value Emitter::valueAt(Value tile, const Slot &slot) {
  const TileValues &held = tiles[tile];
  switch (held.place) {
  case Place::Scalar:
    return held.values[0];
  case Place::Row:
    return held.values[slot.rowFragment * 2 + slot.half];
  case Place::Column:
    return held.values[slot.columnFragment * 2 + slot.parity];
  case Place::Fragment:
    return held
        .values[(slot.rowFragment * KernelPlan::columnFragments(tile) + slot.columnFragment) * 4 +
                slot.half * 2 + slot.parity];
  case Place::Shared:
  case Place::Global:
    break;
  }
  llvm_unreachable("only tiles in registers have values");
}
