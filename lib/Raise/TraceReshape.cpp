//===- TraceReshape.cpp - Indices through a change of shape ---------------===//

#include "TraceReshape.h"

using namespace mlir;
using namespace mlir::fa;

bool mlir::fa::splitIndex(ExprContext &exprs, Expr index, ArrayRef<Expr> sizes,
                          SmallVectorImpl<Expr> &parts) {
  unsigned first = parts.size();
  parts.append(sizes.size(), exprs.index(0));
  int64_t stride = 1;
  bool isDone = false;
  for (unsigned i = sizes.size(); i-- > 0;) {
    std::optional<int64_t> size = sizes[i]->getInt();
    if (size == 1)
      continue;
    if (isDone)
      return false;
    Expr part = exprs.floorDiv(index, stride);
    bool isOutermost =
        llvm::all_of(sizes.take_front(i), [](Expr outer) { return outer->getInt() == 1; });
    parts[first + i] = isOutermost || !size ? part : exprs.mod(part, *size);
    isDone = !size;
    if (!isDone)
      stride *= *size;
  }
  return true;
}

Expr mlir::fa::joinIndices(ExprContext &exprs, ArrayRef<Expr> indices, ArrayRef<Expr> sizes) {
  Expr joined = exprs.index(0);
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    std::optional<int64_t> factor = size->getInt();
    if (!factor && joined->getInt() != 0)
      return nullptr;
    joined = exprs.add(exprs.scale(joined, factor.value_or(1)), index);
  }
  return joined;
}

/// Splits a size into a number and factors that are not known.
static int64_t getFactors(Expr size, SmallVectorImpl<Expr> &factors) {
  if (std::optional<int64_t> constant = size->getInt())
    return *constant;
  int64_t number = 1;
  if (size->kind == ExprKind::Linear && size->number == 0 && size->operands.size() == 1) {
    number = size->coefficients[0];
    size = size->operands[0];
  }
  if (size->isOp("arith.muli"))
    factors.append(size->operands.begin(), size->operands.end());
  else
    factors.push_back(size);
  return number;
}

/// True if `size` times something else is `multiple`.
static bool divides(ExprContext &exprs, Expr size, Expr multiple) {
  SmallVector<Expr> factors, others;
  int64_t number = getFactors(size, factors), other = getFactors(multiple, others);
  if (number == 0 || other % number != 0)
    return false;
  for (Expr factor : factors) {
    auto known = llvm::find_if(others, [&](Expr e) { return exprs.sameSize(e, factor); });
    if (known == others.end())
      return false;
    others.erase(known);
  }
  return true;
}

/// Groups of dimensions with the same product on both sides, found from left to right.
static std::optional<SmallVector<std::pair<unsigned, unsigned>>>
matchShapes(ExprContext &exprs, ArrayRef<Expr> from, ArrayRef<Expr> to) {
  SmallVector<std::pair<unsigned, unsigned>> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Expr left = from[i++], right = to[j++];
    while (!exprs.sameSize(left, right)) {
      // A known multiple of the other side: the other side needs more dimensions.
      std::optional<int64_t> x = left->getInt(), y = right->getInt();
      bool isLeftShort = x && y ? *x < *y : j >= to.size() || divides(exprs, left, right) || x;
      if (isLeftShort && i < from.size())
        left = exprs.multiply(left, from[i++]);
      else if (j < to.size())
        right = exprs.multiply(right, to[j++]);
      else if (i < from.size())
        left = exprs.multiply(left, from[i++]);
      else
        return std::nullopt;
    }
    groups.push_back({i, j});
  }
  for (; i < from.size(); ++i)
    if (from[i]->getInt() != 1)
      return std::nullopt;
  for (; j < to.size(); ++j)
    if (to[j]->getInt() != 1)
      return std::nullopt;
  if (!groups.empty())
    groups.back() = {unsigned(from.size()), unsigned(to.size())};
  return groups;
}

Expr Tracer::expandReshape(Operation *op, ArrayRef<Expr> indices) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto getSizes = [&](Value tensor) {
    Indices shape;
    for (int64_t i = 0, e = cast<RankedTensorType>(tensor.getType()).getRank(); i < e; ++i)
      shape.push_back(size(tensor, i));
    return shape;
  };
  Indices from = getSizes(source), to = getSizes(result), parts;
  auto groups = matchShapes(exprs, from, to);
  if (!groups)
    return nullptr;
  unsigned i = 0, j = 0;
  for (auto [nextFrom, nextTo] : *groups) {
    ArrayRef<Expr> fromSizes = ArrayRef(from).slice(i, nextFrom - i);
    ArrayRef<Expr> toSizes = ArrayRef(to).slice(j, nextTo - j);
    Expr joined = joinIndices(exprs, indices.slice(j, nextTo - j), toSizes);
    if (!joined || !splitIndex(exprs, joined, fromSizes, parts))
      return nullptr;
    std::tie(i, j) = std::pair(nextFrom, nextTo);
  }
  parts.resize(from.size(), exprs.index(0));
  return access(source, parts);
}
