//===- Instructions.h - What a generation of chips must be able to do -----===//
//
// The emitter is the same for all generations; matrix products and copies into shared
// memory go through this interface, implemented in one folder per generation.
//
//===----------------------------------------------------------------------===//
#ifndef FA_TARGET_GPU_INSTRUCTIONS_H
#define FA_TARGET_GPU_INSTRUCTIONS_H

#include "mlir/IR/Builders.h"

namespace mlir::fa {

class Instructions {
public:
  virtual ~Instructions() = default;

  /// Brings the four 32-bit registers of a row operand (16 rows) into the form that `multiply`
  /// takes; for f32 inputs that are several values each.
  virtual SmallVector<Value> prepareRows(OpBuilder &b, Location loc, Type element,
                                         ArrayRef<Value> registers) const = 0;
  /// The same for the two registers of a column operand (8 columns).
  virtual SmallVector<Value> prepareColumns(OpBuilder &b, Location loc, Type element,
                                            ArrayRef<Value> registers) const = 0;
  /// accumulator (four f32 values) += rows · columns, at the element type's full accuracy.
  virtual void multiply(OpBuilder &b, Location loc, Type element, ArrayRef<Value> rows,
                        ArrayRef<Value> columns, MutableArrayRef<Value> accumulator) const = 0;
  /// The same of registers as they were loaded, whose elements are small integers: at most 1024.
  virtual void multiplyIntegers(OpBuilder &b, Location loc, Type element, ArrayRef<Value> rows,
                                ArrayRef<Value> columns,
                                MutableArrayRef<Value> accumulator) const = 0;
  /// Four 8x8 matrices of 16-bit elements from shared memory, by one row address per lane.
  virtual SmallVector<Value> loadMatrices(OpBuilder &b, Location loc, Value address,
                                          bool transpose) const = 0;

  /// Starts a copy of `bytes` (4, 8 or 16) from global to shared memory; what lies beyond
  /// `validBytes` (i32, null: all) becomes zero.
  virtual void startCopy(OpBuilder &b, Location loc, Value shared, Value global, int64_t bytes,
                         Value validBytes) const = 0;
  /// Ends a group of copies.
  virtual void commitCopies(OpBuilder &b, Location loc) const = 0;
  /// Waits until at most `groups` groups of this thread are in flight.
  virtual void waitForCopies(OpBuilder &b, Location loc, int64_t groups) const = 0;
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_INSTRUCTIONS_H
