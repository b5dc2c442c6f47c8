//===- PlanPlacement.cpp - Where every tile value lives -------------------===//

#include "PlanPlacement.h"
#include "KernelPlan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::fa;

StringRef mlir::fa::stringifyPlace(Place place) {
  switch (place) {
  case Place::Scalar:
    return "scalar";
  case Place::Row:
    return "row";
  case Place::Column:
    return "column";
  case Place::Fragment:
    return "fragment";
  case Place::Shared:
    return "shared";
  case Place::Global:
    return "global";
  }
  return "";
}

static int64_t rankOf(Value tile) { return cast<RankedTensorType>(tile.getType()).getRank(); }

namespace {

/// Decides rows or columns for vectors, and the place of matrices.
class Placement {
public:
  Placement(const TileGraph &graph, KernelPlan &plan) : graph(graph), plan(plan) {}

  LogicalResult run();

private:
  void unify(Value a, Value b) {
    if (rankOf(a) == 1)
      vectors.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  LogicalResult setVector(Operation *user, Value vector, Place place);
  void linkLoop(Node &node);
  LogicalResult linkMap(Node &node);
  LogicalResult placeVectors(Node &node);
  void placeMatrices(Node &node);
  void placeValue(Value value, Node *definition);
  void placeVector(Value value);

  const TileGraph &graph;
  KernelPlan &plan;
  llvm::EquivalenceClasses<void *> vectors;
  DenseMap<void *, Place> vectorPlace;
};

} // namespace

LogicalResult Placement::setVector(Operation *user, Value vector, Place place) {
  void *key = vector.getAsOpaquePointer();
  vectors.insert(key);
  auto [it, isNew] = vectorPlace.try_emplace(vectors.getLeaderValue(key), place);
  if (!isNew && it->second != place)
    return user->emitOpError("expects a vector to run along rows or along columns, got one that "
                             "is used both ways");
  return success();
}

void Placement::linkLoop(Node &node) {
  scf::ForOp loop = node.loop();
  auto yielded = cast<scf::YieldOp>(loop.getBody()->getTerminator()).getResults();
  for (auto [init, carried, next, result] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), yielded, loop.getResults()))
    if (isa<RankedTensorType>(init.getType()))
      for (Value other : {Value(init), Value(next), Value(result)})
        unify(carried, other);
}

/// Vectors of a map over vectors are alike: they take each other's place.
LogicalResult Placement::linkMap(Node &node) {
  linalg::GenericOp op = node.generic();
  if (op.getNumLoops() != 1)
    return success();
  Value result = op.getResult(0);
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()); type && type.getRank() == 1)
      unify(result, operand);
  for (Value other : op.getResults())
    unify(result, other);
  return success();
}

LogicalResult Placement::placeVectors(Node &node) {
  if (node.kind == NodeKind::Reduce) {
    linalg::GenericOp op = node.generic();
    if (failed(setVector(op, op.getDpsInits()[0], Place::Row)))
      return failure();
    return setVector(op, op.getResult(0), Place::Row);
  }
  if (node.kind != NodeKind::Map || node.generic().getNumLoops() != 2)
    return success();
  linalg::GenericOp op = node.generic();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap result;
  for (AffineMap map : ArrayRef(maps).drop_front(op.getNumDpsInputs()))
    if (map.getNumResults() == 2)
      result = map;
  if (!result || !result.isPermutation())
    return op.emitOpError("expects a map over a matrix to yield one");
  for (auto [operand, map] : llvm::zip(op->getOperands(), maps))
    if (map.getNumResults() == 1) {
      bool isRow = map.getDimPosition(0) == result.getDimPosition(0);
      if (failed(setVector(op, operand, isRow ? Place::Row : Place::Column)))
        return failure();
    }
  for (OpResult value : op.getResults()) {
    AffineMap map = op.getIndexingMapMatchingResult(value);
    if (map.getNumResults() == 1)
      return op.emitOpError("expects all results of a map over a matrix to be matrices");
  }
  return success();
}

void Placement::placeVector(Value value) {
  void *key = value.getAsOpaquePointer();
  vectors.insert(key);
  auto it = vectorPlace.find(vectors.getLeaderValue(key));
  plan.places[value] = it == vectorPlace.end() ? Place::Row : it->second;
}

void Placement::placeValue(Value value, Node *definition) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  if (type.getRank() == 0)
    plan.places[value] = Place::Scalar;
  else if (type.getRank() == 1)
    placeVector(value);
  else if (!definition || definition->kind != NodeKind::Load)
    plan.places[value] = Place::Fragment;
  else {
    bool isDotInput = llvm::any_of(value.getUsers(), [&](Operation *user) {
      Node *node = user->getNumResults() ? graph.definitions.lookup(user->getResult(0)) : nullptr;
      return node && node->kind == NodeKind::Dot;
    });
    plan.places[value] = isDotInput ? Place::Shared : Place::Global;
  }
}

LogicalResult Placement::run() {
  // The leader of a class is only known when all links are made.
  LogicalResult result = success();
  graph.walk([&](Node &node) {
    if (node.kind == NodeKind::Loop)
      linkLoop(node);
    else if (node.kind == NodeKind::Map)
      result = success(succeeded(linkMap(node)) && succeeded(result));
  });
  graph.walk([&](Node &node) {
    if (succeeded(result))
      result = placeVectors(node);
  });
  if (failed(result))
    return failure();
  for (auto [value, definition] : graph.definitions)
    placeValue(value, definition);
  return success();
}

LogicalResult mlir::fa::placeTiles(const TileGraph &graph, KernelPlan &plan) {
  return Placement(graph, plan).run();
}

int64_t mlir::fa::dotDepth(Type elementType) {
  return elementType.getIntOrFloatBitWidth() == 32 ? 8 : 16;
}

int64_t mlir::fa::swizzleUnit(Swizzle swizzle, int64_t row, int64_t unit) {
  switch (swizzle) {
  case Swizzle::None:
    return unit;
  case Swizzle::Xor2:
    return unit ^ (row / 4 % 2);
  case Swizzle::Xor4:
    return unit ^ (row / 2 % 4);
  case Swizzle::Xor8:
    return unit ^ (row % 8);
  }
  return unit;
}

SharedTile mlir::fa::layoutSharedTile(int64_t rows, int64_t columns, int64_t elementBytes) {
  SharedTile tile;
  tile.rows = rows;
  tile.columns = columns;
  tile.elementBytes = elementBytes;
  // The depth of one matrix instruction, or two fragments of columns.
  int64_t granule = 2 * kFragmentColumns;
  tile.paddedRows = llvm::divideCeil(rows, granule) * granule;
  tile.paddedColumns = llvm::divideCeil(columns, granule) * granule;
  int64_t units = tile.unitsPerRow();
  tile.swizzle = units % 8 == 0 ? Swizzle::Xor8
                 : units == 4   ? Swizzle::Xor4
                 : units == 2   ? Swizzle::Xor2
                                : Swizzle::None;
  if (tile.swizzle == Swizzle::None)
    units |= 1;
  tile.rowBytes = units * kUnitBytes;
  tile.slotBytes = tile.paddedRows * tile.rowBytes;
  return tile;
}

int64_t KernelPlan::columnFragments(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return llvm::divideCeil(type.getShape().back(), kFragmentColumns);
}

int64_t KernelPlan::valuesPerThread(Value tile) const {
  switch (placeOf(tile)) {
  case Place::Scalar:
    return 1;
  case Place::Row:
    return 2 * rowFragments;
  case Place::Column:
    return 2 * columnFragments(tile);
  case Place::Fragment:
    return 4 * rowFragments * columnFragments(tile);
  case Place::Shared:
  case Place::Global:
    return 0;
  }
  return 0;
}
