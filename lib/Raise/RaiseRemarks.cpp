//===- RaiseRemarks.cpp - One remark per attention and per softmax --------===//

#include "RaiseRemarks.h"
#include "DeadCode.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::fa;

void RaiseRemarks::addPassed(Operation *normalisation, Operation *root, std::string text) {
  passed.push_back({root, std::move(text)});
  passedNormalisations.insert(normalisation);
}

void RaiseRemarks::addReason(Operation *normalisation, Operation *root, const Mismatch &mismatch) {
  reasons.insert({normalisation ? normalisation : root, mismatch});
}

static remark::RemarkOpts getOptions(FunctionOpInterface function) {
  return remark::RemarkOpts::name("fuse-attention").category("fa").function(function.getName());
}

void RaiseRemarks::emitMissed(Location loc, StringRef text, Operation *at) {
  auto remark = remark::missed(loc, getOptions(function));
  remark << remark::reason("{0}", text.str());
  if (at)
    if (auto place = dyn_cast<FileLineColLoc>(at->getLoc()))
      remark << remark::metric(
          "At",
          llvm::formatv("'{0}' at line {1}", at->getName().getStringRef(), place.getLine()).str());
}

/// Sums exponentials over some of its dimensions: what every softmax does.
bool RaiseRemarks::isSoftmax(Operation *op, OpMeaning &meaning) {
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool isReduction =
      (linalgOp && linalgOp.getNumReductionLoops() > 0 && linalgOp.hasPureTensorSemantics()) ||
      op->getName().getStringRef() == "tosa.reduce_sum";
  if (!isReduction || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  ExprContext exprs(op->getContext());
  Tracer tracer(exprs, meaning);
  SmallVector<Expr> indices, keys;
  for (int64_t i = 0; i < cast<RankedTensorType>(op->getResult(0).getType()).getRank(); ++i)
    indices.push_back(exprs.atom(tracer.size(op->getResult(0), i)));
  Expr load = tracer.toHead(tracer.access(op->getResult(0), indices));
  linalg::LinalgOp reduction = tracer.getReductionOp(load);
  if (!reduction)
    return false;
  for (Expr size : tracer.getReductionSizes(reduction))
    keys.push_back(exprs.atom(size ? size : exprs.index(1)));
  std::optional<Reduction> opened = tracer.open(load, keys);
  if (!opened || opened->combiner != "arith.addf")
    return false;
  SoftmaxMatcher matcher(tracer, keys);
  WeightFactors factors;
  matcher.flatten(opened->body, factors);
  return factors.exponent && !factors.hasSeveralExponents && factors.numerators.empty() &&
         factors.denominators.empty() && !matcher.isCarried(opened->init);
}

/// Ops of other projects that are attention already.
static bool isForeignAttention(StringRef name, Operation *op) {
  if (name == "tm_tensor.attention" || name == "iree_linalg_ext.attention" ||
      name == "iree_linalg_ext.online_attention" || name == "onnx.Attention" ||
      name == "torch.aten.scaled_dot_product_attention")
    return true;
  if (name != "stablehlo.custom_call" && name != "mhlo.custom_call" && name != "torch.operator")
    return false;
  for (StringRef key : {"call_target_name", "name"})
    if (auto target = op->getAttrOfType<StringAttr>(key))
      if (target.getValue().contains_insensitive("attention") ||
          target.getValue().contains_insensitive("sdpa") ||
          target.getValue().contains_insensitive("fmha"))
        return true;
  return false;
}

void RaiseRemarks::emit(OpMeaning &meaning) {
  for (auto &[root, text] : passed)
    remark::passed(root->getLoc(), getOptions(function))
        << remark::add("fused attention: {0}", text);
  for (auto &[op, mismatch] : reasons)
    if (!passedNormalisations.contains(op))
      emitMissed(op->getLoc(), mismatch.text, mismatch.at);
  DeadCode deadCode(meaning);
  function.walk([&](Operation *op) {
    if (isForeignAttention(op->getName().getStringRef(), op))
      emitMissed(op->getLoc(),
                 ("'" + op->getName().getStringRef() +
                  "' is attention in one op of another project: export the model with attention "
                  "decomposed into matmul and softmax, or lower this op to linalg first")
                     .str(),
                 nullptr);
    if (passedNormalisations.contains(op) || reasons.contains(op) || !isSoftmax(op, meaning) ||
        deadCode.isUnused(op))
      return;
    emitMissed(op->getLoc(), "a softmax whose weights no product with values follows", nullptr);
  });
}
