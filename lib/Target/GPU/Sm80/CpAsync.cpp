//===- CpAsync.cpp - Copies into shared memory by cp.async ----------------===//

#include "Sm80Instructions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

void Sm80Instructions::startCopy(OpBuilder &b, Location loc, Value shared, Value global,
                                 int64_t bytes, Value validBytes) const {
  // `.cg` goes past the first-level cache; it exists for whole 16 bytes only.
  NVVM::LoadCacheModifierKind cache =
      bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, loc, shared, global, b.getI32IntegerAttr(bytes),
                          NVVM::LoadCacheModifierKindAttr::get(b.getContext(), cache), validBytes);
}

void Sm80Instructions::commitCopies(OpBuilder &b, Location loc) const {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

void Sm80Instructions::waitForCopies(OpBuilder &b, Location loc, int64_t groups) const {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, b.getI32IntegerAttr(groups));
}
