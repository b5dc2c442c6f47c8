//===- AttentionVerifier.cpp - Rules A1..A8, B1..B5 of the ops ------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// An operand or result, with its name and the roles its map may use.
struct Access {
  Type type;
  std::string name;
  SmallVector<DimRole> roles;
  /// Its map has every dimension of its roles: it is, or was, a result.
  bool isWhole = false;
};
} // namespace

/// The text of an affine expression or map, for a diagnostic.
template <typename T> static std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static const DimRole b = DimRole::batch, m = DimRole::query, n = DimRole::key;
static const DimRole d = DimRole::head_dim, e = DimRole::value_dim;

/// The operands that both ops begin with.
static SmallVector<Access> listInputs(AttentionInterface op) {
  SmallVector<Access> accesses = {{op.getQuery().getType(), "query", {b, m, d}},
                                  {op.getKey().getType(), "key", {b, n, d}},
                                  {op.getValue().getType(), "value", {b, n, e}}};
  for (auto [i, extra] : llvm::enumerate(op.getExtras()))
    accesses.push_back({extra.getType(), "extra " + std::to_string(i), {b, m, n}});
  if (op.getSink())
    accesses.push_back({op.getSink().getType(), "sink", {b, m}});
  return accesses;
}

/// Every operand and result, in the order of the maps.
static SmallVector<Access> listAccesses(AttentionOp op) {
  SmallVector<Access> accesses = listInputs(op);
  accesses.push_back({op.getOutput().getType(), "output", {b, m, e}, true});
  if (op.getLse())
    accesses.push_back({op.getLse().getType(), "lse", {b, m}, true});
  if (op.getRowMax())
    accesses.push_back({op.getRowMax().getType(), "row_max", {b, m}, true});
  if (op.getProbabilities())
    accesses.push_back({op.getProbabilities().getType(), "probabilities", {b, m, n}, true});
  return accesses;
}

/// Every operand, in the order of the maps; gradients have no map of their own.
static SmallVector<Access> listAccesses(AttentionBackwardOp op) {
  SmallVector<Access> accesses = listInputs(op);
  accesses.push_back({op.getOutput().getType(), "output", {b, m, e}, true});
  accesses.push_back({op.getLse().getType(), "lse", {b, m}, true});
  accesses.push_back({op.getDOutput().getType(), "d_output", {b, m, e}, true});
  if (op.getDLse())
    accesses.push_back({op.getDLse().getType(), "d_lse", {b, m}, true});
  return accesses;
}

/// A2, A3, A4 for one operand or result.
static LogicalResult verifyAccess(AttentionInterface op, const Access &access, AffineMap map) {
  auto tensor = dyn_cast<RankedTensorType>(access.type);
  bool isRanked = tensor || !isa<ShapedType>(access.type);
  if (!isRanked || !getElementTypeOrSelf(access.type).isIntOrIndexOrFloat())
    return op->emitOpError()
           << "expects " << access.name
           << " to be a ranked tensor or a scalar of integers, floats or indices, "
              "got "
           << access.type;
  int64_t rank = tensor ? tensor.getRank() : 0;
  if (map.getNumResults() != rank)
    return op->emitOpError() << "expects the map of " << access.name << " to have " << rank
                             << " results, got " << map.getNumResults();
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0 && tensor.getDimSize(position) == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !seen.insert(dim.getPosition()).second)
      return op->emitOpError() << "expects result " << position << " of the map of " << access.name
                               << " to be a dimension of its own, or 0 where the size is 1, got "
                               << toText(expr);
    DimRole role = op.getRole(dim.getPosition());
    if (!llvm::is_contained(access.roles, role))
      return op->emitOpError() << "expects the map of " << access.name << " not to use d"
                               << dim.getPosition() << ", a " << stringifyDimRole(role)
                               << " dimension";
  }
  return success();
}

/// A5: one size per loop dimension, known from an operand.
static LogicalResult verifyLoopSizes(AttentionInterface op, ArrayRef<Access> accesses) {
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  SmallVector<StringRef> owners(op.getNumLoops());
  llvm::SmallBitVector isRead(op.getNumLoops());
  for (auto [i, access] : llvm::enumerate(accesses)) {
    auto tensor = dyn_cast<RankedTensorType>(access.type);
    for (auto [position, expr] : llvm::enumerate(op.getMap(i).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      if (i < op->getNumOperands())
        isRead.set(dim.getPosition());
      int64_t size = tensor.getDimSize(position);
      int64_t &known = sizes[dim.getPosition()];
      if (!ShapedType::isDynamic(known) && !ShapedType::isDynamic(size) && known != size)
        return op->emitOpError() << "expects d" << dim.getPosition() << " to have one size, got "
                                 << known << " in " << owners[dim.getPosition()] << " and " << size
                                 << " in " << access.name;
      if (ShapedType::isDynamic(known) && !ShapedType::isDynamic(size)) {
        known = size;
        owners[dim.getPosition()] = access.name;
      }
    }
  }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (!isRead.test(dim))
      return op->emitOpError() << "expects d" << dim << " to index an operand";
    // Otherwise several values would go to one element.
    for (auto [i, result] : llvm::enumerate(accesses))
      if (result.isWhole && llvm::is_contained(result.roles, op.getRole(dim)) &&
          !op.getMap(i).isFunctionOfDim(dim))
        return op->emitOpError() << "expects the map of " << result.name << " to use d" << dim
                                 << ", a " << stringifyDimRole(op.getRole(dim)) << " dimension";
  }
  return success();
}

/// A7: arguments, terminator and purity of one region.
static LogicalResult verifyRegion(AttentionInterface op, Region &region, StringRef name) {
  SmallVector<Type> expected = {op.getAccumulationType()};
  expected.append(op.getIndexedDims().size(), IndexType::get(op.getContext()));
  for (Value extra : op.getExtras())
    expected.push_back(getElementTypeOrSelf(extra.getType()));
  if (region.getArgumentTypes() != TypeRange(expected)) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "expects the " << name << " region to have arguments (";
    llvm::interleaveComma(expected, diagnostic);
    diagnostic << "), got (";
    llvm::interleaveComma(region.getArgumentTypes(), diagnostic);
    return diagnostic << ")";
  }
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield || yield.getValue().getType() != op.getAccumulationType())
    return op->emitOpError() << "expects the " << name << " region to yield "
                             << op.getAccumulationType();
  for (Operation &nested : region.front())
    if (!isMemoryEffectFree(&nested)) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "expects the " << name
                                                        << " region to have no side effects";
      diagnostic.attachNote(nested.getLoc()) << "this operation may have one";
      return diagnostic;
    }
  return success();
}

/// A1 to A6.
static LogicalResult verifyAccesses(AttentionInterface op, ArrayRef<Access> accesses) {
  if (op.getMaps().size() != accesses.size())
    return op->emitOpError() << "expects one map per operand"
                             << (isa<AttentionOp>(op) ? " and result, " : ", ") << accesses.size()
                             << ", got " << op.getMaps().size();
  for (auto [i, access] : llvm::enumerate(accesses)) {
    AffineMap map = op.getMap(i);
    if (map.getNumDims() != op.getNumLoops() || map.getNumSymbols() != 0)
      return op->emitOpError() << "expects the map of " << access.name << " to have "
                               << op.getNumLoops() << " dimensions and no symbols, got "
                               << toText(map);
    if (failed(verifyAccess(op, access, map)))
      return failure();
  }
  for (DimRole role : {DimRole::key, DimRole::head_dim})
    if (op.getDims(role).empty())
      return op->emitOpError() << "expects a " << stringifyDimRole(role) << " dimension";
  return verifyLoopSizes(op, accesses);
}

/// A7, A8 and B2; `inAccumulationType` are the values that have element type A, or null.
static LogicalResult verifyTypes(AttentionInterface op,
                                 ArrayRef<std::pair<Value, StringRef>> inAccumulationType) {
  bool isDouble =
      llvm::any_of(ValueRange{op.getQuery(), op.getKey(), op.getValue()},
                   [](Value operand) { return getElementTypeOrSelf(operand.getType()).isF64(); });
  MLIRContext *context = op->getContext();
  Type accumulation = isDouble ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
  if (op.getScore().getNumArguments() == 0 ||
      op.getScore().getArgument(0).getType() != accumulation)
    return op->emitOpError() << "expects the score region's first argument to be " << accumulation
                             << ", the accumulation type";
  for (auto [value, name] : inAccumulationType)
    if (value && getElementTypeOrSelf(value.getType()) != accumulation)
      return op->emitOpError() << "expects " << name << " to have element type " << accumulation
                               << ", got " << getElementTypeOrSelf(value.getType());
  if (failed(verifyRegion(op, op.getScore(), "score")))
    return failure();
  return op.hasProbabilityRegion() ? verifyRegion(op, op.getProbability(), "probability")
                                   : success();
}

LogicalResult AttentionOp::verify() { return verifyAccesses(*this, listAccesses(*this)); }

LogicalResult AttentionOp::verifyRegions() {
  return verifyTypes(*this, {{getLse(), "lse"}, {getRowMax(), "row_max"}, {getSink(), "sink"}});
}

/// B3 to B5.
LogicalResult AttentionBackwardOp::verify() {
  SmallVector<Access> accesses = listAccesses(*this);
  if (failed(verifyAccesses(*this, accesses)))
    return failure();
  if (getWrt().empty() || getWrt().size() != getNumResults())
    return emitOpError() << "expects gradients of at least one operand, and one result for each, "
                         << "got " << getWrt().size() << " and " << getNumResults();
  int64_t previous = -1;
  for (auto [number, gradient] : llvm::zip_equal(getWrt(), getResultTypes())) {
    if (number <= previous || number >= getNumDifferentiable())
      return emitOpError() << "expects gradients of operands 0 to " << getNumDifferentiable() - 1
                           << ", each once and in order, got " << number << " after " << previous;
    previous = number;
    const Access &operand = accesses[number];
    if (!isa<FloatType>(getElementTypeOrSelf(operand.type)))
      return emitOpError() << "expects " << operand.name
                           << ", of which a gradient is asked for, to have floating-point "
                              "elements, got "
                           << operand.type;
    auto tensor = dyn_cast<RankedTensorType>(operand.type);
    ArrayRef<int64_t> shape = tensor ? tensor.getShape() : ArrayRef<int64_t>();
    if (cast<RankedTensorType>(gradient).getShape() != shape)
      return emitOpError() << "expects the gradient of " << operand.name
                           << " to have its shape, got " << gradient << " for " << operand.type;
  }
  return success();
}

LogicalResult AttentionBackwardOp::verifyRegions() {
  return verifyTypes(*this, {{getLse(), "lse"}, {getDLse(), "d_lse"}, {getSink(), "sink"}});
}
