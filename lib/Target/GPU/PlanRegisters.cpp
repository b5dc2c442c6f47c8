//===- PlanRegisters.cpp - How many registers a kernel needs --------------===//

#include "PlanPlacement.h"

using namespace mlir;
using namespace mlir::fa;

/// Addresses, loop control, row operands in flight: what every kernel needs besides its tiles.
/// From ptxas on kernels of all sizes.
static constexpr int64_t kBaseRegisters = 44;
/// Up to this many registers, a row operand stays in registers over a loop. Splitting f32 values
/// into halves takes some more for a moment.
static constexpr int64_t kResidentLimit = 216, kWideResidentLimit = 176;

static int64_t registersOf(const KernelPlan &plan, Value tile) {
  int64_t bits = cast<RankedTensorType>(tile.getType()).getElementTypeBitWidth();
  int64_t perValue = bits > 32 ? 2 : 1;
  return plan.valuesPerThread(tile) * perValue;
}

/// Registers of the row operand of a dot, as the matrix instructions take it.
static int64_t operandRegisters(Node &dot, const KernelPlan &plan) {
  linalg::GenericOp op = dot.generic();
  Value columns = op.getDpsInputs()[1 - dot.rowInput];
  Value rows = op.getDpsInputs()[dot.rowInput];
  Type element = cast<RankedTensorType>(columns.getType()).getElementType();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  int64_t depthDim = maps[dot.rowInput].getDimPosition(0) == maps[2].getDimPosition(0) ? 1 : 0;
  int64_t depth = cast<RankedTensorType>(rows.getType()).getShape()[depthDim];
  // An f32 register is used as two halves.
  int64_t perRegister = element.isF32() ? 2 : 1;
  return plan.rowFragments * 4 * perRegister * llvm::divideCeil(depth, dotDepth(element));
}

namespace {

/// Counts what is alive at every node of a loop body.
class Pressure {
public:
  explicit Pressure(const KernelPlan &plan) : plan(plan) {}

  int64_t ofBody(Block &body, const std::vector<std::unique_ptr<Node>> &nodes);

private:
  /// True if `value` is used after `node` in its block, or by the block's terminator.
  static bool isUsedAfter(Value value, Operation *op) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      return !ancestor || op->isBeforeInBlock(ancestor);
    });
  }

  const KernelPlan &plan;
};

} // namespace

int64_t Pressure::ofBody(Block &body, const std::vector<std::unique_ptr<Node>> &nodes) {
  SmallVector<Value> live;
  for (BlockArgument argument : body.getArguments())
    if (plan.places.count(argument))
      live.push_back(argument);
  int64_t highest = 0;
  for (const std::unique_ptr<Node> &node : nodes) {
    if (node->kind == NodeKind::Fill || node->kind == NodeKind::Store)
      continue;
    int64_t inner = node->kind == NodeKind::Loop ? ofBody(*node->loop().getBody(), node->body) : 0;
    llvm::erase_if(live, [&](Value value) { return !isUsedAfter(value, node->op); });
    for (Value result : node->op->getResults())
      if (plan.places.count(result))
        live.push_back(result);
    int64_t now = 0;
    for (Value value : live)
      now += registersOf(plan, value);
    if (node->kind == NodeKind::Dot &&
        plan.placeOf(node->generic().getDpsInputs()[node->rowInput]) == Place::Fragment)
      now += operandRegisters(*node, plan);
    highest = std::max({highest, now, inner});
  }
  return highest;
}

void mlir::fa::estimateRegisters(const TileGraph &graph, KernelPlan &plan) {
  int64_t pressure =
      kBaseRegisters + Pressure(plan).ofBody(*graph.getForall().getBody(), graph.body);
  graph.walk([&](Node &node) {
    if (node.kind != NodeKind::Dot)
      return;
    Value rows = node.generic().getDpsInputs()[node.rowInput];
    Node *load = graph.loadOf(rows);
    if (!load || load->op->getBlock() == node.op->getBlock())
      return;
    bool isShared = llvm::any_of(plan.residentOperands, [&](Node *other) {
      return other->generic().getDpsInputs()[other->rowInput] == rows;
    });
    int64_t more = isShared ? 0 : operandRegisters(node, plan);
    bool isWide = getElementTypeOrSelf(rows.getType()).isF32();
    if (pressure + more > (isWide ? kWideResidentLimit : kResidentLimit))
      return;
    pressure += more;
    plan.residentOperands.insert(&node);
  });
  plan.registers = pressure;
}
