//===- ChooseDims.cpp - The loop dimensions of an attention op ------------===//

#include "ChooseDims.h"
#include "AccessLayout.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fa;

/// The loads in `e`; with `nested`, those in indices too.
static void collect(Expr e, bool nested, llvm::SetVector<Expr> &loads, llvm::DenseSet<Expr> &seen) {
  if (!e || !seen.insert(e).second)
    return;
  bool isLoad = e->kind == ExprKind::Load;
  if (isLoad)
    loads.insert(e);
  if (!isLoad || nested)
    for (Expr operand : e->operands)
      collect(operand, nested, loads, seen);
}

SmallVector<Expr> mlir::fa::getRegionLoads(const AttentionMatch &match, bool nested) {
  llvm::SetVector<Expr> loads;
  llvm::DenseSet<Expr> seen;
  for (Expr e : {match.score, match.probability, match.sink})
    collect(e, nested, loads, seen);
  return loads.takeVector();
}

SmallVector<Expr> mlir::fa::getAllLoads(const AttentionMatch &match) {
  llvm::SetVector<Expr> loads;
  llvm::DenseSet<Expr> seen;
  for (Expr e : {match.query, match.key, match.value, match.score, match.probability, match.sink})
    collect(e, /*nested=*/true, loads, seen);
  for (const RowResult &row : match.rows)
    loads.insert(row.place);
  return loads.takeVector();
}

/// True if `size` is a multiple of `divisor` for sure.
static bool isMultiple(Expr size, int64_t divisor) {
  if (std::optional<int64_t> constant = size->getInt())
    return *constant % divisor == 0;
  return size->kind == ExprKind::Linear && size->number % divisor == 0 &&
         llvm::all_of(size->coefficients, [&](int64_t c) { return c % divisor == 0; });
}

/// Replaces atom number `number` by digits with the given strides, outermost first.
static Expr splitAtom(ExprContext &exprs, unsigned number, ArrayRef<int64_t> strides) {
  Expr size = exprs.getAtomSize(number), sum = exprs.index(0);
  for (unsigned i = strides.size(); i-- > 0;) {
    bool isOutermost = i + 1 == strides.size();
    Expr extent =
        isOutermost ? exprs.floorDiv(size, strides[i]) : exprs.index(strides[i + 1] / strides[i]);
    if (extent->getInt() != 1)
      sum = exprs.add(sum, exprs.scale(exprs.atom(extent), strides[i]));
  }
  return sum;
}

/// The strides at which the operands divide each atom; each list starts with 1 and may repeat.
static SmallVector<SmallVector<int64_t>> getStrides(ExprContext &exprs,
                                                    const AttentionMatch &match) {
  SmallVector<SmallVector<int64_t>> strides(exprs.getNumAtoms(), {1});
  for (Expr load : getAllLoads(match)) {
    // What no view can express is copied, whatever its indices are.
    std::optional<SmallVector<DimensionLayout>> layout = getLayout(exprs, load);
    if (!layout)
      continue;
    for (const DimensionLayout &digits : *layout)
      for (const Digit &digit : digits) {
        strides[digit.atom].push_back(digit.divisor);
        if (digit.modulus)
          strides[digit.atom].push_back(digit.divisor * digit.modulus);
      }
  }
  return strides;
}

LogicalResult mlir::fa::splitAtoms(ExprContext &exprs, AttentionMatch &match, Mismatch &mismatch) {
  auto fail = [&](StringRef text) {
    mismatch = {text.str(), match.scoreProduct};
    return failure();
  };
  llvm::DenseMap<Expr, Expr> replacements;
  for (auto [i, strides] : llvm::enumerate(getStrides(exprs, match))) {
    llvm::sort(strides);
    strides.erase(llvm::unique(strides), strides.end());
    for (auto [inner, outer] : llvm::zip(strides, ArrayRef(strides).drop_front()))
      if (outer % inner != 0)
        return fail("operands divide a dimension in ways that do not fit together");
    std::optional<int64_t> size = exprs.getAtomSize(i)->getInt();
    if (size && strides.size() > 1 && strides.back() == *size)
      strides.pop_back();
    if (strides.size() == 1)
      continue;
    if (!isMultiple(exprs.getAtomSize(i), strides.back()))
      return fail("operands divide a dimension whose size is not known");
    replacements[exprs.getAtom(i)] = splitAtom(exprs, i, strides);
  }
  if (replacements.empty())
    return success();
  if (exprs.getNumAtoms() > 64)
    return fail("there are more than 64 loop dimensions");
  for (Expr *e :
       {&match.query, &match.key, &match.value, &match.score, &match.probability, &match.sink})
    if (*e)
      *e = exprs.substitute(*e, replacements);
  for (RowResult &row : match.rows)
    row.place = exprs.substitute(row.place, replacements);
  for (SmallVector<Expr> *list : {&match.output, &match.keys, &match.heads})
    for (Expr &e : *list)
      e = exprs.substitute(e, replacements);
  return success();
}

/// Puts `atom` in the place of an index 0 of `load`; returns false if there is none.
static bool bindUnitAtom(ExprContext &exprs, Expr &load, Expr atom) {
  if (load->kind != ExprKind::Load)
    return false;
  SmallVector<Expr> indices(load->operands);
  for (Expr &index : indices)
    if (index->getInt() == 0) {
      index = atom;
      load = exprs.load(load->value, indices);
      return true;
    }
  return false;
}

void mlir::fa::bindUnitAtoms(ExprContext &exprs, AttentionMatch &match) {
  for (Expr head : match.heads)
    if (head->kind == ExprKind::Atom && !((match.query->atoms | match.key->atoms) & head->atoms))
      if (!bindUnitAtom(exprs, match.query, head))
        bindUnitAtom(exprs, match.key, head);
  for (Expr key : match.keys)
    if (key->kind == ExprKind::Atom && !((match.key->atoms | match.value->atoms) & key->atoms))
      if (!bindUnitAtom(exprs, match.key, key))
        bindUnitAtom(exprs, match.value, key);
  uint64_t output = 0;
  for (Expr index : match.output)
    output |= index->atoms;
  bool hasQueries = output & match.query->atoms & ~match.key->atoms & ~match.value->atoms;
  auto place = llvm::find_if(match.output, [](Expr index) { return index->getInt() == 0; });
  if (hasQueries || place == match.output.end())
    return;
  Expr rows = exprs.atom(exprs.index(1));
  if (bindUnitAtom(exprs, match.query, rows))
    *place = rows;
}

/// The atoms of `indices`, in the order in which their dimensions are laid out.
static SmallVector<Expr> getAtomsInOrder(ArrayRef<Expr> indices) {
  SmallVector<Expr> atoms;
  for (Expr index : indices) {
    bool isLinear = index->kind == ExprKind::Linear;
    SmallVector<std::pair<int64_t, Expr>> parts;
    for (unsigned i = 0, e = isLinear ? index->operands.size() : 1; i < e; ++i)
      parts.push_back(
          {isLinear ? index->coefficients[i] : 1, isLinear ? index->operands[i] : index});
    llvm::sort(parts, [](auto &a, auto &b) { return a.first > b.first; });
    for (auto &[stride, atom] : parts)
      if (atom->kind == ExprKind::Atom)
        atoms.push_back(atom);
  }
  return atoms;
}

static uint64_t unite(ArrayRef<Expr> list) {
  uint64_t atoms = 0;
  for (Expr e : list)
    atoms |= e->atoms;
  return atoms;
}

FailureOr<LoopDims> mlir::fa::chooseDims(ExprContext &exprs, const AttentionMatch &match,
                                         Mismatch &mismatch) {
  uint64_t output = unite(match.output), keys = unite(match.keys), heads = unite(match.heads);
  uint64_t scored = unite(getRegionLoads(match)) | match.query->atoms | match.key->atoms;
  uint64_t read = scored | match.value->atoms;
  scored |= match.score->atoms | match.probability->atoms;
  auto fail = [&](StringRef text) {
    mismatch = {text.str(), match.scoreProduct};
    return failure();
  };
  if (output & ~read)
    return fail("no operand has one of the dimensions of the result");
  if ((keys | heads) & ~read)
    return fail("a sum runs over a dimension that no operand has");
  // Atoms are made for the result and for the two sums only, and the first product is split by who
  // has which.
  assert(!(read & ~(output | keys | heads)) && !(output & keys) && !(output & heads) &&
         !(match.query->atoms & keys) && !(match.value->atoms & heads));
  uint64_t values = output & ~scored;
  uint64_t batches = output & ~values & (match.key->atoms | match.value->atoms);
  uint64_t queries = output & ~values & ~batches;
  if (!queries && (match.key->atoms & ~match.value->atoms & output))
    return fail("every query has keys of its own: the first product mixes scores rather than "
                "comparing queries with keys");
  LoopDims dims;
  SmallVector<Expr> all = getAtomsInOrder(match.output);
  llvm::append_range(all, getAtomsInOrder(match.keys));
  llvm::append_range(all, getAtomsInOrder(match.heads));
  for (auto [mask, role] : {std::pair(batches, DimRole::batch), std::pair(queries, DimRole::query),
                            std::pair(keys, DimRole::key), std::pair(heads, DimRole::head_dim),
                            std::pair(values, DimRole::value_dim)})
    for (Expr atom : all)
      if (atom->atoms & mask) {
        dims.atoms.push_back(atom);
        dims.roles.push_back(role);
      }
  return dims;
}
