//===- Sm80Instructions.h - mma.sync and cp.async -------------------------===//
#ifndef FA_TARGET_GPU_SM80_SM80INSTRUCTIONS_H
#define FA_TARGET_GPU_SM80_SM80INSTRUCTIONS_H

#include "Target/GPU/Instructions.h"

namespace mlir::fa {

/// mma.sync.m16n8k16 (f16, bf16) and 3xTF32 by m16n8k8 (f32); ldmatrix; cp.async.
class Sm80Instructions : public Instructions {
public:
  SmallVector<Value> prepareRows(OpBuilder &b, Location loc, Type element,
                                 ArrayRef<Value> registers) const override;
  SmallVector<Value> prepareColumns(OpBuilder &b, Location loc, Type element,
                                    ArrayRef<Value> registers) const override;
  void multiply(OpBuilder &b, Location loc, Type element, ArrayRef<Value> rows,
                ArrayRef<Value> columns, MutableArrayRef<Value> accumulator) const override;
  void multiplyIntegers(OpBuilder &b, Location loc, Type element, ArrayRef<Value> rows,
                        ArrayRef<Value> columns, MutableArrayRef<Value> accumulator) const override;
  SmallVector<Value> loadMatrices(OpBuilder &b, Location loc, Value address,
                                  bool transpose) const override;
  void startCopy(OpBuilder &b, Location loc, Value shared, Value global, int64_t bytes,
                 Value validBytes) const override;
  void commitCopies(OpBuilder &b, Location loc) const override;
  void waitForCopies(OpBuilder &b, Location loc, int64_t groups) const override;
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_SM80_SM80INSTRUCTIONS_H
