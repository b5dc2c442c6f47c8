//===- KernelParameters.h - What a kernel asks its caller for -------------===//
#ifndef FA_TARGET_GPU_KERNELPARAMETERS_H
#define FA_TARGET_GPU_KERNELPARAMETERS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {

/// One parameter: a tensor's address, one of its sizes or strides, or a scalar argument. Tensors
/// are numbered as in the artifact: arguments first, then results.
struct KernelParameter {
  enum class Kind : uint8_t {
    Pointer, ///< a global address
    Dim,     ///< i32: sizes are at most kMaxDimSize
    Stride,  ///< i64, in elements
    Scalar   ///< in the argument's own type
  };
  Kind kind;
  unsigned operand;
  unsigned dim = 0;

  bool operator==(const KernelParameter &other) const {
    return kind == other.kind && operand == other.operand && dim == other.dim;
  }
};

/// What the kernel needs of a tensor beyond its type.
struct TensorRule {
  /// The address and the strides of all but the last dim are multiples of this many bytes.
  int64_t alignment = 1;
  /// The last dim has stride 1.
  bool isInnerContiguous = true;
};

/// The parameters in order, as they came up during emission.
struct KernelParameters {
  SmallVector<KernelParameter> list;
  SmallVector<Value> values;
  llvm::MapVector<unsigned, TensorRule> rules;
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_KERNELPARAMETERS_H
