//===- Plan.cpp - From the graph to a kernel plan -------------------------===//

#include "KernelPlan.h"
#include "PlanPlacement.h"

using namespace mlir;
using namespace mlir::fa;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Checks what the matrix instructions ask of a dot.
static LogicalResult checkDot(const TileGraph &graph, Node &node, const KernelPlan &plan) {
  linalg::GenericOp op = node.generic();
  Value rows = op.getDpsInputs()[node.rowInput], columns = op.getDpsInputs()[1 - node.rowInput];
  if (!graph.loadOf(columns))
    return op.emitOpError("expects the input of a dot that has the columns to be a load");
  Type element = tileType(columns).getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return op.emitOpError("expects f16, bf16 or f32 inputs of a dot, got ") << element;
  if (!tileType(op.getResult(0)).getElementType().isF32())
    return op.emitOpError("expects a dot to accumulate in f32, got ")
           << tileType(op.getResult(0)).getElementType();
  AffineMap rowMap = op.getIndexingMapsArray()[node.rowInput];
  AffineMap result = op.getIndexingMapsArray()[2];
  bool isTransposed = rowMap.getDimPosition(0) != result.getDimPosition(0);
  if (graph.loadOf(rows)) {
    if (tileType(rows).getElementType() != element)
      return op.emitOpError("expects two loads of one element type, got ")
             << tileType(rows).getElementType() << " and " << element;
    return success();
  }
  if (isTransposed)
    return op.emitOpError("expects the computed input of a dot to be row-major");
  if (tileType(rows).getShape()[1] % dotDepth(element))
    return op.emitOpError("expects a computed input of a dot with a multiple of ")
           << dotDepth(element) << " columns, got " << tileType(rows).getShape()[1]
           << "; choose another tile size";
  return success();
}

/// The one number of rows that all fragments have.
static FailureOr<int64_t> findRows(const TileGraph &graph, const KernelPlan &plan) {
  int64_t rows = 0;
  LogicalResult result = success();
  graph.walk([&](Node &node) {
    for (Value value : node.op->getResults()) {
      Place place = plan.placeOf(value);
      if (!isa<RankedTensorType>(value.getType()) || node.kind == NodeKind::Fill ||
          failed(result) || (place != Place::Fragment && place != Place::Row))
        continue;
      int64_t own = tileType(value).getShape()[0];
      if (rows && own != rows)
        result = node.op->emitOpError("expects all computed tiles to have the same rows, got ")
                 << own << " and " << rows;
      rows = own;
    }
  });
  if (failed(result))
    return failure();
  if (rows == 0)
    return graph.getForall().emitOpError("expects a tile program that computes something");
  return rows;
}

static void chooseWarps(int64_t rows, const PlanOptions &options, KernelPlan &plan) {
  int64_t fragments = llvm::divideCeil(rows, kFragmentRows);
  int64_t warps = options.warps ? options.warps : std::min<int64_t>(4, fragments);
  while (warps > 1 && fragments % warps)
    --warps;
  plan.warps = warps;
  plan.rowFragments = fragments / warps;
}

/// Lays the loads that go to shared memory out; loads of a chain take `stages` slots.
static void allocateShared(const TileGraph &graph, KernelPlan &plan) {
  auto allocate = [&](Node &load, int64_t slots) {
    RankedTensorType type = tileType(load.op->getResult(0));
    SharedTile tile =
        layoutSharedTile(type.getShape()[0], type.getShape()[1], type.getElementTypeBitWidth() / 8);
    tile.slots = slots;
    // Swizzling by exclusive or needs slots that start at multiples of eight units.
    tile.slotBytes = llvm::divideCeil(tile.slotBytes, 128) * 128;
    tile.offset = plan.sharedBytes;
    plan.sharedBytes += tile.bytes();
    plan.sharedOf[load.op->getResult(0)] = plan.shared.size();
    plan.shared.push_back(tile);
  };
  graph.walk([&](Node &node) {
    if (node.kind == NodeKind::Load && plan.placeOf(node.op->getResult(0)) == Place::Shared &&
        !node.op->getParentOfType<scf::ForOp>())
      allocate(node, 1);
  });
  plan.sharedOf.reserve(16);
  for (LoopChain &chain : plan.chains) {
    unsigned first = plan.shared.size();
    for (Node *load : chain.loads)
      allocate(*load, plan.stages);
    for (Node *loop : chain.loops) {
      unsigned next = first;
      for (const std::unique_ptr<Node> &node : loop->body)
        if (node->kind == NodeKind::Load && plan.placeOf(node->op->getResult(0)) == Place::Shared)
          plan.sharedOf[node->op->getResult(0)] = next++;
    }
  }
}

static LogicalResult checkLimits(const TileGraph &graph, const KernelPlan &plan,
                                 const PlanOptions &options) {
  if (plan.sharedBytes > options.sharedLimit)
    return graph.getForall().emitOpError("needs ")
           << plan.sharedBytes << " bytes of shared memory, the machine has " << options.sharedLimit
           << "; choose fewer stages or smaller tiles";
  if (plan.registers > kMaxRegisters)
    return graph.getForall().emitOpError("needs about ")
           << plan.registers << " registers a thread, the machine has " << kMaxRegisters
           << "; choose smaller tiles or more warps";
  return success();
}

FailureOr<KernelPlan> mlir::fa::planKernel(const TileGraph &graph, const PlanOptions &options) {
  KernelPlan plan;
  plan.stages = options.stages ? options.stages : 2;
  plan.isAligned = options.isAligned;
  if (failed(placeTiles(graph, plan)))
    return failure();
  LogicalResult result = success();
  graph.walk([&](Node &node) {
    if (node.kind == NodeKind::Dot && succeeded(result))
      result = checkDot(graph, node, plan);
  });
  if (failed(result))
    return failure();
  FailureOr<int64_t> rows = findRows(graph, plan);
  if (failed(rows))
    return failure();
  chooseWarps(*rows, options, plan);
  chainLoops(graph, plan);
  allocateShared(graph, plan);
  estimateRegisters(graph, plan);
  if (failed(checkLimits(graph, plan, options)))
    return failure();
  return plan;
}

void mlir::fa::annotatePlan(const TileGraph &graph, const KernelPlan &plan) {
  Builder b(graph.getForall().getContext());
  graph.walk([&](Node &node) {
    if (node.op->getNumResults() == 0 || node.kind == NodeKind::Loop)
      return;
    Value value = node.op->getResult(0);
    std::string place = stringifyPlace(plan.placeOf(value)).str();
    if (auto it = plan.sharedOf.find(value); it != plan.sharedOf.end())
      place += "[" + std::to_string(plan.shared[it->second].slots) + "]";
    node.op->setAttr("fa.place", b.getStringAttr(place));
    node.op->setAttr("fa.node", b.getStringAttr(stringifyNodeKind(node.kind)));
  });
  for (auto [index, chain] : llvm::enumerate(plan.chains))
    for (Node *loop : chain.loops)
      loop->op->setAttr("fa.chain", b.getI64IntegerAttr(index));
  graph.getForall()->setAttr(
      "fa.plan",
      b.getDictionaryAttr({b.getNamedAttr("warps", b.getI64IntegerAttr(plan.warps)),
                           b.getNamedAttr("rows_per_warp", b.getI64IntegerAttr(plan.rowsPerWarp())),
                           b.getNamedAttr("stages", b.getI64IntegerAttr(plan.stages)),
                           b.getNamedAttr("registers", b.getI64IntegerAttr(plan.registers)),
                           b.getNamedAttr("shared_bytes", b.getI64IntegerAttr(plan.sharedBytes))}));
}
