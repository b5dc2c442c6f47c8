//===- VectorizeDot.cpp - Register-blocked products -----------------------===//
//
// out[i, j] += Σ_k rows[i, k]·other[j, k]. Vectors hold neighbouring rows i; `other` gives scalars,
// which are broadcast as they are loaded. A block of C vectors by R columns j stays in registers
// over the loop on k: R·C fused multiply-adds for C vector loads and R broadcasts.
//
//===----------------------------------------------------------------------===//

#include "VectorizeTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fa;

/// Vectors and columns of a block: 16 accumulators hide the latency of the multiply-add and leave
/// room for operands among 32 registers.
static constexpr int64_t kBlockVectors = 4, kBlockColumns = 4;

/// The axis of the first input that the rows are on.
static unsigned getRowAxis(linalg::GenericOp op) {
  return op.getIndexingMapsArray()[0].getDimPosition(0) == 0 ? 0 : 1;
}

namespace {
class DotBuilder {
public:
  DotBuilder(RewriterBase &builder, linalg::GenericOp op, DotForm form, int64_t lanes,
             bool startsAtZero)
      : builder(builder), loc(op.getLoc()), op(op), form(form), startsAtZero(startsAtZero),
        type(VectorType::get(lanes, getElementTypeOrSelf(op.getDpsInits()[0].getType()))) {}

  void create(int64_t rows, Value columns, std::optional<int64_t> staticColumns, Value depth);

private:
  void createColumns(Value row, Value begin, Value end, int64_t numVectors, int64_t numColumns,
                     Value depth);
  void createBlock(Value row, Value column, int64_t numVectors, int64_t numColumns, Value depth);
  SmallVector<Value> createStep(Value row, Value column, Value k, int64_t numVectors,
                                ValueRange sums);
  /// Indices into an operand, which has two of the loops (i, j, k).
  SmallVector<Value> getIndices(unsigned operand, Value i, Value j, Value k);
  Value add(Value index, int64_t offset);
  Value createIsZero(Value factor);
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  RewriterBase &builder;
  Location loc;
  linalg::GenericOp op;
  DotForm form;
  bool startsAtZero;
  VectorType type;
};
} // namespace

Value DotBuilder::add(Value index, int64_t offset) {
  return offset == 0 ? index
                     : arith::AddIOp::create(builder, loc, index, constant(offset)).getResult();
}

SmallVector<Value> DotBuilder::getIndices(unsigned operand, Value i, Value j, Value k) {
  Value loops[] = {i, j, k};
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getIndexingMapsArray()[operand].getResults())
    indices.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  return indices;
}

Value DotBuilder::createIsZero(Value factor) {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, factor, zero);
}

/// One k: adds rows·other to every sum of the block.
SmallVector<Value> DotBuilder::createStep(Value row, Value column, Value k, int64_t numVectors,
                                          ValueRange sums) {
  SmallVector<Value> left, results, isZero;
  for (int64_t v = 0; v < numVectors; ++v) {
    Value i = add(row, v * type.getNumElements());
    left.push_back(loadVector(builder, loc, type, op.getDpsInputs()[0], getIndices(0, i, column, k),
                              getRowAxis(op)));
    if (form.skipsZerosOf == 0u)
      isZero.push_back(createIsZero(left.back()));
  }
  for (int64_t c = 0, e = sums.size() / numVectors; c < e; ++c) {
    Value scalar = memref::LoadOp::create(builder, loc, op.getDpsInputs()[1],
                                          getIndices(1, row, add(column, c), k));
    Value right = vector::BroadcastOp::create(builder, loc, type, scalar);
    if (form.skipsZerosOf == 1u)
      isZero.assign(numVectors, createIsZero(right));
    for (int64_t v = 0; v < numVectors; ++v) {
      Value old = sums[c * numVectors + v];
      Value sum = vector::FMAOp::create(builder, loc, left[v], right, old);
      if (form.skipsZerosOf)
        sum = arith::SelectOp::create(builder, loc, isZero[v], old, sum);
      results.push_back(sum);
    }
  }
  return results;
}

void DotBuilder::createBlock(Value row, Value column, int64_t numVectors, int64_t numColumns,
                             Value depth) {
  Value out = op.getDpsInits()[0];
  SmallVector<Value> sums;
  auto forEach = [&](function_ref<void(SmallVector<Value> indices)> visit) {
    for (int64_t c = 0; c < numColumns; ++c)
      for (int64_t v = 0; v < numVectors; ++v)
        visit(getIndices(2, add(row, v * type.getNumElements()), add(column, c), Value()));
  };
  forEach([&](SmallVector<Value> indices) {
    if (startsAtZero)
      sums.push_back(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
    else
      sums.push_back(loadVector(builder, loc, type, out, indices, 0));
  });
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), depth, constant(1), sums,
      [&](OpBuilder &nested, Location, Value k, ValueRange carried) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(nested.saveInsertionPoint());
        scf::YieldOp::create(builder, loc, createStep(row, column, k, numVectors, carried));
      });
  auto next = loop.getResults().begin();
  forEach([&](SmallVector<Value> indices) { storeVector(builder, loc, *next++, out, indices, 0); });
}

/// Blocks of `numColumns` columns for [begin, end).
void DotBuilder::createColumns(Value row, Value begin, Value end, int64_t numVectors,
                               int64_t numColumns, Value depth) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(numColumns));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  createBlock(row, loop.getInductionVar(), numVectors, numColumns, depth);
}

void DotBuilder::create(int64_t rows, Value columns, std::optional<int64_t> staticColumns,
                        Value depth) {
  int64_t numVectors = kBlockVectors;
  while (rows % (numVectors * type.getNumElements()) != 0)
    --numVectors;
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(rows),
                                 constant(numVectors * type.getNumElements()));
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  if (!staticColumns) {
    createColumns(row, constant(0), columns, numVectors, 1, depth);
    return;
  }
  // With fewer vectors a block is wider.
  int64_t numColumns = kBlockColumns * kBlockVectors / numVectors;
  int64_t whole = *staticColumns / numColumns * numColumns;
  if (whole > 0)
    createColumns(row, constant(0), constant(whole), numVectors, numColumns, depth);
  if (whole < *staticColumns)
    createColumns(row, constant(whole), columns, numVectors, *staticColumns - whole, depth);
}

/// The fill with zeros that nothing but `op` reads or overwrites, if there is one.
static linalg::LinalgOp findZeroFill(linalg::GenericOp op) {
  Value out = op.getDpsInits()[0];
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    if (!llvm::is_contained(before->getOperands(), out) && before->getNumRegions() == 0)
      continue;
    auto fill = dyn_cast<linalg::LinalgOp>(before);
    if (fill && llvm::is_contained(before->getOperands(), out))
      return isZeroFill(fill) ? fill : linalg::LinalgOp();
    if (!fill)
      return nullptr;
  }
  return nullptr;
}

LogicalResult fa::vectorizeDot(RewriterBase &rewriter, linalg::GenericOp op, DotForm form) {
  auto out = cast<MemRefType>(op.getDpsInits()[0].getType());
  auto rows = cast<MemRefType>(op.getDpsInputs()[0].getType());
  auto other = cast<MemRefType>(op.getDpsInputs()[1].getType());
  Type element = out.getElementType();
  int64_t size = out.getDimSize(0), lanes = getLanes(size, element);
  if (lanes == 1)
    return rewriter.notifyMatchFailure(op, "the rows do not fill a vector");
  if (rows.getElementType() != element || other.getElementType() != element)
    return rewriter.notifyMatchFailure(op, "the factors have another type than the sum");
  if (!isContiguous(out, 0) || !isContiguous(rows, getRowAxis(op)))
    return rewriter.notifyMatchFailure(op, "the rows are not contiguous");

  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  auto getSize = [&](Value buffer, unsigned axis) -> Value {
    return rewriter.createOrFold<memref::DimOp>(loc, buffer, axis);
  };
  Value columns = getSize(op.getDpsInits()[0], 1);
  Value depth = getSize(op.getDpsInputs()[0], 1 - getRowAxis(op));
  std::optional<int64_t> staticColumns;
  if (!out.isDynamicDim(1))
    staticColumns = out.getDimSize(1);
  linalg::LinalgOp fill = findZeroFill(op);
  DotBuilder(rewriter, op, form, lanes, bool(fill)).create(size, columns, staticColumns, depth);
  rewriter.eraseOp(op);
  if (fill)
    rewriter.eraseOp(fill);
  return success();
}
