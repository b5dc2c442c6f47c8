//===- DeadCode.cpp - What nothing with an effect needs -------------------===//

#include "DeadCode.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

bool DeadCode::isPure(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return isMemoryEffectFree(op);
  func::FuncOp callee = meaning.getCallee(call);
  if (!callee || callee.isExternal())
    return false;
  auto [entry, isNew] = pureFunctions.try_emplace(callee, false);
  if (!isNew)
    return entry->second;
  bool pure = true;
  callee.getBody().walk([&](Operation *nested) {
    bool isInBody = nested->hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(nested);
    pure &= isInBody || isPure(nested);
    return pure ? WalkResult::advance() : WalkResult::interrupt();
  });
  return pureFunctions[callee] = pure;
}

bool DeadCode::isUnused(Operation *op) {
  llvm::DenseMap<Operation *, bool> known;
  return isUnused(op, known);
}

bool DeadCode::isUnused(Operation *op, llvm::DenseMap<Operation *, bool> &known) {
  auto [entry, isNew] = known.try_emplace(op, false);
  if (!isNew)
    return entry->second;
  bool unused = isPure(op) && llvm::all_of(op->getUsers(),
                                           [&](Operation *user) { return isUnused(user, known); });
  return known[op] = unused;
}

void DeadCode::erase(ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> worklist(ops.begin(), ops.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isUnused(op))
      continue;
    if (!op->use_empty()) {
      worklist.insert(op);
      for (Operation *user : op->getUsers()) {
        worklist.remove(user);
        worklist.insert(user);
      }
      continue;
    }
    llvm::SetVector<Operation *> sources;
    op->walk([&](Operation *nested) {
      for (Value read : nested->getOperands())
        if (Operation *source = read.getDefiningOp(); source && !op->isAncestor(source))
          sources.insert(source);
    });
    op->erase();
    for (Operation *source : sources)
      worklist.insert(source);
  }
}
