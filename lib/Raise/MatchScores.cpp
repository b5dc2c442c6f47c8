//===- MatchScores.cpp - The product of query and key, and the operands ---===//

#include "MatchAttention.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

LogicalResult AttentionMatcher::matchFirstProduct(AttentionMatch &found) {
  llvm::SetVector<Expr> loads;
  collectLoads(found.scores, loads);
  // Several products in the scores: the one with the most dimensions is the product of query and
  // key, the others are biases.
  SmallVector<Expr> products;
  for (Expr load : loads)
    if (tracer.getReductionOp(load))
      products.push_back(load);
  llvm::sort(products, [](Expr a, Expr b) {
    auto rank = [](Expr e) { return std::pair(-int(llvm::popcount(e->atoms)), e->id); };
    return rank(a) < rank(b);
  });
  if (products.empty())
    return fail("the scores are not computed from a product of query and key", normalisation);
  AttentionMatcher attempt(tracer);
  for (Expr product : products) {
    AttentionMatch copy = found;
    attempt.mismatch = {};
    if (failed(attempt.openFirstProduct(product, copy)))
      continue;
    llvm::DenseMap<Expr, Expr> replacements = {{product, copy.score}};
    copy.score = exprs.substitute(found.scores, replacements);
    copy.scoreProduct = tracer.meaning.getOrigin(tracer.getReductionOp(product));
    found = std::move(copy);
    return success();
  }
  return fail(attempt.mismatch.text, attempt.mismatch.at);
}

LogicalResult AttentionMatcher::openFirstProduct(Expr load, AttentionMatch &found) {
  linalg::LinalgOp op = tracer.getReductionOp(load);
  uint64_t keyAtoms = 0, headAtoms = 0;
  for (Expr key : found.keys)
    keyAtoms |= key->atoms;
  SmallVector<Expr> sizes = tracer.getReductionSizes(op);
  assert(!llvm::is_contained(sizes, nullptr) && "the maps of a linalg op can be inverted");
  SmallVector<Expr> indices = tracer.makeReductionIndices(sizes, found.heads);
  for (Expr head : found.heads)
    headAtoms |= head->atoms;
  std::optional<Reduction> reduction = tracer.open(load, indices);
  if (exprs.getNumAtoms() > 64)
    return fail("there are more than 64 loop dimensions", op);
  if (reduction && reduction->combiner == "arith.addi")
    return fail("the scores are a product of integers; only products of floats fuse", op);
  if (!reduction || reduction->combiner != "arith.addf")
    return fail("the scores are a reduction that is no sum of products", op);
  Factors factors;
  splitProduct(reduction->body, factors, /*followLoads=*/false);
  Expr scale = exprs.constant(1.0);
  for (Expr factor : factors.numerators) {
    if (!(factor->atoms & headAtoms)) {
      scale = exprs.apply("arith.mulf", {scale, tracer.resolve(factor)});
      continue;
    }
    Expr &side = factor->atoms & keyAtoms ? found.key : found.query;
    side = side ? exprs.apply("arith.mulf", {side, factor}) : factor;
  }
  for (Expr factor : factors.denominators) {
    if (factor->atoms & headAtoms) {
      Expr &side = factor->atoms & keyAtoms ? found.key : found.query;
      side = exprs.apply("arith.divf", {side ? side : exprs.constant(1.0), factor});
      continue;
    }
    scale = exprs.apply("arith.divf", {scale, tracer.resolve(factor)});
  }
  if (!found.query || !found.key)
    return fail("the scores are a sum over something else than a product of query and key", op);
  found.query = chooseOperand(found.query, &scale);
  found.key = chooseOperand(found.key, &scale);
  bool isZero;
  if (failed(checkInit(reduction->init, op, isZero)))
    return failure();
  found.score = exprs.apply("arith.mulf", {exprs.marker(1), scale});
  if (!isZero)
    found.score = exprs.apply("arith.addf", {found.score, tracer.resolve(reduction->init)});
  return success();
}

bool AttentionMatcher::isUniform(Expr e) { return tracer.resolve(e)->atoms == 0; }

/// True if reading `inner` instead of `outer` makes no operand wider.
static bool isNotWider(Expr inner, Expr outer) {
  auto width = [](Expr load) {
    Type element = cast<ShapedType>(load->value.getType()).getElementType();
    return isa<FloatType>(element) ? element.getIntOrFloatBitWidth() : 1024;
  };
  return width(inner) <= width(outer);
}

Expr AttentionMatcher::chooseOperand(Expr load, Expr *scale) {
  // An operand that is computed inside of the product gets a copy; what it reads is read directly.
  if (load->kind != ExprKind::Load) {
    llvm::SetVector<Expr> parts;
    collectLoads(load, parts);
    llvm::DenseMap<Expr, Expr> replacements;
    for (Expr part : parts)
      if (!tracer.isViewable(part) || tracer.meaning.isScratch(part->value))
        replacements[part] = tracer.resolve(part);
    return exprs.substitute(load, replacements);
  }
  Expr best = nullptr, bestScratch = nullptr, pending = scale ? *scale : nullptr;
  for (Expr current = load; current;) {
    if (tracer.isViewable(current)) {
      bool isScratch = tracer.meaning.isScratch(current->value);
      if (!isScratch || !best) {
        (isScratch ? bestScratch : best) = current;
        if (scale)
          *scale = pending;
      }
    }
    Expr next = tracer.expand(current);
    while (next && scale && (next->isOp("arith.mulf") || next->isOp("arith.divf"))) {
      bool isProduct = next->isOp("arith.mulf");
      unsigned uniform = isProduct && isUniform(next->operands[0]) ? 0 : 1;
      if (!isUniform(next->operands[uniform]))
        break;
      pending =
          exprs.apply(next->name.getValue(), {pending, tracer.resolve(next->operands[uniform])});
      next = next->operands[1 - uniform];
    }
    // What adds 0 to broadcast is a load after all.
    if (next && next->kind != ExprKind::Load)
      next = tracer.resolve(next);
    if (!next || next->kind != ExprKind::Load || !isNotWider(next, current))
      break;
    current = next;
  }
  return best ? best : bestScratch ? bestScratch : load;
}
