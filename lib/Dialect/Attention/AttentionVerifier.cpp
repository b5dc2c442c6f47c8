//===- AttentionVerifier.cpp - Rules A1..A8 of docs/Semantics.md ----------===//

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
};
} // namespace

/// The text of an affine expression or map, for a diagnostic.
template <typename T> static std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Every operand and result, in the order of the maps.
static SmallVector<Access> listAccesses(AttentionOp op) {
  const DimRole b = DimRole::batch, m = DimRole::query, n = DimRole::key;
  const DimRole d = DimRole::head_dim, e = DimRole::value_dim;
  SmallVector<Access> accesses = {{op.getQuery().getType(), "query", {b, m, d}},
                                  {op.getKey().getType(), "key", {b, n, d}},
                                  {op.getValue().getType(), "value", {b, n, e}}};
  for (auto [i, extra] : llvm::enumerate(op.getExtras()))
    accesses.push_back({extra.getType(), "extra " + std::to_string(i), {b, m, n}});
  if (op.getSink())
    accesses.push_back({op.getSink().getType(), "sink", {b, m}});
  accesses.push_back({op.getOutput().getType(), "output", {b, m, e}});
  if (op.getLse())
    accesses.push_back({op.getLse().getType(), "lse", {b, m}});
  if (op.getRowMax())
    accesses.push_back({op.getRowMax().getType(), "row_max", {b, m}});
  if (op.getProbabilities())
    accesses.push_back({op.getProbabilities().getType(), "probabilities", {b, m, n}});
  return accesses;
}

/// A2, A3, A4 for one operand or result.
static LogicalResult verifyAccess(AttentionOp op, const Access &access, AffineMap map) {
  auto tensor = dyn_cast<RankedTensorType>(access.type);
  bool isRanked = tensor || !isa<ShapedType>(access.type);
  if (!isRanked || !getElementTypeOrSelf(access.type).isIntOrIndexOrFloat())
    return op.emitOpError() << "expects " << access.name
                            << " to be a ranked tensor or a scalar of integers, floats or indices, "
                               "got "
                            << access.type;
  int64_t rank = tensor ? tensor.getRank() : 0;
  if (map.getNumResults() != rank)
    return op.emitOpError() << "expects the map of " << access.name << " to have " << rank
                            << " results, got " << map.getNumResults();
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0 && tensor.getDimSize(position) == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !seen.insert(dim.getPosition()).second)
      return op.emitOpError() << "expects result " << position << " of the map of " << access.name
                              << " to be a dimension of its own, or 0 where the size is 1, got "
                              << toText(expr);
    DimRole role = op.getRole(dim.getPosition());
    if (!llvm::is_contained(access.roles, role))
      return op.emitOpError() << "expects the map of " << access.name << " not to use d"
                              << dim.getPosition() << ", a " << stringifyDimRole(role)
                              << " dimension";
  }
  return success();
}

/// A5: one size per loop dimension, known from an operand.
static LogicalResult verifyLoopSizes(AttentionOp op, ArrayRef<Access> accesses) {
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  SmallVector<StringRef> owners(op.getNumLoops());
  llvm::SmallBitVector isRead(op.getNumLoops());
  for (auto [i, access] : llvm::enumerate(accesses)) {
    auto tensor = dyn_cast<RankedTensorType>(access.type);
    for (auto [position, expr] : llvm::enumerate(op.getMap(i).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      if (i < op.getNumOperands())
        isRead.set(dim.getPosition());
      int64_t size = tensor.getDimSize(position);
      int64_t &known = sizes[dim.getPosition()];
      if (!ShapedType::isDynamic(known) && !ShapedType::isDynamic(size) && known != size)
        return op.emitOpError() << "expects d" << dim.getPosition() << " to have one size, got "
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
      return op.emitOpError() << "expects d" << dim << " to index an operand";
    // Otherwise several values would go to one element.
    for (auto [i, result] : llvm::enumerate(accesses.drop_front(op.getNumOperands())))
      if (llvm::is_contained(result.roles, op.getRole(dim)) &&
          !op.getResultMap(i).isFunctionOfDim(dim))
        return op.emitOpError() << "expects the map of " << result.name << " to use d" << dim
                                << ", a " << stringifyDimRole(op.getRole(dim)) << " dimension";
  }
  return success();
}

/// A7: arguments, terminator and purity of one region.
static LogicalResult verifyRegion(AttentionOp op, Region &region, StringRef name) {
  SmallVector<Type> expected = {op.getAccumulationType()};
  expected.append(op.getIndexedDims().size(), IndexType::get(op.getContext()));
  for (Value extra : op.getExtras())
    expected.push_back(getElementTypeOrSelf(extra.getType()));
  if (region.getArgumentTypes() != TypeRange(expected)) {
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "expects the " << name << " region to have arguments (";
    llvm::interleaveComma(expected, diagnostic);
    diagnostic << "), got (";
    llvm::interleaveComma(region.getArgumentTypes(), diagnostic);
    return diagnostic << ")";
  }
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield || yield.getValue().getType() != op.getAccumulationType())
    return op.emitOpError() << "expects the " << name << " region to yield "
                            << op.getAccumulationType();
  for (Operation &nested : region.front())
    if (!isMemoryEffectFree(&nested)) {
      InFlightDiagnostic diagnostic = op.emitOpError() << "expects the " << name
                                                       << " region to have no side effects";
      diagnostic.attachNote(nested.getLoc()) << "this operation may have one";
      return diagnostic;
    }
  return success();
}

LogicalResult AttentionOp::verify() {
  SmallVector<Access> accesses = listAccesses(*this);
  if (getMaps().size() != accesses.size())
    return emitOpError() << "expects one map per operand and result, " << accesses.size()
                         << ", got " << getMaps().size();
  for (auto [i, access] : llvm::enumerate(accesses)) {
    AffineMap map = getMap(i);
    if (map.getNumDims() != getNumLoops() || map.getNumSymbols() != 0)
      return emitOpError() << "expects the map of " << access.name << " to have " << getNumLoops()
                           << " dimensions and no symbols, got " << toText(map);
    if (failed(verifyAccess(*this, access, map)))
      return failure();
  }
  for (DimRole role : {DimRole::key, DimRole::head_dim})
    if (getDims(role).empty())
      return emitOpError() << "expects a " << stringifyDimRole(role) << " dimension";
  return verifyLoopSizes(*this, accesses);
}

LogicalResult AttentionOp::verifyRegions() {
  bool isDouble = llvm::any_of(ValueRange{getQuery(), getKey(), getValue()}, [](Value operand) {
    return getElementTypeOrSelf(operand.getType()).isF64();
  });
  Type accumulation =
      isDouble ? Type(Float64Type::get(getContext())) : Type(Float32Type::get(getContext()));
  if (getScore().getNumArguments() == 0 || getScore().getArgument(0).getType() != accumulation)
    return emitOpError() << "expects the score region's first argument to be " << accumulation
                         << ", the accumulation type";
  for (auto [value, name] : {std::pair<Value, StringRef>(getLse(), "lse"),
                             std::pair<Value, StringRef>(getRowMax(), "row_max"),
                             std::pair<Value, StringRef>(getSink(), "sink")})
    if (value && getElementTypeOrSelf(value.getType()) != accumulation)
      return emitOpError() << "expects " << name << " to have element type " << accumulation
                           << ", got " << getElementTypeOrSelf(value.getType());
  if (failed(verifyRegion(*this, getScore(), "score")))
    return failure();
  return hasProbabilityRegion() ? verifyRegion(*this, getProbability(), "probability") : success();
}
