//===- TensorViews.h - Reshapes and slices as strides ---------------------===//
#ifndef FA_LIB_COMPILER_TENSORVIEWS_H
#define FA_LIB_COMPILER_TENSORVIEWS_H

#include "Runtime/Artifact/Artifact.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::fa {

/// What a view needs of its tensor's strides.
using Constraints = std::vector<fa_runtime::Constraint>;

/// The result of `op` as a view, given its first operand's. Nothing if `op` is no view: it is one
/// if it only renames elements (cast, collapse, expand, slice, transpose). Conditions on the
/// strides are appended to `constraints`.
std::optional<fa_runtime::View> applyView(Operation *op, const fa_runtime::View &source,
                                          Constraints &constraints);

/// The first operand of `op` as a view, given its result's. Nothing if `op` is no view that keeps
/// every element.
std::optional<fa_runtime::View> invertView(Operation *op, const fa_runtime::View &result,
                                           Constraints &constraints);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_TENSORVIEWS_H
