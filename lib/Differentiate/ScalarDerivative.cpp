//===- ScalarDerivative.cpp - Reverse mode over straight-line code --------===//

#include "fa/Differentiate/ScalarDerivative.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// What a value is computed from, and what of it depends on the inputs.
class ActiveCode {
public:
  ActiveCode(Value result, ValueRange inputs) {
    active.insert(inputs.begin(), inputs.end());
    visit(result);
  }

  bool isActive(Value value) const { return active.contains(value); }
  /// The ops that pass a gradient on, each after those that it reads from.
  ArrayRef<Operation *> getOps() const { return ops; }
  Operation *getUndifferentiable() const { return undifferentiable; }

private:
  void visit(Value value);

  llvm::SmallDenseSet<Value> active, visited;
  SmallVector<Operation *> ops;
  Operation *undifferentiable = nullptr;
};
} // namespace

void ActiveCode::visit(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isActive(value) || !visited.insert(value).second)
    return;
  for (Value operand : op->getOperands())
    visit(operand);
  auto isUsed = [&](Value operand) { return isActive(operand); };
  // A nested region may read anything.
  bool isReached = op->getNumRegions() > 0 || llvm::any_of(op->getOperands(), isUsed);
  if (!isReached || isPiecewiseConstant(op))
    return;
  if (!hasDerivative(op)) {
    if (!undifferentiable)
      undifferentiable = op;
    return;
  }
  active.insert(value);
  ops.push_back(op);
}

Operation *fa::findUndifferentiable(Value result, ValueRange inputs) {
  return ActiveCode(result, inputs).getUndifferentiable();
}

SmallVector<Value> fa::createGradients(OpBuilder &builder, Value result, Value seed,
                                       ValueRange inputs) {
  ActiveCode code(result, inputs);
  assert(!code.getUndifferentiable() && "checked by the caller");
  llvm::SmallDenseMap<Value, Value> gradients = {{result, seed}};
  for (Operation *op : llvm::reverse(code.getOps())) {
    Value factor = gradients.lookup(op->getResult(0));
    if (!factor)
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!code.isActive(operand.get()))
        continue;
      Value product = createProduct(builder, operand, factor);
      if (!product)
        continue;
      Value &sum = gradients[operand.get()];
      sum = sum ? builder.createOrFold<arith::AddFOp>(op->getLoc(), sum, product) : product;
    }
  }
  return llvm::map_to_vector(inputs, [&](Value input) { return gradients.lookup(input); });
}
