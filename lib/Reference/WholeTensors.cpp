//===- WholeTensors.cpp - Attention's steps on whole tensors --------------===//

#include "WholeTensors.h"
#include "fa/Dialect/Attention/UnitDims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fa;

Value fa::castFloat(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

WholeTensors::WholeTensors(OpBuilder &builder, AttentionInterface op)
    : builder(builder), loc(op->getLoc()), op(op) {
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    sizes.push_back(op.getLoopSize(builder, loc, dim));
}

WholeValue WholeTensors::getOperand(unsigned number) {
  return {op->getOperand(number), op.getMap(number)};
}

AffineMap WholeTensors::getMapOf(ArrayRef<DimRole> roles) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (llvm::is_contained(roles, op.getRole(dim)))
      exprs.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(op.getNumLoops(), 0, exprs, builder.getContext());
}

/// The dimensions that one of `maps` has, in order.
static SmallVector<unsigned> findLoops(ArrayRef<AffineMap> maps) {
  SmallVector<unsigned> loops;
  for (unsigned dim = 0, e = maps[0].getNumDims(); dim < e; ++dim)
    if (llvm::any_of(maps, [&](AffineMap map) { return map.isFunctionOfDim(dim); }))
      loops.push_back(dim);
  return loops;
}

WholeValue WholeTensors::create(ArrayRef<WholeValue> inputs, AffineMap map, Body body,
                                std::optional<double> init) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const WholeValue &input : inputs) {
    operands.push_back(input.value);
    maps.push_back(input.map);
  }
  maps.push_back(map);
  SmallVector<unsigned> loops = findLoops(maps);
  SmallVector<AffineExpr> renumbered(op.getNumLoops(), builder.getAffineConstantExpr(0));
  SmallVector<utils::IteratorType> iterators;
  for (auto [i, dim] : llvm::enumerate(loops)) {
    renumbered[dim] = builder.getAffineDimExpr(i);
    iterators.push_back(map.isFunctionOfDim(dim) ? utils::IteratorType::parallel
                                                 : utils::IteratorType::reduction);
  }
  for (AffineMap &one : maps)
    one = one.replaceDimsAndSymbols(renumbered, {}, loops.size(), 0);

  SmallVector<OpFoldResult> shape;
  for (AffineExpr expr : map.getResults())
    shape.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
  Value out = tensor::EmptyOp::create(builder, loc, shape, getType());
  if (init) {
    Value start = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(getType(), *init));
    out = linalg::FillOp::create(builder, loc, start, out).getResult(0);
  }
  auto generic = linalg::GenericOp::create(
      builder, loc, out.getType(), operands, out, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        linalg::YieldOp::create(nested, nestedLoc, body(nested, nestedLoc, arguments));
      });
  return {generic.getResult(0), map};
}

WholeValue WholeTensors::createProduct(WholeValue lhs, WholeValue rhs, AffineMap map) {
  return create(
      {lhs, rhs}, map,
      [&](OpBuilder &b, Location l, ValueRange v) -> Value {
        Value product = arith::MulFOp::create(b, l, castFloat(b, l, v[0], getType()),
                                              castFloat(b, l, v[1], getType()));
        return arith::AddFOp::create(b, l, v[2], product);
      },
      0);
}

WholeValue WholeTensors::createScores() {
  return createProduct(getOperand(0), getOperand(1), getScoreMap());
}

Value WholeTensors::cloneRegion(OpBuilder &nested, Location nestedLoc, Region &region, Value first,
                                ValueRange extras) {
  IRMapping mapping;
  mapping.map(region.getArgument(0), first);
  unsigned numIndices = op.getIndexedDims().size();
  for (unsigned i = 0; i < numIndices; ++i)
    mapping.map(region.getArgument(1 + i), linalg::IndexOp::create(nested, nestedLoc, i));
  for (auto [i, extra] : llvm::enumerate(extras))
    mapping.map(region.getArgument(1 + numIndices + i), extra);
  for (Operation &inner : region.front().without_terminator())
    nested.clone(inner, mapping);
  return mapping.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

WholeValue WholeTensors::createRegion(Region &region, WholeValue first) {
  SmallVector<WholeValue> inputs = {first};
  for (unsigned i = 0, e = op.getExtras().size(); i < e; ++i)
    inputs.push_back(getOperand(3 + i));
  return create(inputs, getScoreMap(), [&](OpBuilder &b, Location l, ValueRange v) {
    return cloneRegion(b, l, region, v[0], v.drop_front().drop_back());
  });
}

Value WholeTensors::finish(WholeValue value, AffineMap map, RankedTensorType type) {
  if (type.getElementType() != getType()) {
    auto shape = tensor::getMixedSizes(builder, loc, value.value);
    Value out = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
    SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
    value.value = linalg::GenericOp::create(
                      builder, loc, out.getType(), value.value, out,
                      ArrayRef<AffineMap>{identity, identity}, iterators,
                      [&](OpBuilder &b, Location l, ValueRange v) {
                        linalg::YieldOp::create(b, l, castFloat(b, l, v[0], type.getElementType()));
                      })
                      .getResult(0);
  }
  assert(value.map == dropConstants(map) && "the value has the result's layout");
  value.value = createUnitDims(builder, loc, value.value, map);
  return builder.createOrFold<tensor::CastOp>(loc, type, value.value);
}
