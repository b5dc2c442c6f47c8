//===- PlanGraph.cpp - Classifies the ops of a tile program ---------------===//

#include "MatchBodies.h"
#include "TileGraph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

StringRef mlir::fa::stringifyNodeKind(NodeKind kind) {
  switch (kind) {
  case NodeKind::Fill:
    return "fill";
  case NodeKind::Load:
    return "load";
  case NodeKind::Dot:
    return "dot";
  case NodeKind::Map:
    return "map";
  case NodeKind::Reduce:
    return "reduce";
  case NodeKind::Loop:
    return "loop";
  case NodeKind::Store:
    return "store";
  }
  return "";
}

Node *TileGraph::loadOf(Value value) const {
  Node *node = definitions.lookup(value);
  return node && node->kind == NodeKind::Load ? node : nullptr;
}

static void walkNodes(const std::vector<std::unique_ptr<Node>> &nodes,
                      function_ref<void(Node &)> visit) {
  for (const std::unique_ptr<Node> &node : nodes) {
    visit(*node);
    walkNodes(node->body, visit);
  }
}

void TileGraph::walk(function_ref<void(Node &)> visit) const { walkNodes(body, visit); }

namespace {

using NodeList = std::vector<std::unique_ptr<Node>>;

/// Fills a TileGraph. Every function emits its own error.
class GraphBuilder {
public:
  explicit GraphBuilder(TileGraph &graph) : graph(graph) {}

  LogicalResult addBlock(Block &block, NodeList &list);
  LogicalResult addStores(NodeList &list);

private:
  LogicalResult addOp(Operation &op, NodeList &list);
  LogicalResult addSlice(tensor::ExtractSliceOp op, NodeList &list);
  LogicalResult addPad(tensor::PadOp op, NodeList &list);
  LogicalResult addGeneric(linalg::GenericOp op, NodeList &list);
  LogicalResult addDot(linalg::GenericOp op, NodeList &list);
  LogicalResult addReduce(linalg::GenericOp op, NodeList &list);
  LogicalResult addLoop(scf::ForOp op, NodeList &list);
  LogicalResult addStore(tensor::ParallelInsertSliceOp op, NodeList &list);
  Node &add(NodeList &list, NodeKind kind, Operation *op);

  TileGraph &graph;
};

} // namespace

Node &GraphBuilder::add(NodeList &list, NodeKind kind, Operation *op) {
  list.push_back(std::make_unique<Node>());
  Node &node = *list.back();
  node.kind = kind;
  node.op = op;
  for (Value result : op->getResults())
    graph.definitions[result] = &node;
  return node;
}

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

LogicalResult GraphBuilder::addBlock(Block &block, NodeList &list) {
  for (Operation &op : block.without_terminator())
    if (failed(addOp(op, list)))
      return failure();
  return success();
}

LogicalResult GraphBuilder::addOp(Operation &op, NodeList &list) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return addSlice(slice, list);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return addPad(pad, list);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return addGeneric(generic, list);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addLoop(loop, list);
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    add(list, NodeKind::Fill, &op).source = fill.getInputs().front();
    return success();
  }
  if (isa<tensor::EmptyOp>(op)) {
    add(list, NodeKind::Fill, &op);
    return success();
  }
  // A transposed tile is stored so: addStore looks through it.
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op);
      transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0} &&
      graph.definitions.count(transpose.getInput())) {
    graph.definitions[transpose->getResult(0)] = nullptr;
    return success();
  }
  DenseElementsAttr dense;
  if (matchPattern(&op, m_Constant(&dense)) && dense.isSplat()) {
    add(list, NodeKind::Fill, &op).constant = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    return success();
  }
  // What remains is scalar arithmetic: emitted where a node asks for it.
  if (isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
      llvm::none_of(op.getResults(), isTensor))
    return success();
  return op.emitOpError("expects a load, dot, map, row reduction, loop or store in a tile program "
                        "for the GPU, got an op that is none of them");
}

/// The window that a slice of a function argument reads.
static FailureOr<Window> windowOf(tensor::ExtractSliceOp op) {
  Window window;
  window.tensor = op.getSource();
  window.offsets = op.getMixedOffsets();
  if (llvm::any_of(op.getMixedStrides(), [](OpFoldResult stride) { return !isOneInteger(stride); }))
    return op.emitOpError("expects a slice with unit strides"), failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim)) {
      window.tileDims.push_back(dim);
      window.sizes.push_back(size);
    }
  return window;
}

LogicalResult GraphBuilder::addSlice(tensor::ExtractSliceOp op, NodeList &list) {
  // A slice of a tile is the part of it that is stored: addStore looks through it.
  if (graph.definitions.count(op.getSource()))
    return success();
  auto argument = dyn_cast<BlockArgument>(op.getSource());
  if (!argument || !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return op.emitOpError("expects a slice of a function argument or of a tile");
  FailureOr<Window> window = windowOf(op);
  if (failed(window))
    return failure();
  // A ragged slice gets its node from the pad that completes it.
  if (!op.getType().hasStaticShape() || llvm::all_of(op->getUsers(), llvm::IsaPred<tensor::PadOp>))
    return success();
  add(list, NodeKind::Load, op).window = *window;
  return success();
}

LogicalResult GraphBuilder::addPad(tensor::PadOp op, NodeList &list) {
  if (!op.getType().hasStaticShape())
    return op.emitOpError("expects a tile of static shape, got ") << op.getType();
  Value padding = op.getConstantPaddingValue();
  if (!padding || !(matchPattern(padding, m_AnyZeroFloat()) || matchPattern(padding, m_Zero())))
    return op.emitOpError("expects padding by a constant zero");
  if (llvm::any_of(op.getMixedLowPad(), [](OpFoldResult low) { return !isZeroInteger(low); }))
    return op.emitOpError("expects padding behind the data only");
  auto slice = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return op.emitOpError("expects to pad a slice of a function argument");
  FailureOr<Window> window = windowOf(slice);
  if (failed(window))
    return failure();
  add(list, NodeKind::Load, op).window = *window;
  return success();
}

LogicalResult GraphBuilder::addGeneric(linalg::GenericOp op, NodeList &list) {
  for (Value result : op.getResults())
    if (!cast<ShapedType>(result.getType()).hasStaticShape())
      return op.emitOpError("expects tiles of static shape, got ") << result.getType();
  if (op.getNumLoops() > 3 || op.getNumResults() == 0)
    return op.emitOpError("expects at most 3 loops and at least one result");
  if (op.getNumReductionLoops() == 0) {
    add(list, NodeKind::Map, op);
    return success();
  }
  if (op.getNumResults() != 1 || op.getNumReductionLoops() != 1)
    return op.emitOpError("expects one reduction loop and one result, got ")
           << op.getNumReductionLoops() << " and " << op.getNumResults();
  return op.getNumDpsInputs() == 2 ? addDot(op, list) : addReduce(op, list);
}

/// The operand dim that loop `loop` indexes through `map`, or -1.
static int64_t dimOfLoop(AffineMap map, unsigned loop) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto position = dyn_cast<AffineDimExpr>(expr); position && position.getPosition() == loop)
      return dim;
  return -1;
}

LogicalResult GraphBuilder::addDot(linalg::GenericOp op, NodeList &list) {
  std::optional<MultiplyAdd> body = matchMultiplyAdd(*op.getBlock());
  if (!body)
    return op.emitOpError("expects the body of a dot to be acc + a * b");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumLoops() != 3 || llvm::any_of(maps, [](AffineMap map) {
        return map.getNumResults() != 2 || !map.isProjectedPermutation();
      }))
    return op.emitOpError("expects a dot of two matrices");
  unsigned row = maps[2].getDimPosition(0);
  unsigned column = maps[2].getDimPosition(1);
  Node &node = add(list, NodeKind::Dot, op);
  node.guard = body->guard;
  node.rowInput = dimOfLoop(maps[0], row) >= 0 ? 0 : 1;
  if (dimOfLoop(maps[node.rowInput], row) < 0 || dimOfLoop(maps[1 - node.rowInput], column) < 0)
    return op.emitOpError("expects one input of a dot to have the rows, the other the columns");
  return success();
}

LogicalResult GraphBuilder::addReduce(linalg::GenericOp op, NodeList &list) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumDpsInputs() != 1 || op.getNumLoops() != 2 || maps[1].getNumResults() != 1 ||
      !maps[0].isIdentity() || maps[1].getDimPosition(0) != 0)
    return op.emitOpError("expects a reduction of a matrix along its rows");
  std::optional<Combiner> combiner = findCombiner(*op.getBlock());
  if (!combiner)
    return op.emitOpError("expects a reduction by addf, maximumf, maxnumf, minimumf or minnumf");
  add(list, NodeKind::Reduce, op).combiner = *combiner;
  return success();
}

LogicalResult GraphBuilder::addLoop(scf::ForOp op, NodeList &list) {
  for (Value init : op.getInitArgs())
    if (isTensor(init) && !cast<TensorType>(init.getType()).hasStaticShape())
      return op.emitOpError("expects loop-carried tiles of static shape, got ") << init.getType();
  Node &node = add(list, NodeKind::Loop, op);
  for (Value carried : op.getRegionIterArgs())
    graph.definitions[carried] = nullptr;
  return addBlock(*op.getBody(), node.body);
}

LogicalResult GraphBuilder::addStore(tensor::ParallelInsertSliceOp op, NodeList &list) {
  Node &node = add(list, NodeKind::Store, op);
  node.source = op.getSource();
  if (auto slice = node.source.getDefiningOp<tensor::ExtractSliceOp>())
    if (llvm::all_of(slice.getMixedOffsets(), isZeroInteger))
      node.source = slice.getSource();
  if (!graph.definitions.count(node.source))
    return op.emitOpError("expects to store a tile or the first rows of one");
  node.window.tensor = op.getDest();
  node.window.offsets = op.getMixedOffsets();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim)) {
      node.window.tileDims.push_back(dim);
      node.window.sizes.push_back(size);
    }
  // The only row of a tile may be left out of the window: it lies in a dim of which one element is
  // written.
  auto tile = cast<RankedTensorType>(node.source.getType());
  if (static_cast<size_t>(tile.getRank()) == node.window.tileDims.size() + 1 &&
      tile.getDimSize(0) == 1 && dropped.any()) {
    node.window.tileDims.insert(node.window.tileDims.begin(), dropped.find_first());
    node.window.sizes.insert(node.window.sizes.begin(),
                             OpFoldResult(Builder(op.getContext()).getIndexAttr(1)));
  }
  if (static_cast<size_t>(tile.getRank()) != node.window.tileDims.size())
    return op.emitOpError("expects a window of the tile's rank, got ")
           << node.window.tileDims.size() << " dims for " << tile;
  if (auto transpose = node.source.getDefiningOp<linalg::TransposeOp>()) {
    node.source = transpose.getInput();
    std::reverse(node.window.tileDims.begin(), node.window.tileDims.end());
    std::reverse(node.window.sizes.begin(), node.window.sizes.end());
  }
  return success();
}

LogicalResult GraphBuilder::addStores(NodeList &list) {
  for (Operation &op : graph.getForall().getTerminator().getRegion().front()) {
    auto store = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!store)
      return op.emitOpError("expects tensor.parallel_insert_slice");
    if (failed(addStore(store, list)))
      return failure();
  }
  return success();
}

FailureOr<TileGraph> TileGraph::build(scf::ForallOp forall) {
  TileGraph graph(forall);
  GraphBuilder builder(graph);
  if (failed(builder.addBlock(*forall.getBody(), graph.body)) ||
      failed(builder.addStores(graph.body)))
    return failure();
  return graph;
}
