//===- VectorizeMap.cpp - Maps and row reductions over vectors ------------===//

#include "VectorizeTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fa;

/// Vectors that a reduction carries at a time, to hide the latency of its combiner.
static constexpr int64_t kMaxVectors = 4;

namespace {
/// Emits one op: loops over the other parallel dimensions, over groups of vectors along the lane
/// dimension, and inside over the reduction dimensions, which carry the results.
class MapBuilder {
public:
  MapBuilder(RewriterBase &builder, linalg::GenericOp op, unsigned laneDim, int64_t lanes)
      : builder(builder), loc(op.getLoc()), op(op), laneDim(laneDim), lanes(lanes),
        positions(op.getNumLoops()) {}

  void create();

private:
  void createLoops(ArrayRef<unsigned> dims, int64_t numVectors);
  SmallVector<Value> createReduction(ArrayRef<unsigned> dims, SmallVector<Value> carried);
  SmallVector<Value> createBodies(ValueRange carried);
  Value createBody(int64_t vector, Value carried);
  Value getLoopSize(unsigned dim);
  SmallVector<Value> getIndices(AffineMap map, int64_t vector, int64_t lane);
  Value load(OpOperand &operand, int64_t vector);
  void store(Value value, int64_t vector);
  Value broadcast(Value value);
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Type getVectorType(Type element) { return VectorType::get(lanes, element); }

  RewriterBase &builder;
  Location loc;
  linalg::GenericOp op;
  unsigned laneDim;
  int64_t lanes;
  SmallVector<Value> positions; ///< of the loops; of the group's first lane for the lane dimension
};
} // namespace

Value MapBuilder::getLoopSize(unsigned dim) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (std::optional<unsigned> axis =
            map.getResultPosition(getAffineDimExpr(dim, builder.getContext())))
      return builder.createOrFold<memref::DimOp>(loc, operand.get(), *axis);
  }
  llvm_unreachable("every loop of a linalg op is in a map");
}

SmallVector<Value> MapBuilder::getIndices(AffineMap map, int64_t vector, int64_t lane) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr)) {
      indices.push_back(constant(cast<AffineConstantExpr>(expr).getValue()));
      continue;
    }
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    Value position = positions[dim];
    int64_t offset = dim == laneDim ? vector * lanes + lane : 0;
    if (offset != 0)
      position = arith::AddIOp::create(builder, loc, position, constant(offset));
    indices.push_back(position);
  }
  return indices;
}

Value MapBuilder::broadcast(Value value) {
  return vector::BroadcastOp::create(builder, loc, getVectorType(value.getType()), value);
}

/// The axis of a buffer along which loop `dim` has contiguous elements; i1 has no vector in memory.
static std::optional<unsigned> findVectorAxis(MemRefType type, AffineMap map, unsigned dim) {
  std::optional<unsigned> axis = map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  if (!axis || !isContiguous(type, *axis) || type.getElementType().isInteger(1))
    return std::nullopt;
  return axis;
}

Value MapBuilder::load(OpOperand &operand, int64_t vector) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value buffer = operand.get();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return broadcast(buffer);
  if (!map.isFunctionOfDim(laneDim))
    return broadcast(memref::LoadOp::create(builder, loc, buffer, getIndices(map, vector, 0)));
  auto vectorType = cast<VectorType>(getVectorType(type.getElementType()));
  if (std::optional<unsigned> axis = findVectorAxis(type, map, laneDim))
    return loadVector(builder, loc, vectorType, buffer, getIndices(map, vector, 0), *axis);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane)
    elements.push_back(memref::LoadOp::create(builder, loc, buffer, getIndices(map, vector, lane)));
  return vector::FromElementsOp::create(builder, loc, vectorType, elements);
}

void MapBuilder::store(Value value, int64_t vector) {
  OpOperand *operand = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(operand);
  Value buffer = operand->get();
  auto type = cast<MemRefType>(buffer.getType());
  if (std::optional<unsigned> axis = findVectorAxis(type, map, laneDim)) {
    storeVector(builder, loc, value, buffer, getIndices(map, vector, 0), *axis);
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value element = vector::ExtractOp::create(builder, loc, value, lane);
    memref::StoreOp::create(builder, loc, element, buffer, getIndices(map, vector, lane));
  }
}

/// The op's scalar code on vector `vector` of the group; `carried` is the output's old value.
Value MapBuilder::createBody(int64_t vector, Value carried) {
  IRMapping mapping;
  Block *body = op.getBody();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (!argument.use_empty())
      mapping.map(argument, load(*operand, vector));
  }
  mapping.map(body->getArguments().back(), carried);
  auto lookUp = [&](Value value) -> Value {
    if (!mapping.contains(value))
      mapping.map(value, broadcast(value));
    return mapping.lookup(value);
  };
  for (Operation &scalar : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(scalar)) {
      Value position = broadcast(positions[index.getDim()]);
      if (index.getDim() == laneDim) {
        Type type = position.getType();
        Value step = vector::StepOp::create(builder, loc, cast<VectorType>(type));
        step = arith::AddIOp::create(builder, loc, step, broadcast(constant(vector * lanes)));
        position = arith::AddIOp::create(builder, loc, position, step);
      }
      mapping.map(index.getResult(), position);
      continue;
    }
    if (scalar.getNumOperands() == 0) { // a constant
      mapping.map(scalar.getResult(0), broadcast(builder.clone(scalar)->getResult(0)));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(scalar.getOperands(), lookUp);
    SmallVector<Type> types;
    for (Type type : scalar.getResultTypes())
      types.push_back(getVectorType(type));
    Operation *created =
        builder.create(loc, scalar.getName().getIdentifier(), operands, types, scalar.getAttrs());
    mapping.map(scalar.getResults(), created->getResults());
  }
  return lookUp(body->getTerminator()->getOperand(0));
}

SmallVector<Value> MapBuilder::createBodies(ValueRange carried) {
  SmallVector<Value> results;
  for (auto [vector, value] : llvm::enumerate(carried))
    results.push_back(createBody(vector, value));
  return results;
}

SmallVector<Value> MapBuilder::createReduction(ArrayRef<unsigned> dims,
                                               SmallVector<Value> carried) {
  if (dims.empty())
    return createBodies(carried);
  auto loop = scf::ForOp::create(builder, loc, constant(0), getLoopSize(dims.front()), constant(1),
                                 carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  positions[dims.front()] = loop.getInductionVar();
  SmallVector<Value> next =
      createReduction(dims.drop_front(), SmallVector<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

/// Loops over `dims`, then the group of vectors at that position.
void MapBuilder::createLoops(ArrayRef<unsigned> dims, int64_t numVectors) {
  if (!dims.empty()) {
    unsigned dim = dims.front();
    int64_t step = dim == laneDim ? numVectors * lanes : 1;
    auto loop = scf::ForOp::create(builder, loc, constant(0), getLoopSize(dim), constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    positions[dim] = loop.getInductionVar();
    createLoops(dims.drop_front(), numVectors);
    return;
  }
  OpOperand *out = op.getDpsInitOperand(0);
  bool readsOut = !op.getMatchingBlockArgument(out).use_empty();
  SmallVector<Value> carried(numVectors);
  for (int64_t vector = 0; readsOut && vector < numVectors; ++vector)
    carried[vector] = load(*out, vector);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<Value> results = createReduction(reductions, carried);
  for (auto [vector, value] : llvm::enumerate(results))
    store(value, vector);
}

void MapBuilder::create() {
  SmallVector<unsigned> dims;
  op.getParallelDims(dims);
  llvm::erase(dims, laneDim);
  dims.push_back(laneDim);
  int64_t size = op.getStaticLoopRanges()[laneDim];
  int64_t numVectors = op.getNumReductionLoops() > 0 ? kMaxVectors : 1;
  while (size % (numVectors * lanes) != 0)
    --numVectors;
  createLoops(dims, numVectors);
}

/// True if the body has a meaning on vectors, element by element.
static bool isElementwise(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &scalar) {
    if (isa<linalg::IndexOp>(scalar))
      return true;
    bool isConstant = scalar.hasTrait<OpTrait::ConstantLike>();
    auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
    return scalar.getNumRegions() == 0 && scalar.getNumResults() == 1 &&
           llvm::all_of(scalar.getResultTypes(), isScalar) &&
           llvm::all_of(scalar.getOperandTypes(), isScalar) &&
           (isConstant || OpTrait::hasElementwiseMappableTraits(&scalar));
  });
}

/// The parallel dimension along which most operands are contiguous, the output counting twice.
static std::optional<unsigned> chooseLaneDim(linalg::GenericOp op) {
  std::optional<unsigned> best;
  int64_t bestScore = 0;
  SmallVector<unsigned> dims;
  op.getParallelDims(dims);
  Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  for (unsigned dim : dims) {
    if (getLanes(op.getStaticLoopRanges()[dim], element) < 4)
      continue;
    int64_t score = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (type && findVectorAxis(type, op.getMatchingIndexingMap(&operand), dim))
        score += op.isDpsInit(&operand) ? 2 : 1;
    }
    if (score > bestScore) {
      best = dim;
      bestScore = score;
    }
  }
  return best;
}

LogicalResult fa::vectorizeMap(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || !isElementwise(op))
    return rewriter.notifyMatchFailure(op, "the body has no elementwise meaning on vectors");
  for (AffineMap map : op.getIndexingMapsArray())
    if (!llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr, AffineConstantExpr>))
      return rewriter.notifyMatchFailure(op, "an operand is not indexed by plain dimensions");
  std::optional<unsigned> laneDim = chooseLaneDim(op);
  if (!laneDim)
    return rewriter.notifyMatchFailure(op, "no dimension has contiguous elements for vectors");
  Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  OpBuilder::InsertionGuard guard(rewriter);
  MapBuilder(rewriter, op, *laneDim, getLanes(op.getStaticLoopRanges()[*laneDim], element))
      .create();
  rewriter.eraseOp(op);
  return success();
}
