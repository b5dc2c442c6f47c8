//===- FunctionEntry.cpp --------------------------------------------------===//

#include "FunctionEntry.h"
#include "Signature.h"
#include "TensorViews.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;
using fa_runtime::Expr;
using fa_runtime::View;

namespace {
/// Builds the record of one function; any step may find that the function does more than views.
class FunctionRecorder {
public:
  FunctionRecorder(func::FuncOp entry, ArrayRef<func::FuncOp> regions,
                   const fa_runtime::Artifact &artifact)
      : entry(entry), regions(regions), artifact(artifact) {}

  std::optional<fa_runtime::Function> record();

private:
  bool addSignature();
  bool placeResults();
  bool addCall(func::CallOp call);
  View viewOperand(View::Source source, int32_t index, int32_t operand, RankedTensorType type);
  std::optional<View> placeTemporary(OpResult value, const fa_runtime::Result &result,
                                     const std::vector<View> &arguments);

  func::FuncOp entry;
  ArrayRef<func::FuncOp> regions;
  const fa_runtime::Artifact &artifact;
  fa_runtime::Function function;
  DenseMap<Value, View> views;
};
} // namespace

static fa_runtime::DType convertDType(FaDType dtype) {
  return static_cast<fa_runtime::DType>(dtype); // one numbering
}

static std::vector<int64_t> copyDims(const ValueType &type) {
  return std::vector<int64_t>(type.dims.begin(), type.dims.end());
}

/// A function's result whose size is not in the IR cannot be allocated from the IR alone.
bool FunctionRecorder::addSignature() {
  auto signature = readSignature(entry);
  if (!signature) {
    llvm::consumeError(signature.takeError());
    return false;
  }
  for (const ValueType &type : signature->arguments) {
    fa_runtime::Argument argument;
    argument.name = type.name;
    argument.isScalar = type.isScalar;
    argument.dtype = convertDType(type.dtype);
    argument.dims = copyDims(type);
    function.arguments.push_back(std::move(argument));
  }
  for (const ValueType &type : signature->results) {
    if (type.isScalar)
      return false;
    fa_runtime::Result result;
    result.name = type.name;
    result.dtype = convertDType(type.dtype);
    for (int64_t dim : type.dims)
      result.dims.push_back(Expr(dim)); // -1: replaced when the call that gives it is known
    function.results.push_back(std::move(result));
  }
  return true;
}

/// All of an operand of the function; operands are numbered arguments first, then results.
View FunctionRecorder::viewOperand(View::Source source, int32_t index, int32_t operand,
                                   RankedTensorType type) {
  View view;
  view.source = source;
  view.index = index;
  for (int32_t dim = 0; type && dim < static_cast<int32_t>(type.getRank()); ++dim) {
    view.dims.push_back(type.isDynamicDim(dim) ? fa_runtime::dim(operand, dim)
                                               : Expr(type.getDimSize(dim)));
    view.strides.push_back(fa_runtime::stride(operand, dim));
  }
  return view;
}

/// Gives every region's result that the function returns, perhaps reshaped, the place of the
/// function's result.
bool FunctionRecorder::placeResults() {
  auto numArguments = static_cast<int32_t>(entry.getNumArguments());
  Operation *terminator = entry.getBody().front().getTerminator();
  for (auto [i, returned] : llvm::enumerate(terminator->getOperands())) {
    auto type = cast<RankedTensorType>(returned.getType());
    auto index = static_cast<int32_t>(i);
    std::optional<View> view = viewOperand(View::Source::Result, index, numArguments + index, type);
    Value value = returned;
    while (value.getDefiningOp() && !value.getDefiningOp<func::CallOp>()) {
      view = invertView(value.getDefiningOp(), *view, function.constraints);
      if (!view)
        return false;
      value = value.getDefiningOp()->getOperand(0);
    }
    if (!value.getDefiningOp() || !views.insert({value, *view}).second)
      return false; // an argument as it is, or one value twice: that takes a copy
    if (!type.hasStaticShape() && value != returned)
      return false;
  }
  return true;
}

/// `expr` over a region's arguments, as one over the function's.
static Expr substitute(const Expr &expr, const std::vector<View> &arguments) {
  if (expr.op == Expr::Op::Dim)
    return arguments[expr.operand].dims[expr.axis];
  Expr result = expr;
  for (Expr &child : result.children)
    child = substitute(child, arguments);
  return result;
}

/// Memory for a result that only other regions read.
std::optional<View> FunctionRecorder::placeTemporary(OpResult value,
                                                     const fa_runtime::Result &result,
                                                     const std::vector<View> &arguments) {
  View view;
  view.source = View::Source::Temporary;
  view.index = static_cast<int32_t>(function.temporaries.size());
  fa_runtime::Temporary temporary;
  temporary.dtype = result.dtype;
  for (const Expr &dim : result.dims)
    temporary.dims.push_back(substitute(dim, arguments));
  view.dims = temporary.dims;
  Expr stride = 1;
  view.strides.assign(view.dims.size(), stride);
  for (int64_t dim = static_cast<int64_t>(view.dims.size()) - 1; dim >= 0; --dim) {
    view.strides[dim] = stride;
    stride = stride * view.dims[dim];
  }
  function.temporaries.push_back(std::move(temporary));
  return view;
}

bool FunctionRecorder::addCall(func::CallOp call) {
  const auto *region =
      llvm::find_if(regions, [&](func::FuncOp f) { return f.getName() == call.getCallee(); });
  if (region == regions.end())
    return false;
  fa_runtime::Call record;
  record.region = static_cast<int32_t>(region - regions.begin());
  for (Value operand : call.getOperands()) {
    auto found = views.find(operand);
    if (found == views.end())
      return false;
    record.arguments.push_back(found->second);
  }
  const fa_runtime::Region &described = artifact.regions[record.region];
  for (OpResult result : call->getResults()) {
    const fa_runtime::Result &type = described.results[result.getResultNumber()];
    auto found = views.find(result);
    if (found == views.end())
      found = views.insert({result, *placeTemporary(result, type, record.arguments)}).first;
    else if (!cast<RankedTensorType>(result.getType()).hasStaticShape())
      for (auto [dim, expr] : llvm::enumerate(type.dims))
        function.results[found->second.index].dims[dim] = substitute(expr, record.arguments);
    record.results.push_back(found->second);
  }
  function.calls.push_back(std::move(record));
  return true;
}

std::optional<fa_runtime::Function> FunctionRecorder::record() {
  function.name = entry.getName().str();
  if (!entry.getBody().hasOneBlock() || !addSignature() || !placeResults())
    return std::nullopt;
  for (BlockArgument argument : entry.getArguments()) {
    auto index = static_cast<int32_t>(argument.getArgNumber());
    views.insert({argument, viewOperand(View::Source::Argument, index, index,
                                        dyn_cast<RankedTensorType>(argument.getType()))});
  }
  for (Operation &op : entry.getBody().front().without_terminator()) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (!addCall(call))
        return std::nullopt;
      continue;
    }
    if (isa<tensor::EmptyOp>(op))
      continue;
    auto source = op.getNumOperands() ? views.find(op.getOperand(0)) : views.end();
    std::optional<View> view;
    if (source != views.end())
      view = applyView(&op, View(source->second), function.constraints);
    if (!view)
      return std::nullopt;
    views.insert({op.getResult(0), *view});
  }
  return function;
}

void mlir::fa::addFunctionEntry(func::FuncOp entry, ArrayRef<func::FuncOp> regions,
                                fa_runtime::Artifact &artifact) {
  if (std::optional<fa_runtime::Function> function =
          FunctionRecorder(entry, regions, artifact).record())
    artifact.functions.push_back(std::move(*function));
}
