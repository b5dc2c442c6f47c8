//===- MatchAttention.cpp - Two products with a softmax between them ------===//

#include "MatchAttention.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

LogicalResult AttentionMatcher::fail(const Twine &text, Operation *at) {
  if (mismatch.text.empty())
    mismatch = {text.str(), at ? tracer.meaning.getOrigin(at) : nullptr};
  return failure();
}

void AttentionMatcher::splitProduct(Expr e, Factors &factors, bool followLoads,
                                    bool isDenominator) {
  if (followLoads)
    e = tracer.toHead(e);
  bool isQuotient = e->isOp("arith.divf");
  if (isQuotient || e->isOp("arith.mulf")) {
    splitProduct(e->operands[0], factors, followLoads, isDenominator);
    splitProduct(e->operands[1], factors, followLoads, isDenominator != isQuotient);
    return;
  }
  (isDenominator ? factors.denominators : factors.numerators).push_back(e);
}

LogicalResult AttentionMatcher::checkInit(Expr init, Operation *op, bool &isZero) {
  Expr head = tracer.toHead(init);
  isZero = head->isFloat(0);
  if (head->kind == ExprKind::Load && head->value.getDefiningOp<tensor::EmptyOp>())
    return fail("a product accumulates into an uninitialised tensor: fill it with 0", op);
  return success();
}

FailureOr<AttentionMatch> AttentionMatcher::match(OpResult root) {
  auto type = dyn_cast<RankedTensorType>(root.getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return failure();
  AttentionMatch found;
  found.root = root;
  for (int64_t i = 0; i < type.getRank(); ++i)
    found.output.push_back(type.getDimSize(i) == 1 ? exprs.index(0)
                                                   : exprs.atom(tracer.size(root, i)));
  Factors around;
  splitProduct(tracer.access(root, found.output), around, /*followLoads=*/true);
  Expr product = nullptr;
  for (Expr factor : around.numerators) {
    linalg::LinalgOp op = tracer.getReductionOp(factor);
    if (!product && op && op.getNumDpsInputs() >= 2)
      product = factor;
  }
  if (!product)
    return failure();
  llvm::erase(around.numerators, product);
  if (failed(matchSecondProduct(product, around, found)))
    return failure();
  return found;
}

/// The factor that is the value, among those that are no weight: the one with dimensions that the
/// weights do not have, or else the only one that varies along the keys. The others weigh.
LogicalResult AttentionMatcher::chooseValue(ArrayRef<Expr> candidates, Expr weight,
                                            AttentionMatch &found, WeightFactors &weights,
                                            SoftmaxMatcher &softmax) {
  uint64_t keyAtoms = 0, outputAtoms = 0;
  for (Expr key : found.keys)
    keyAtoms |= key->atoms;
  for (Expr index : found.output)
    outputAtoms |= index->atoms;
  uint64_t valueAtoms = outputAtoms & ~weight->atoms;
  SmallVector<Expr> own, alongKeys;
  for (Expr candidate : candidates) {
    if (candidate->atoms & valueAtoms)
      own.push_back(candidate);
    else if (candidate->atoms & keyAtoms)
      alongKeys.push_back(candidate);
  }
  if (own.empty() && alongKeys.size() != 1)
    return fail("the second product has no single value operand");
  ArrayRef<Expr> choice = own.empty() ? alongKeys : own;
  found.value = choice.front();
  for (Expr factor : choice.drop_front())
    found.value = exprs.apply("arith.mulf", {found.value, factor});
  for (Expr candidate : candidates)
    if (!llvm::is_contained(choice, candidate))
      softmax.flatten(candidate, weights);
  return success();
}

Expr AttentionMatcher::findWeight(ArrayRef<Expr> factors, SoftmaxMatcher &softmax,
                                  WeightFactors &weights) {
  Expr weight = nullptr;
  for (Expr factor : factors) {
    WeightFactors candidate;
    softmax.flatten(factor, candidate);
    if (candidate.exponent && weight)
      return nullptr;
    if (candidate.exponent) {
      weight = factor;
      weights = candidate;
    }
  }
  return weight && (weights.exponent->atoms & softmax.getKeyAtoms()) ? weight : nullptr;
}

LogicalResult AttentionMatcher::matchWeights(Factors &inside, const Factors &around,
                                             AttentionMatch &found) {
  SoftmaxMatcher softmax(tracer, found.keys);
  WeightFactors weights;
  Expr weight = findWeight(inside.numerators, softmax, weights);
  if (!weight)
    return failure();
  llvm::erase(inside.numerators, weight);
  llvm::append_range(inside.denominators, around.denominators);
  LogicalResult hasValue = chooseValue(inside.numerators, weight, found, weights, softmax);
  for (Expr denominator : inside.denominators)
    softmax.flatten(denominator, weights, /*isDenominator=*/true);
  for (Expr numerator : around.numerators)
    softmax.flatten(numerator, weights);

  FailureOr<SoftmaxMatch> match = softmax.match(weights);
  normalisation = softmax.normalisation ? tracer.meaning.getOrigin(softmax.normalisation) : nullptr;
  // Only now, so that the reason is known to be about this softmax.
  if (failed(hasValue))
    return failure();
  isUnnormalised = softmax.isUnnormalised;
  isBareExponential = softmax.isBareExponential;
  if (failed(match))
    return fail(softmax.mismatch.text, softmax.mismatch.at);
  found.normalisation = normalisation;
  found.scores = match->scores;
  found.probability = match->probability;
  found.sink = match->sink;
  found.isGuarded = match->isGuarded;
  return success();
}

LogicalResult AttentionMatcher::matchSecondProduct(Expr product, const Factors &around,
                                                   AttentionMatch &found) {
  linalg::LinalgOp op = tracer.getReductionOp(product);
  SmallVector<Expr> sizes = tracer.getReductionSizes(op);
  if (llvm::is_contained(sizes, nullptr))
    return failure();
  std::optional<Reduction> reduction =
      tracer.open(product, tracer.makeReductionIndices(sizes, found.keys));
  if (!reduction || reduction->combiner != "arith.addf")
    return failure();
  Factors inside;
  splitProduct(reduction->body, inside, /*followLoads=*/false);
  if (failed(matchWeights(inside, around, found)))
    return failure();

  bool isZero;
  if (failed(checkInit(reduction->init, op, isZero)))
    return failure();
  if (!isZero) {
    if (op != found.root.getOwner())
      return fail("the second product accumulates into something else than 0", op);
    found.added = op.getDpsInitOperand(found.root.getResultNumber())->get();
  }
  if (failed(matchFirstProduct(found)))
    return failure();
  found.value = chooseOperand(found.value, nullptr);
  return success();
}
