//===- BuildAttention.cpp - From a match to the op ------------------------===//

#include "BuildAttention.h"
#include "AccessLayout.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fa;

AttentionBuilder::AttentionBuilder(OpBuilder &builder, Tracer &tracer, const AttentionMatch &match,
                                   const LoopDims &dims)
    : builder(builder), tracer(tracer), exprs(tracer.exprs), match(match), dims(dims),
      loc(match.root.getLoc()) {
  std::function<bool(Expr)> readsDouble = [&](Expr e) {
    return (e->kind == ExprKind::Load && getElementTypeOrSelf(e->value.getType()).isF64()) ||
           llvm::any_of(e->operands, readsDouble);
  };
  bool isDouble = readsDouble(match.query) || readsDouble(match.key) || readsDouble(match.value);
  accumulation = isDouble ? FloatType(builder.getF64Type()) : FloatType(builder.getF32Type());
}

Type AttentionBuilder::getType(Type type) { return isa<FloatType>(type) ? accumulation : type; }

Value AttentionBuilder::materialize(Value value) {
  value = tracer.meaning.getBound(value);
  if (!tracer.meaning.isScratch(value))
    return value;
  if (Value known = cloned.lookupOrNull(value))
    return known;
  Operation *origin = value.getDefiningOp();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(origin->getRegions(), captured);
  for (Value operand : origin->getOperands())
    captured.insert(operand);
  for (Value operand : captured)
    cloned.map(operand, materialize(operand));
  builder.clone(*origin, cloned);
  return cloned.lookup(value);
}

SmallVector<Expr> AttentionBuilder::getAtoms(Expr index) {
  if (index->getInt())
    return {};
  if (index->kind != ExprKind::Linear)
    return {index};
  SmallVector<std::pair<int64_t, Expr>> parts;
  for (auto [atom, stride] : llvm::zip_equal(index->operands, index->coefficients))
    parts.push_back({stride, atom});
  llvm::sort(parts, [](auto &a, auto &b) { return a.first > b.first; });
  return llvm::map_to_vector(parts, [](auto &part) { return part.second; });
}

Value AttentionBuilder::expandDims(Value tensor, ArrayRef<SmallVector<Expr>> groups) {
  SmallVector<ReassociationIndices> reassociation;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [i, group] : llvm::enumerate(groups)) {
    ReassociationIndices indices;
    if (group.size() < 2) {
      indices.push_back(shape.size());
      shape.push_back(type.getDimSize(i));
      sizes.push_back(tensor::getMixedSize(builder, loc, tensor, i));
    } else {
      for (Expr atom : group) {
        indices.push_back(shape.size());
        Expr size = exprs.getAtomSize(atom->number);
        std::optional<int64_t> constant = size->getInt();
        shape.push_back(constant.value_or(ShapedType::kDynamic));
        sizes.push_back(constant ? OpFoldResult(builder.getIndexAttr(*constant))
                                 : OpFoldResult(emitScalar(size)));
      }
    }
    reassociation.push_back(indices);
  }
  auto expandedType = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, expandedType, tensor, reassociation, sizes);
}

AttentionBuilder::Operand AttentionBuilder::readOperand(Expr load) {
  if (load->kind != ExprKind::Load || !getLayout(exprs, load))
    return copyExpression(load);
  Value value = materialize(load->value);
  SmallVector<SmallVector<Expr>> groups;
  SmallVector<AffineExpr> results;
  for (Expr index : load->operands) {
    groups.push_back(getAtoms(index));
    if (groups.back().empty())
      results.push_back(builder.getAffineConstantExpr(0));
    for (Expr atom : groups.back())
      results.push_back(builder.getAffineDimExpr(dims.getDim(atom)));
  }
  if (llvm::any_of(groups, [](auto &group) { return group.size() > 1; }))
    value = expandDims(value, groups);
  return {value, AffineMap::get(dims.atoms.size(), 0, results, builder.getContext())};
}

AttentionBuilder::Operand AttentionBuilder::getScalarOperand(Expr e) {
  return {emitScalar(e), AffineMap::get(dims.atoms.size(), 0, builder.getContext())};
}

RankedTensorType AttentionBuilder::getExpandedType(RankedTensorType type, ArrayRef<Expr> indices,
                                                   AffineMap &map) {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape())) {
    SmallVector<Expr> atoms = getAtoms(index);
    if (atoms.empty()) {
      shape.push_back(size);
      results.push_back(builder.getAffineConstantExpr(0));
    }
    for (Expr atom : atoms) {
      std::optional<int64_t> extent = exprs.getAtomSize(atom->number)->getInt();
      shape.push_back(atoms.size() == 1 ? size : extent.value_or(ShapedType::kDynamic));
      results.push_back(builder.getAffineDimExpr(dims.getDim(atom)));
    }
  }
  map = AffineMap::get(dims.atoms.size(), 0, results, builder.getContext());
  return RankedTensorType::get(shape, type.getElementType());
}

Value AttentionBuilder::restoreShape(Value expanded, RankedTensorType type,
                                     ArrayRef<Expr> indices) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  bool isCollapsed = false;
  for (Expr index : indices) {
    ReassociationIndices group;
    for (size_t i = 0, e = std::max<size_t>(1, getAtoms(index).size()); i < e; ++i)
      group.push_back(next++);
    isCollapsed |= group.size() > 1;
    groups.push_back(group);
  }
  if (isCollapsed)
    expanded = tensor::CollapseShapeOp::create(builder, loc, expanded, groups);
  if (expanded.getType() != type)
    expanded = tensor::CastOp::create(builder, loc, type, expanded);
  return expanded;
}

RankedTensorType AttentionBuilder::getRowType(AffineMap &map) {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [i, atom] : llvm::enumerate(dims.atoms)) {
    if (dims.roles[i] != DimRole::batch && dims.roles[i] != DimRole::query)
      continue;
    shape.push_back(exprs.getAtomSize(atom->number)->getInt().value_or(ShapedType::kDynamic));
    results.push_back(builder.getAffineDimExpr(i));
  }
  map = AffineMap::get(dims.atoms.size(), 0, results, builder.getContext());
  return RankedTensorType::get(shape, accumulation);
}

Value AttentionBuilder::buildRow(const RowResult &row) {
  bool isMax = row.max != 0;
  double factor = isMax ? row.max : row.lse;
  Value source = isMax ? op.getRowMax() : op.getLse();
  auto type = cast<RankedTensorType>(row.place->value.getType());
  AffineMap map, sourceMap;
  getRowType(sourceMap);
  RankedTensorType expanded = getExpandedType(type, row.place->operands, map);
  if (map != sourceMap || factor != 1 || type.getElementType() != accumulation) {
    // From the dimensions of the loops to those of the result; one that it lacks has size 1.
    SmallVector<AffineExpr> loops(dims.atoms.size(), builder.getAffineConstantExpr(0));
    SmallVector<OpFoldResult> sizes(map.getNumResults(), builder.getIndexAttr(1));
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        loops[dim.getPosition()] = builder.getAffineDimExpr(i);
        sizes[i] = tensor::getMixedSize(builder, loc, source, *sourceMap.getResultPosition(expr));
      }
    AffineMap reading = sourceMap.replaceDimsAndSymbols(loops, {}, map.getNumResults(), 0);
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(
        builder, loc, empty.getType(), source, empty,
        {reading, builder.getMultiDimIdentityMap(sizes.size())}, iterators,
        [&](OpBuilder &inside, Location loc, ValueRange arguments) {
          Value value = arguments[0];
          if (factor != 1)
            value = arith::MulFOp::create(
                inside, loc, value,
                arith::ConstantOp::create(inside, loc, inside.getFloatAttr(accumulation, factor)));
          linalg::YieldOp::create(inside, loc, castFloat(inside, value, type.getElementType()));
        });
    source = copy.getResult(0);
  }
  if (source.getType() != expanded)
    source = tensor::CastOp::create(builder, loc, expanded, source);
  return restoreShape(source, type, row.place->operands);
}

Value AttentionBuilder::build() {
  Operand query = readOperand(match.query), key = readOperand(match.key),
          value = readOperand(match.value);
  llvm::DenseSet<Expr> seen;
  collectExtras(match.score, seen);
  collectExtras(match.probability, seen);

  SmallVector<Value> operands = {query.value, key.value, value.value};
  SmallVector<AffineMap> maps = {query.map, key.map, value.map};
  for (Operand &extra : extras) {
    operands.push_back(extra.value);
    maps.push_back(extra.map);
  }
  Value sink;
  if (match.sink) {
    Operand operand = readSink();
    sink = operand.value;
    operands.push_back(sink);
    maps.push_back(operand.map);
  }
  OperationState state(loc, AttentionOp::getOperationName());
  state.addOperands(operands);
  auto rootType = cast<RankedTensorType>(match.root.getType());
  auto addResult = [&](RankedTensorType type, AffineMap map) {
    state.addTypes(type);
    maps.push_back(map);
  };
  AffineMap outputMap, rowMap;
  RankedTensorType outputType = getExpandedType(rootType, match.output, outputMap),
                   rowType = getRowType(rowMap);
  bool hasLse = llvm::any_of(match.rows, [](const RowResult &row) { return row.max == 0; });
  bool hasMax = llvm::any_of(match.rows, [](const RowResult &row) { return row.max != 0; });
  addResult(outputType, outputMap);
  if (hasLse)
    addResult(rowType, rowMap);
  if (hasMax)
    addResult(rowType, rowMap);
  auto &properties = state.getOrAddProperties<AttentionOp::Properties>();
  properties.roles = RolesAttr::get(builder.getContext(), dims.roles);
  properties.maps = builder.getAffineMapArrayAttr(maps);
  properties.empty_rows =
      EmptyRowsAttr::get(builder.getContext(), match.isGuarded ? EmptyRows::zero : EmptyRows::nan);
  properties.operandSegmentSizes = {1, 1, 1, int32_t(extras.size()), sink ? 1 : 0};
  properties.resultSegmentSizes = {1, hasLse, hasMax, 0};
  Region *score = state.addRegion(), *probability = state.addRegion();
  fillRegion(*score, match.score, 1);
  if (match.probability->kind != ExprKind::Marker)
    fillRegion(*probability, match.probability, 0);
  op = cast<AttentionOp>(builder.create(state));
  Value output = restoreShape(op.getOutput(), rootType, match.output);
  if (match.added)
    output = linalg::AddOp::create(builder, loc, rootType, ValueRange{output, match.added},
                                   ValueRange{match.added})
                 .getResult(0);
  return output;
}
