//===- Diagnostics.cpp ----------------------------------------------------===//

#include "Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Remark/RemarkStreamer.h"

using namespace mlir;
using namespace mlir::fa;

std::string mlir::fa::describeLocation(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}

ErrorCollector::ErrorCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && first.empty())
          first = describeLocation(diagnostic.getLocation()) + ": " + diagnostic.str();
        return success();
      }) {}

std::string ErrorCollector::getText(const Twine &otherwise) const {
  return first.empty() ? otherwise.str() : first;
}

namespace {
StringRef describeKind(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return "passed";
  case llvm::remarks::Type::Missed:
    return "missed";
  case llvm::remarks::Type::Failure:
    return "failed";
  default:
    return "analysis";
  }
}

/// Hands remarks to the caller of the C interface.
struct CallbackStreamer : remark::detail::MLIRRemarkStreamerBase {
  CallbackStreamer(FaRemarkCallback callback, void *userData)
      : callback(callback), userData(userData) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text = describeLocation(remark.getLocation()) + ":";
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      text += arg.key == "Remark" || arg.key == "Reason" ? " " + arg.val
                                                         : " (" + arg.key + " " + arg.val + ")";
    callback(userData, describeKind(remark).data(), text.c_str());
  }

  FaRemarkCallback callback;
  void *userData;
};
} // namespace

void mlir::fa::forwardRemarks(MLIRContext *context, FaRemarkCallback callback, void *userData) {
  if (!callback)
    return;
  // A filter for `all` alone lets nothing through.
  std::string filter = "fa.*";
  remark::RemarkCategories categories{filter, filter, filter, filter, filter};
  (void)remark::enableOptimizationRemarks(
      *context, std::make_unique<CallbackStreamer>(callback, userData),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
