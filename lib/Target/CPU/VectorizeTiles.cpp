//===- VectorizeTiles.cpp - fa-cpu-vectorize-tiles ------------------------===//

#include "VectorizeTiles.h"
#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fa {
#define GEN_PASS_DEF_VECTORIZETILES
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

int64_t fa::getLanes(int64_t size, Type type) {
  if (ShapedType::isDynamic(size) || size == 0 || !type.isIntOrFloat())
    return 1;
  int64_t lanes = 512 / std::max<int64_t>(type.getIntOrFloatBitWidth(), 32);
  while (size % lanes != 0)
    lanes /= 2;
  return lanes;
}

bool fa::isContiguous(MemRefType type, unsigned axis) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) && strides[axis] == 1;
}

/// Brings `axis` to the end, where vector accesses have their elements.
static std::pair<Value, SmallVector<Value>> moveLast(OpBuilder &builder, Location loc, Value buffer,
                                                     ArrayRef<Value> indices, unsigned axis) {
  SmallVector<Value> moved(indices);
  if (axis + 1 == indices.size())
    return {buffer, moved};
  moved.erase(moved.begin() + axis);
  moved.push_back(indices[axis]);
  SmallVector<unsigned> permutation;
  for (unsigned i = 0; i < indices.size(); ++i)
    if (i != axis)
      permutation.push_back(i);
  permutation.push_back(axis);
  AffineMap map = AffineMap::getPermutationMap(permutation, builder.getContext());
  return {memref::TransposeOp::create(builder, loc, buffer, AffineMapAttr::get(map)), moved};
}

Value fa::loadVector(OpBuilder &builder, Location loc, VectorType type, Value buffer,
                     ArrayRef<Value> indices, unsigned axis) {
  auto [view, moved] = moveLast(builder, loc, buffer, indices, axis);
  return vector::LoadOp::create(builder, loc, type, view, moved);
}

void fa::storeVector(OpBuilder &builder, Location loc, Value vector, Value buffer,
                     ArrayRef<Value> indices, unsigned axis) {
  auto [view, moved] = moveLast(builder, loc, buffer, indices, axis);
  vector::StoreOp::create(builder, loc, vector, view, moved);
}

/// Every op as a linalg.generic, copies included.
static void generalize(RewriterBase &rewriter, scf::ForallOp program) {
  SmallVector<memref::CopyOp> copies;
  program.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(
        op, linalg::CopyOp::create(rewriter, op.getLoc(), op.getSource(), op.getTarget()));
  }
  SmallVector<linalg::LinalgOp> named;
  program.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

namespace {
struct VectorizeTiles : fa::impl::VectorizeTilesBase<VectorizeTiles> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    walkTilePrograms(getOperation(), [&](scf::ForallOp program) {
      generalize(rewriter, program);
      SmallVector<linalg::GenericOp> ops;
      program.walk([&](linalg::GenericOp op) { ops.push_back(op); });
      for (linalg::GenericOp op : ops) {
        rewriter.setInsertionPoint(op);
        // What has no vectors stays for the lowering to scalar loops.
        if (std::optional<DotForm> form = matchDot(op))
          (void)vectorizeDot(rewriter, op, *form);
        else
          (void)vectorizeMap(rewriter, op);
      }
    });
  }
};
} // namespace
