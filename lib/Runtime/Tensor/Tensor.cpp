//===- Tensor.cpp - Tensors in host memory --------------------------------===//

#include "Runtime/Tensor/Tensor.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace fa_runtime {

int64_t Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

bool Tensor::isDense() const {
  if (numElements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}

std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
  return strides;
}

Expected<int64_t> countElements(const std::vector<int64_t> &shape, DType dtype) {
  // Zeros count as ones first, so that [0, 2^62, 2^62] is refused: its strides would overflow.
  int64_t bytes = byteWidth(dtype);
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes))
      return Error{"no tensor can have the shape " + describeType(shape, dtype)};
  bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return isEmpty ? 0 : bytes / byteWidth(dtype);
}

Expected<Tensor> allocateTensor(DType dtype, std::vector<int64_t> shape) {
  Expected<int64_t> count = countElements(shape, dtype);
  if (!count)
    return count.error();
  size_t bytes = static_cast<size_t>(*count * byteWidth(dtype));
  void *data = nullptr;
  if (posix_memalign(&data, 64, std::max<size_t>(bytes, 64)) != 0)
    return Error{"out of memory: " + describeType(shape, dtype) + " takes " +
                 std::to_string(bytes) + " bytes"};
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.strides = denseStrides(shape);
  tensor.shape = std::move(shape);
  tensor.owner = std::shared_ptr<void>(data, free);
  tensor.data = static_cast<char *>(data);
  return tensor;
}

Expected<Tensor> makeDense(const Tensor &tensor) {
  if (tensor.isDense())
    return tensor;
  Expected<Tensor> dense = allocateTensor(tensor.dtype, tensor.shape);
  if (!dense)
    return dense;
  const int64_t width = byteWidth(tensor.dtype);
  char *out = dense->data;
  forEachElement(tensor, [&](int64_t offset) {
    memcpy(out, tensor.data + offset * width, static_cast<size_t>(width));
    out += width;
  });
  return dense;
}

std::string describeType(const std::vector<int64_t> &shape, DType dtype) {
  std::string text;
  for (int64_t size : shape)
    text += (size == -1 ? "?" : std::to_string(size)) + "x";
  return text + std::string(nameOf(dtype));
}

} // namespace fa_runtime
