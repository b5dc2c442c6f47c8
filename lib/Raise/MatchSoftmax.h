//===- MatchSoftmax.h - Weights that are a softmax over the keys ----------===//
#ifndef FA_LIB_RAISE_MATCHSOFTMAX_H
#define FA_LIB_RAISE_MATCHSOFTMAX_H

#include "TraceAccess.h"

namespace mlir::fa {

/// Why something is not attention: `text` in the user's terms, at an op of theirs.
struct Mismatch {
  std::string text;
  Operation *at = nullptr;
};

/// A product of factors, divisions and row guards, taken apart as far as its loads have to be
/// followed for that.
struct WeightFactors {
  /// x of the one factor exp(x); null if there is none.
  Expr exponent = nullptr;
  bool hasSeveralExponents = false;
  SmallVector<Expr> numerators, denominators;
  /// Conditions, and the value for which the weight is kept; it is 0 otherwise.
  SmallVector<std::pair<Expr, bool>> guards;
  /// A weight that is NaN becomes 0.
  bool replacesNaN = false;
};

/// What the weights of the second product were found to be.
struct SoftmaxMatch {
  /// The scores as an expression of the loop indices; the row maximum taken away.
  Expr scores = nullptr;
  /// What the weight is multiplied with after the softmax, as an expression of `marker(0)`; the
  /// marker itself if nothing.
  Expr probability = nullptr;
  /// One more logit per row that has no value; null if none.
  Expr sink = nullptr;
  /// Rows without a key get 0 rather than NaN.
  bool isGuarded = false;
};

/// A number per row as a sum of multiples of row statistics.
struct RowValue {
  double max = 0, lse = 0;
  /// The row maximum, or a finite number in rows without a key.
  double finiteMax = 0;
  /// A maximum in it leaves NaN out.
  bool ignoresNaN = false;
  /// What the logarithm of the sum is in rows without a key: NaN, or else -inf.
  bool isNaNIfEmpty = false;
};

/// Recognises softmax by what it computes: exp(S − M) over its sum, where M and the sum are over
/// the keys of the same S, whatever the order, grouping and spelling.
class SoftmaxMatcher {
public:
  SoftmaxMatcher(Tracer &tracer, ArrayRef<Expr> keys);

  /// Takes `e` apart into `factors`.
  void flatten(Expr e, WeightFactors &factors, bool isDenominator = false);
  /// Matches the product that `factors` describe; `mismatch` says why not.
  FailureOr<SoftmaxMatch> match(const WeightFactors &factors);

  /// `row` in terms of the statistics of a softmax that was matched; null if it is something else.
  std::optional<RowValue> describeRow(Expr row, const SoftmaxMatch &softmax);

  /// True if the start of a reduction comes from the iteration of a loop before.
  bool isCarried(Expr init);
  uint64_t getKeyAtoms() const { return keyAtoms; }

  Mismatch mismatch;
  /// The op that sums the exponentials, once it is known.
  Operation *normalisation = nullptr;
  /// Nothing divides by the sum.
  bool isUnnormalised = false;
  /// The exponential is all that the weight is: no factor beside it, as a gradient has.
  bool isBareExponential = false;

private:
  /// A sum of multiples of row statistics.
  struct RowTerms {
    double max = 0, logSum = 0;
    bool isOther = false;
  };
  struct Statistic {
    enum { None, Max, Sum } kind = None;
    Expr load = nullptr;
    /// What is reduced: the scores of a Max, the exponent of a Sum.
    Expr body = nullptr;
    /// The value at one more position than there are keys; null if there is none.
    Expr extra = nullptr;
    /// Keys for which a Sum adds nothing; null if every key counts.
    Expr condition = nullptr;
    /// A Max is -inf where all scores are, and NaN scores do not count.
    bool startsAtInfinity = false, ignoresNaN = false;
    std::string problem;
  };

  LogicalResult fail(const Twine &text, Operation *at = nullptr);
  bool variesAlongKeys(Expr e) const { return e->atoms & keyAtoms; }
  SmallVector<SmallVector<Expr>> getKeyIndices(Expr load, bool &hasExtra);
  Statistic getStatistic(Expr load);
  Statistic openStatistic(Expr load);
  Statistic describe(Expr load, const Reduction &reduction);
  bool containsStatistic(Expr e);
  /// Splits e into what stays and row statistics, which go to `rows` with their factors.
  Expr stripRows(Expr e, double factor, SmallVectorImpl<std::pair<double, Expr>> &rows);
  void addRow(double factor, Expr row, RowTerms &terms);
  void addStatistic(double factor, const Statistic &statistic, RowTerms &terms);
  bool isShiftOfScores(const Statistic &statistic, double &ratio,
                       SmallVectorImpl<std::pair<double, Expr>> &rows);
  LogicalResult matchSum(Expr sum, SoftmaxMatch &found);
  LogicalResult matchShift(const RowTerms &terms, Expr exponent, SoftmaxMatch &found);
  LogicalResult matchFactors(const WeightFactors &factors, SoftmaxMatch &found);
  std::optional<RowValue> describeRow(Expr row);
  std::optional<RowValue> describeSum(ArrayRef<std::pair<double, Expr>> terms);
  std::optional<RowValue> describeMax(Expr row, bool hasSink);
  std::optional<RowValue> describeLog(Expr sum);
  bool mayBeMasked(Expr e);
  bool isNotMasked(Expr condition, bool keep);
  bool someKeyCounts(Expr condition, bool keep);
  bool isReplacement(Expr condition, Expr value);

  Tracer &tracer;
  ExprContext &exprs;
  SmallVector<Expr> keys;
  uint64_t keyAtoms = 0;
  /// Every reading of a row statistic, by its load.
  llvm::DenseMap<Expr, SmallVector<Statistic>> statisticsOf;
  llvm::DenseMap<Expr, bool> statisticUsers;
  /// The scores, and the condition of the sum's keys, of the match under way.
  Expr scores = nullptr, keyCondition = nullptr, sink = nullptr, logSum = nullptr;
  RowTerms shift;
  bool isNormalised = false;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_MATCHSOFTMAX_H
