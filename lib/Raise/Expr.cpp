//===- Expr.cpp - Expression nodes and their uniquing ---------------------===//

#include "Expr.h"

using namespace mlir;
using namespace mlir::fa;

void ExprNode::Profile(llvm::FoldingSetNodeID &id) const {
  id.AddInteger(unsigned(kind));
  id.AddPointer(type.getAsOpaquePointer());
  id.AddPointer(name.getAsOpaquePointer());
  id.AddPointer(attr.getAsOpaquePointer());
  id.AddPointer(value.getAsOpaquePointer());
  id.AddInteger(number);
  for (Expr operand : operands)
    id.AddPointer(operand);
  for (int64_t coefficient : coefficients)
    id.AddInteger(coefficient);
}

std::optional<int64_t> ExprNode::getInt() const {
  if (kind == ExprKind::Constant)
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return integer.getType().isInteger(1) ? int64_t(integer.getValue().getBoolValue())
                                            : integer.getValue().getSExtValue();
  return std::nullopt;
}

std::optional<double> ExprNode::getFloat() const {
  if (kind == ExprKind::Constant)
    if (auto real = dyn_cast<FloatAttr>(attr))
      return real.getValueAsDouble();
  return std::nullopt;
}

static void collectLoads(Expr e, llvm::SetVector<Expr> &loads, llvm::DenseSet<Expr> &seen) {
  if (!seen.insert(e).second)
    return;
  if (e->kind == ExprKind::Load) {
    loads.insert(e);
    return;
  }
  for (Expr operand : e->operands)
    collectLoads(operand, loads, seen);
}

void mlir::fa::collectLoads(Expr e, llvm::SetVector<Expr> &loads) {
  llvm::DenseSet<Expr> seen;
  ::collectLoads(e, loads, seen);
}

ExprContext::ExprContext(MLIRContext *context)
    : context(context), floatType(Float64Type::get(context)), indexType(IndexType::get(context)) {}

Expr ExprContext::unique(ExprNode &node) {
  llvm::FoldingSetNodeID id;
  node.Profile(id);
  void *position = nullptr;
  if (ExprNode *known = nodes.FindNodeOrInsertPos(id, position))
    return known;
  auto *fresh = new (allocator.Allocate<ExprNode>()) ExprNode(node);
  auto operands =
      MutableArrayRef(allocator.Allocate<Expr>(node.operands.size()), node.operands.size());
  llvm::copy(node.operands, operands.begin());
  fresh->operands = operands;
  auto coefficients = MutableArrayRef(allocator.Allocate<int64_t>(node.coefficients.size()),
                                      node.coefficients.size());
  llvm::copy(node.coefficients, coefficients.begin());
  fresh->coefficients = coefficients;
  fresh->id = nodes.size();
  for (Expr operand : operands)
    fresh->atoms |= operand->atoms;
  nodes.InsertNode(fresh, position);
  return fresh;
}

Expr ExprContext::constant(Attribute value) {
  ExprNode node;
  node.kind = ExprKind::Constant;
  if (auto real = dyn_cast<FloatAttr>(value))
    return constant(real.getValueAsDouble());
  auto integer = cast<IntegerAttr>(value);
  node.type = integer.getType();
  node.attr = value;
  if (integer.getValue().getBitWidth() <= 64) {
    bool isBool = node.type.isInteger(1);
    node.low = node.high =
        isBool ? int64_t(integer.getValue().getBoolValue()) : integer.getValue().getSExtValue();
  }
  return unique(node);
}

Expr ExprContext::constant(double value) {
  ExprNode node;
  node.kind = ExprKind::Constant;
  node.type = floatType;
  node.attr = FloatAttr::get(floatType, value);
  return unique(node);
}

Expr ExprContext::constant(int64_t value, Type type) {
  return constant(IntegerAttr::get(type, value));
}

Expr ExprContext::atom(Expr size) {
  ExprNode node;
  node.kind = ExprKind::Atom;
  node.type = indexType;
  node.number = atomNodes.size();
  node.atoms = uint64_t(1) << (node.number & 63);
  node.low = 0;
  // An atom of an empty loop has no value at all: any bound holds.
  node.high = size->high == INT64_MAX ? INT64_MAX : std::max<int64_t>(0, size->high - 1);
  Expr fresh = unique(node);
  atomNodes.push_back(fresh);
  atomSizes.push_back(size);
  return fresh;
}

Expr ExprContext::scalar(Value value) {
  ExprNode node;
  node.kind = ExprKind::Scalar;
  node.type = isa<FloatType>(value.getType()) ? floatType : value.getType();
  node.value = value;
  return unique(node);
}

Expr ExprContext::marker(int64_t number) {
  ExprNode node;
  node.kind = ExprKind::Marker;
  node.type = floatType;
  node.number = number;
  return unique(node);
}

Expr ExprContext::dim(Value tensor, int64_t dimension) {
  ExprNode node;
  node.kind = ExprKind::Dim;
  node.type = indexType;
  node.value = tensor;
  node.number = dimension;
  node.low = 0;
  return unique(node);
}

Expr ExprContext::load(Value tensor, ArrayRef<Expr> indices) {
  ExprNode node;
  node.kind = ExprKind::Load;
  Type element = cast<ShapedType>(tensor.getType()).getElementType();
  node.type = isa<FloatType>(element) ? floatType : element;
  node.value = tensor;
  node.operands = indices;
  return unique(node);
}

Expr ExprContext::substitute(Expr e, llvm::DenseMap<Expr, Expr> &replacements) {
  auto known = replacements.find(e);
  if (known != replacements.end())
    return known->second;
  SmallVector<Expr> operands;
  for (Expr operand : e->operands)
    operands.push_back(substitute(operand, replacements));
  Expr result = e;
  if (ArrayRef<Expr>(operands) != e->operands) {
    switch (e->kind) {
    case ExprKind::Load:
      result = load(e->value, operands);
      break;
    case ExprKind::Apply:
      result = apply(e->name, cast<DictionaryAttr>(e->attr), operands, e->type);
      break;
    case ExprKind::Linear: {
      result = index(e->number);
      for (auto [operand, coefficient] : llvm::zip_equal(operands, e->coefficients))
        result = combine(result, 1, operand, coefficient);
      break;
    }
    case ExprKind::FloorDiv:
      result = floorDiv(operands[0], e->number);
      break;
    case ExprKind::Mod:
      result = mod(operands[0], e->number);
      break;
    default:
      break;
    }
  }
  replacements[e] = result;
  return result;
}

Expr ExprContext::getExtent(Expr e) {
  if (e->kind == ExprKind::Atom)
    return getAtomSize(e->number);
  if (e->getInt() == 0)
    return index(1);
  if (e->kind != ExprKind::FloorDiv && e->kind != ExprKind::Mod)
    return nullptr;
  Expr inner = getExtent(e->operands[0]);
  if (!inner)
    return nullptr;
  if (e->kind == ExprKind::FloorDiv)
    return floorDiv(add(inner, index(e->number - 1)), e->number);
  bool isMultiple = scale(floorDiv(inner, e->number), e->number) == inner;
  return isMultiple ? index(e->number) : nullptr;
}

Expr ExprContext::findSize(Expr e) {
  while (Expr parent = sizeParents.lookup(e))
    e = parent;
  return e;
}

void ExprContext::equate(Expr a, Expr b) {
  a = findSize(a);
  b = findSize(b);
  if (a == b)
    return;
  // A constant stays the representative, so that a dynamic size equal to it is known.
  if (a->getInt())
    std::swap(a, b);
  if (!a->getInt())
    sizeParents[a] = b;
}

bool ExprContext::sameSize(Expr a, Expr b) { return findSize(a) == findSize(b); }
