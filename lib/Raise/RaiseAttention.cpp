//===- RaiseAttention.cpp - fa-raise --------------------------------------===//

#include "RaiseAttempt.h"
#include "RaiseRemarks.h"
#include "fa/Raise/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_RAISEATTENTION
#include "fa/Raise/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A root that is attention, before it is decided whether it is replaced.
struct Candidate {
  OpResult root;
  llvm::SetVector<Operation *> users;
  bool keepGathers;
};

/// One function at a time: find everything, decide, then change.
class FunctionRaiser {
public:
  FunctionRaiser(FunctionOpInterface function, OpMeaning &meaning)
      : function(function), meaning(meaning), remarks(function) {}

  /// Returns how many regions became attention; their old roots go to `replaced`.
  int64_t run(SmallVectorImpl<Operation *> &replaced);

private:
  void findCandidates();
  void consider(OpResult product);
  bool attempt(OpResult root, bool &isUnnormalised, bool &isBareExponential);
  /// Decides by who else needs the scores; `freesScores` says that nobody does.
  bool shouldRaise(Operation *normalisation, const Candidate &first,
                   const llvm::SetVector<Operation *> &roots, bool &freesScores);
  int64_t raise(Operation *normalisation, ArrayRef<Candidate> group,
                SmallVectorImpl<Operation *> &replaced);

  FunctionOpInterface function;
  OpMeaning &meaning;
  RaiseRemarks remarks;
  /// Set once something was said about the product under way.
  bool hasReason = false;
  /// Candidates by the op that sums their exponentials.
  llvm::MapVector<Operation *, SmallVector<Candidate>> groups;
};
} // namespace

/// How many ops after an unnormalised product are searched for the division.
static constexpr unsigned kMaxDivisionDistance = 12;

bool FunctionRaiser::attempt(OpResult root, bool &isUnnormalised, bool &isBareExponential) {
  Mismatch mismatch;
  Operation *normalisation = nullptr;
  for (bool keepGathers : {false, true}) {
    RaiseAttempt attempt(root, meaning, keepGathers);
    if (attempt.match) {
      ScoreChain chain(*attempt.match, meaning);
      groups[attempt.normalisation].push_back({root, chain.getUsers(), keepGathers});
      return true;
    }
    if (keepGathers)
      break;
    isUnnormalised = attempt.isUnnormalised;
    isBareExponential = attempt.isBareExponential;
    mismatch = attempt.mismatch;
    normalisation = attempt.normalisation;
    if (mismatch.text.empty() || isUnnormalised)
      return false;
  }
  remarks.addReason(normalisation, root.getOwner(), mismatch);
  hasReason = true;
  return false;
}

void FunctionRaiser::consider(OpResult product) {
  bool isUnnormalised = false, isBareExponential = false;
  hasReason = false;
  if (attempt(product, isUnnormalised, isBareExponential) || !isUnnormalised)
    return;
  // The division may come after the product.
  llvm::SetVector<Operation *> reached;
  reached.insert(product.getOwner());
  for (unsigned i = 0; i < reached.size() && i < kMaxDivisionDistance; ++i)
    for (Operation *user : reached[i]->getUsers()) {
      if (user->getNumResults() != 1 || user->hasTrait<OpTrait::IsTerminator>() ||
          !reached.insert(user))
        continue;
      bool isStillUnnormalised = false, isBare = false;
      if (attempt(user->getResult(0), isStillUnnormalised, isBare))
        return;
    }
  // In a gradient, exponentials are divided elsewhere: nothing to say about that product.
  if (isBareExponential && !hasReason)
    remarks.addReason(nullptr, product.getOwner(),
                      {"the exponentials are never divided by their row sum", product.getOwner()});
}

void FunctionRaiser::findCandidates() {
  SmallVector<OpResult> products;
  function.walk([&](Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isProduct = linalgOp && linalgOp.getNumReductionLoops() > 0 &&
                     linalgOp.getNumDpsInputs() >= 2 && linalgOp.hasPureTensorSemantics();
    if (op->getNumResults() == 1 && (isProduct || op->getName().getStringRef() == "tosa.matmul"))
      products.push_back(op->getResult(0));
  });
  for (OpResult product : products)
    consider(product);
}

bool FunctionRaiser::shouldRaise(Operation *normalisation, const Candidate &first,
                                 const llvm::SetVector<Operation *> &roots, bool &freesScores) {
  RaiseAttempt attempt(first.root, meaning, first.keepGathers, &roots);
  freesScores = attempt.freesScores;
  if (!attempt.match)
    return false;
  Operation *escape = freesScores ? nullptr : ScoreChain(*attempt.match, meaning).findEscape(roots);
  if (!escape)
    return true;
  std::string user = ("'" + escape->getName().getStringRef() + "'").str();
  remarks.addReason(normalisation, first.root.getOwner(),
                    {"the scores or the weights are also needed by " + user +
                         ": they have to be in memory anyway",
                     escape});
  return false;
}

int64_t FunctionRaiser::raise(Operation *normalisation, ArrayRef<Candidate> group,
                              SmallVectorImpl<Operation *> &replaced) {
  llvm::SetVector<Operation *> roots;
  for (const Candidate &candidate : group)
    roots.insert(candidate.root.getOwner());
  bool freesScores = false;
  if (!shouldRaise(normalisation, group.front(), roots, freesScores))
    return 0;
  // A gradient keeps the weights in memory: only one product gains by leaving them.
  bool areKept = !freesScores && llvm::any_of(group.front().users, [&](Operation *user) {
    return !roots.contains(user);
  });
  int64_t count = 0;
  for (const Candidate &candidate : ArrayRef(group).take_front(areKept ? 1 : group.size())) {
    // The first one gives the row statistics.
    RaiseAttempt attempt(candidate.root, meaning, candidate.keepGathers,
                         count == 0 ? &roots : nullptr);
    if (!attempt.match)
      continue;
    attempt.build();
    replaced.push_back(candidate.root.getOwner());
    remarks.addPassed(normalisation, candidate.root.getOwner(), attempt.describe());
    ++count;
  }
  return count;
}

int64_t FunctionRaiser::run(SmallVectorImpl<Operation *> &replaced) {
  findCandidates();
  int64_t count = 0;
  for (auto &[normalisation, group] : groups)
    count += raise(normalisation, group, replaced);
  remarks.emit(meaning);
  return count;
}

namespace {
struct RaiseAttention : fa::impl::RaiseAttentionBase<RaiseAttention> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> replaced;
    int64_t count = 0;
    OpMeaning meaning(getOperation());
    getOperation().walk([&](FunctionOpInterface function) {
      count += FunctionRaiser(function, meaning).run(replaced);
    });
    // Last: what is known about an op is kept by its address.
    DeadCode(meaning).erase(replaced);
    if (count < require) {
      // At the place, not at the module: that would print the whole program.
      emitError(getOperation().getLoc())
          << "expects at least " << int64_t(require) << " attention regions, found " << count
          << "; the remarks say why the others are none";
      signalPassFailure();
    }
  }
};
} // namespace
