//===- AttentionDialect.cpp - Registration of the fa dialect --------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

#include "fa/Dialect/Attention/AttentionDialect.cpp.inc"
#include "fa/Dialect/Attention/AttentionEnums.cpp.inc"
#include "fa/Dialect/Attention/AttentionInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/Dialect/Attention/AttentionAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/Attention/AttentionOps.cpp.inc"

void FaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fa/Dialect/Attention/AttentionAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fa/Dialect/Attention/AttentionOps.cpp.inc"
      >();
}

SmallVector<unsigned> RolesAttr::getDims(DimRole role) const {
  SmallVector<unsigned> dims;
  for (auto [dim, candidate] : llvm::enumerate(getValue()))
    if (candidate == role)
      dims.push_back(dim);
  return dims;
}

SmallVector<unsigned> RolesAttr::getIndexedDims() const {
  SmallVector<unsigned> dims;
  for (auto [dim, role] : llvm::enumerate(getValue()))
    if (role != DimRole::head_dim && role != DimRole::value_dim)
      dims.push_back(dim);
  return dims;
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t queryTile,
                                   int64_t keyTile, int64_t stages, int64_t warps) {
  if (queryTile < 1 || keyTile < 1)
    return emitError() << "expects positive tile sizes, got " << queryTile << "x" << keyTile;
  if (stages < 0 || warps < 0)
    return emitError() << "expects stages and warps not to be negative, got " << stages << " and "
                       << warps;
  return success();
}
