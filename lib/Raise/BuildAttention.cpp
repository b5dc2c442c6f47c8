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

/// The output as the op computes it: one dimension per atom.
RankedTensorType AttentionBuilder::getOutputType(AffineMap &map) {
  auto type = cast<RankedTensorType>(match.root.getType());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [index, size] : llvm::zip_equal(match.output, type.getShape())) {
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

Value AttentionBuilder::restoreShape(Value output) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  bool isCollapsed = false;
  for (Expr index : match.output) {
    ReassociationIndices group;
    for (size_t i = 0, e = std::max<size_t>(1, getAtoms(index).size()); i < e; ++i)
      group.push_back(next++);
    isCollapsed |= group.size() > 1;
    groups.push_back(group);
  }
  if (isCollapsed)
    output = tensor::CollapseShapeOp::create(builder, loc, output, groups);
  if (output.getType() != match.root.getType())
    output = tensor::CastOp::create(builder, loc, match.root.getType(), output);
  if (match.added)
    output = linalg::AddOp::create(builder, loc, match.root.getType(),
                                   ValueRange{output, match.added}, ValueRange{match.added})
                 .getResult(0);
  return output;
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
  AffineMap outputMap;
  RankedTensorType outputType = getOutputType(outputMap);
  maps.push_back(outputMap);

  OperationState state(loc, AttentionOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(outputType);
  auto &properties = state.getOrAddProperties<AttentionOp::Properties>();
  properties.roles = RolesAttr::get(builder.getContext(), dims.roles);
  properties.maps = builder.getAffineMapArrayAttr(maps);
  properties.empty_rows =
      EmptyRowsAttr::get(builder.getContext(), match.isGuarded ? EmptyRows::zero : EmptyRows::nan);
  properties.operandSegmentSizes = {1, 1, 1, int32_t(extras.size()), sink ? 1 : 0};
  properties.resultSegmentSizes = {1, 0, 0, 0};
  Region *score = state.addRegion(), *probability = state.addRegion();
  fillRegion(*score, match.score, 1);
  if (match.probability->kind != ExprKind::Marker)
    fillRegion(*probability, match.probability, 0);
  op = cast<AttentionOp>(builder.create(state));
  return restoreShape(op.getOutput());
}
