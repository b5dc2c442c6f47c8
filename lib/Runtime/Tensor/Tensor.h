//===- Tensor.h - Tensors in host memory ----------------------------------===//
#ifndef FA_RUNTIME_TENSOR_TENSOR_H
#define FA_RUNTIME_TENSOR_TENSOR_H

#include "Runtime/DType.h"
#include "Runtime/Expected.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fa_runtime {

/// A tensor in host memory; copies share the elements. A scalar has rank 0.
struct Tensor {
  DType dtype = DType::Invalid;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements
  char *data = nullptr;         ///< the element with all indices 0
  std::shared_ptr<void> owner;  ///< keeps `data` alive

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t numElements() const;
  /// Bytes that the elements take when they lie densely.
  int64_t numBytes() const { return numElements() * byteWidth(dtype); }
  /// True if the elements lie densely in row-major order.
  bool isDense() const;
};

/// Strides of dense row-major order, in elements.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape);

/// The number of elements; an error if it, or their bytes, exceed int64 or a size is negative.
Expected<int64_t> countElements(const std::vector<int64_t> &shape, DType dtype);

/// A dense tensor, 64-byte aligned, elements undefined. An error if there is no memory for it.
Expected<Tensor> allocateTensor(DType dtype, std::vector<int64_t> shape);

/// `tensor` itself if it is dense, else a dense copy.
Expected<Tensor> makeDense(const Tensor &tensor);

/// "2x8x?x64xf16"; -1 prints as "?". A scalar is just "f16".
std::string describeType(const std::vector<int64_t> &shape, DType dtype);

/// Calls `visit(offset)` for every element in row-major order; `offset` in elements from `data`.
template <typename Visit> void forEachElement(const Tensor &tensor, Visit visit) {
  std::vector<int64_t> index(tensor.shape.size(), 0);
  int64_t offset = 0;
  for (int64_t left = tensor.numElements(); left > 0; --left) {
    visit(offset);
    for (size_t axis = index.size(); axis-- > 0;) {
      offset += tensor.strides[axis];
      if (++index[axis] < tensor.shape[axis])
        break;
      offset -= index[axis] * tensor.strides[axis];
      index[axis] = 0;
    }
  }
}

} // namespace fa_runtime

#endif // FA_RUNTIME_TENSOR_TENSOR_H
