//===- MatchAttention.h - Two products with a softmax between them --------===//
#ifndef FA_LIB_RAISE_MATCHATTENTION_H
#define FA_LIB_RAISE_MATCHATTENTION_H

#include "MatchSoftmax.h"

namespace mlir::fa {

/// A value with one number per row that the program uses: max·(row maximum) + lse·LSE.
struct RowResult {
  /// The element of the value that belongs to a row, as a load.
  Expr place = nullptr;
  double max = 0, lse = 0;
};

/// Everything that `fa.attention` needs, as expressions of loop indices. Nothing in the IR has been
/// changed yet.
struct AttentionMatch {
  /// The value that attention computes.
  OpResult root;
  /// The index of each dimension of the root: a sum of atoms, or 0 where the size is 1.
  SmallVector<Expr> output;
  /// The atoms of the sums: over keys, and over the head dimensions of the scores.
  SmallVector<Expr> keys, heads;
  /// The operands: loads of the tensors that are to be read, or what the products compute first.
  Expr query = nullptr, key = nullptr, value = nullptr;
  /// The scores before the softmax, as an expression of the loop indices.
  Expr scores = nullptr;
  /// The score as an expression of `marker(1)`, the product of query and key; the weight as one of
  /// `marker(0)`, the probability.
  Expr score = nullptr, probability = nullptr;
  /// One more logit per row; null if none.
  Expr sink = nullptr;
  /// What the second product accumulates into, if that is not 0.
  Value added;
  bool isGuarded = false;
  /// What else attention gives.
  SmallVector<RowResult> rows;
  /// The ops of the module that hold the first product and the sum of the softmax.
  Operation *scoreProduct = nullptr, *normalisation = nullptr;
};

/// Finds attention that ends in a given value.
class AttentionMatcher {
public:
  explicit AttentionMatcher(Tracer &tracer) : tracer(tracer), exprs(tracer.exprs) {}

  /// Matches `root`, the result of a product or of what divides it. On failure `mismatch` says why,
  /// and `normalisation` is the op whose softmax it was about; null if there was none.
  FailureOr<AttentionMatch> match(OpResult root);

  Mismatch mismatch;
  Operation *normalisation = nullptr;
  /// The product's weights are exponentials, but nothing in it divides by their sum.
  bool isUnnormalised = false;
  /// The weights of such a product are exponentials and nothing else.
  bool isBareExponential = false;

private:
  struct Factors {
    SmallVector<Expr> numerators, denominators;
  };

  LogicalResult fail(const Twine &text, Operation *at = nullptr);
  /// Splits a product; follows loads only if `followLoads`, and stops at reductions.
  void splitProduct(Expr e, Factors &factors, bool followLoads, bool isDenominator = false);
  LogicalResult matchSecondProduct(Expr product, const Factors &around, AttentionMatch &found);
  /// Matches the factors of the second product: weights, whose softmax is found, and the value.
  LogicalResult matchWeights(Factors &inside, const Factors &around, AttentionMatch &found);
  /// The one factor with an exponential along the keys; null if there is none or several.
  Expr findWeight(ArrayRef<Expr> factors, SoftmaxMatcher &softmax, WeightFactors &weights);
  LogicalResult chooseValue(ArrayRef<Expr> candidates, Expr weight, AttentionMatch &found,
                            WeightFactors &weights, SoftmaxMatcher &softmax);
  LogicalResult matchFirstProduct(AttentionMatch &found);
  /// Opens a product of the scores into query, key and what multiplies both.
  LogicalResult openFirstProduct(Expr load, AttentionMatch &found);
  LogicalResult checkInit(Expr init, Operation *op, bool &isZero);
  bool isUniform(Expr e);
  /// The deepest tensor behind `load` that can be read directly; uniform factors on the way
  /// multiply `scale`, if that is allowed. An expression keeps its form.
  Expr chooseOperand(Expr load, Expr *scale);

  Tracer &tracer;
  ExprContext &exprs;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_MATCHATTENTION_H
