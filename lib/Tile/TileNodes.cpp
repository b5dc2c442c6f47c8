//===- TileNodes.cpp - The nodes of a tile program, as builder functions --===//

#include "TileNodes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

AffineMap fa::getTileMap(MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(2, context);
}

AffineMap fa::getRowMap(MLIRContext *context) {
  return AffineMap::get(2, 0, getAffineDimExpr(0, context));
}

AffineMap fa::getColumnMap(MLIRContext *context) {
  return AffineMap::get(2, 0, getAffineDimExpr(1, context));
}

AffineMap fa::getVectorMap(MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(1, context);
}

Value fa::createFloat(OpBuilder &builder, Location loc, double value, FloatType type) {
  APFloat constant(value);
  bool losesInfo;
  constant.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, constant));
}

SmallVector<OpFoldResult> fa::getShape(OpBuilder &builder, Location loc, Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Value fa::createFill(OpBuilder &builder, Location loc, Value value, ArrayRef<OpFoldResult> shape) {
  Value empty = tensor::EmptyOp::create(builder, loc, shape, value.getType());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

Value fa::createFill(OpBuilder &builder, Location loc, double value, FloatType type,
                     ArrayRef<OpFoldResult> shape) {
  return createFill(builder, loc, createFloat(builder, loc, value, type), shape);
}

Value fa::createMap(OpBuilder &builder, Location loc, ArrayRef<TileInput> inputs,
                    ArrayRef<OpFoldResult> shape, Type elementType, TileBody body) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (TileInput input : inputs) {
    operands.push_back(input.value);
    maps.push_back(input.map);
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(shape.size(), builder.getContext()));
  Value empty = tensor::EmptyOp::create(builder, loc, shape, elementType);
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto map =
      linalg::GenericOp::create(builder, loc, empty.getType(), operands, empty, maps, iterators,
                                [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
                                  Value result = body(nested, nestedLoc, arguments.drop_back());
                                  linalg::YieldOp::create(nested, nestedLoc, result);
                                });
  return map.getResult(0);
}

/// `value` in the wider type `type`.
static Value extend(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(builder, loc, type, value);
}

Value fa::createDot(OpBuilder &builder, Location loc, TileInput lhs, TileInput rhs, Value init,
                    ZeroFactor zero) {
  MLIRContext *context = builder.getContext();
  AffineMap initMap =
      AffineMap::get(3, 0, {getAffineDimExpr(0, context), getAffineDimExpr(1, context)}, context);
  auto type = cast<FloatType>(getElementTypeOrSelf(init.getType()));
  auto dot = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{lhs.value, rhs.value}, init,
      ArrayRef<AffineMap>{lhs.map, rhs.map, initMap},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel, utils::IteratorType::parallel,
                                    utils::IteratorType::reduction},
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        Value left = extend(nested, nestedLoc, arguments[0], type);
        Value right = extend(nested, nestedLoc, arguments[1], type);
        Value product = arith::MulFOp::create(nested, nestedLoc, left, right);
        if (zero != ZeroFactor::Multiplies) {
          Value none = createFloat(nested, nestedLoc, 0, type);
          Value isZero = arith::CmpFOp::create(nested, nestedLoc, arith::CmpFPredicate::OEQ,
                                               zero == ZeroFactor::Skips ? left : right, none);
          product = arith::SelectOp::create(nested, nestedLoc, isZero, none, product);
        }
        Value sum = arith::AddFOp::create(nested, nestedLoc, arguments[2], product);
        linalg::YieldOp::create(nested, nestedLoc, sum);
      });
  return dot.getResult(0);
}

Value fa::createRowReduction(OpBuilder &builder, Location loc, Value matrix, Value init,
                             RowCombiner combiner) {
  MLIRContext *context = builder.getContext();
  auto reduction = linalg::GenericOp::create(
      builder, loc, init.getType(), matrix, init,
      ArrayRef<AffineMap>{getTileMap(context), getRowMap(context)},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel, utils::IteratorType::reduction},
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        Value result;
        if (combiner == RowCombiner::Maximum)
          result = arith::MaximumFOp::create(nested, nestedLoc, arguments[0], arguments[1]);
        else
          result = arith::AddFOp::create(nested, nestedLoc, arguments[0], arguments[1]);
        linalg::YieldOp::create(nested, nestedLoc, result);
      });
  return reduction.getResult(0);
}

Value fa::convertTile(OpBuilder &builder, Location loc, Value tile, Type element) {
  if (element == getElementTypeOrSelf(tile.getType()))
    return tile;
  SmallVector<OpFoldResult> shape = getShape(builder, loc, tile);
  return createMap(builder, loc, {{tile, builder.getMultiDimIdentityMap(shape.size())}}, shape,
                   element, [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                     if (element.getIntOrFloatBitWidth() > v[0].getType().getIntOrFloatBitWidth())
                       return arith::ExtFOp::create(b, l, element, v[0]);
                     return arith::TruncFOp::create(b, l, element, v[0]);
                   });
}
