//===- EmitReduce.cpp - Reductions along rows -----------------------------===//

#include "Emitter.h"
#include "TileFacts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

static Value combine(OpBuilder &b, Location loc, Combiner combiner, Value left, Value right) {
  switch (combiner) {
  case Combiner::Add:
    return arith::AddFOp::create(b, loc, left, right);
  case Combiner::Max:
    return arith::MaximumFOp::create(b, loc, left, right);
  case Combiner::MaxNum:
    return arith::MaxNumFOp::create(b, loc, left, right);
  case Combiner::Min:
    return arith::MinimumFOp::create(b, loc, left, right);
  case Combiner::MinNum:
    return arith::MinNumFOp::create(b, loc, left, right);
  }
  llvm_unreachable("all combiners are handled");
}

static double identityOf(Combiner combiner) {
  switch (combiner) {
  case Combiner::Add:
    return -0.0;
  case Combiner::Max:
  case Combiner::MaxNum:
    return -std::numeric_limits<double>::infinity();
  case Combiner::Min:
  case Combiner::MinNum:
    return std::numeric_limits<double>::infinity();
  }
  llvm_unreachable("all combiners are handled");
}

/// Every thread combines its own columns, in two chains; four lanes share a row. The maximum of
/// values times a positive constant is the maximum times it, rounded alike.
LogicalResult Emitter::emitReduce(Node &node) {
  linalg::GenericOp op = node.generic();
  Value source = op.getDpsInputs()[0], init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(source.getType());
  Type element = type.getElementType();
  if (!element.isF32())
    return op.emitOpError("expects a reduction of f32 values, got ") << element;
  if (!tiles.count(source) || plan.placeOf(source) != Place::Fragment)
    return op.emitOpError("expects a reduction of a computed matrix");
  int64_t columns = KernelPlan::columnFragments(source);
  std::optional<ScaledTile> scaled;
  if (node.combiner != Combiner::Add)
    scaled = findScale(graph, source);
  if (scaled && tiles.count(scaled->source))
    source = scaled->source;
  else
    scaled.reset();
  TileValues reduced{Place::Row, {}};
  for (int64_t row = 0; row < plan.rowFragments * 2; ++row) {
    Value chains[2];
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t parity : {0, 1}) {
        Slot slot{row / 2, row % 2, column, parity};
        Value value = valueAt(source, slot);
        // Columns behind the tile's last one hold nothing.
        if ((column + 1) * kFragmentColumns > type.getDimSize(1)) {
          Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, columnOf(slot),
                                                 constant(type.getDimSize(1)));
          Value nothing =
              arith::ConstantOp::create(b, loc, b.getFloatAttr(element, identityOf(node.combiner)));
          value = arith::SelectOp::create(b, loc, isInside, value, nothing);
        }
        Value &chain = chains[parity];
        chain = chain ? combine(b, loc, node.combiner, chain, value) : value;
      }
    Value total = combine(b, loc, node.combiner, chains[0], chains[1]);
    for (int64_t distance : {1, 2}) {
      Value other = NVVM::ShflOp::create(b, loc, element, constant(-1), total, constant(distance),
                                         constant(31), NVVM::ShflKind::bfly, UnitAttr());
      total = combine(b, loc, node.combiner, total, other);
    }
    if (scaled)
      total = arith::MulFOp::create(
          b, loc, total,
          arith::ConstantOp::create(b, loc, b.getFloatAttr(element, scaled->factor)));
    Value before = valueAt(init, {row / 2, row % 2, 0, 0});
    reduced.values.push_back(combine(b, loc, node.combiner, total, before));
  }
  tiles[op.getResult(0)] = reduced;
  return success();
}
