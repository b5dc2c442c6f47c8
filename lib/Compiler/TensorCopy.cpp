//===- TensorCopy.cpp -----------------------------------------------------===//

#include "TensorCopy.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::fa;

void Descriptor::setData(void *data) {
  words[0] = words[1] = reinterpret_cast<int64_t>(data);
  words[2] = 0;
}

static std::string describeShape(const FaTensor &tensor) {
  std::string text = "[";
  for (int32_t i = 0; i < tensor.rank; ++i)
    text += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  return text + "]";
}

static std::string describeShape(ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + (dim < 0 ? std::string("?") : std::to_string(dim));
  return text + "]";
}

/// Whether the number of elements, and so every offset in a dense copy, fits into 62 bits.
static bool hasRepresentableSize(const FaTensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    if (llvm::MulOverflow(count, std::max<int64_t>(tensor.shape[i], 1), count))
      return false;
  return count < (int64_t(1) << 59);
}

static int64_t countElements(const FaTensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    count *= tensor.shape[i];
  return count;
}

llvm::Error mlir::fa::checkTensor(const FaTensor &tensor, const ValueType &type) {
  auto given = static_cast<FaDType>(tensor.dtype);
  if (given != type.dtype)
    return inputError(type.name + ": expected elements of type " + getName(type.dtype) + ", got " +
                      getName(given));
  if (tensor.rank != static_cast<int64_t>(type.dims.size()))
    return inputError(type.name + ": expected rank " + Twine(type.dims.size()) + " " +
                      describeShape(type.dims) + ", got rank " + Twine(tensor.rank));
  for (auto [i, dim] : llvm::enumerate(type.dims))
    if (tensor.shape[i] < 0 || (dim >= 0 && tensor.shape[i] != dim))
      return inputError(type.name + ": expected shape " + describeShape(type.dims) + ", got " +
                        describeShape(tensor));
  if (!hasRepresentableSize(tensor))
    return inputError(type.name + ": shape " + describeShape(tensor) + " is too large");
  if (!tensor.data && countElements(tensor) != 0)
    return inputError(type.name + ": has no data");
  return llvm::Error::success();
}

static int64_t getStride(const FaTensor &tensor, int32_t dim) {
  if (tensor.strides)
    return tensor.strides[dim];
  int64_t stride = 1;
  for (int32_t i = dim + 1; i < tensor.rank; ++i)
    stride *= tensor.shape[i];
  return stride;
}

static bool isDense(const FaTensor &tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor.rank - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && getStride(tensor, i) != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

static double widenFloat(const char *element, FaDType dtype) {
  if (dtype == FA_DTYPE_F64 || dtype == FA_DTYPE_F32) {
    float single;
    double wide;
    if (dtype == FA_DTYPE_F64)
      return std::memcpy(&wide, element, sizeof(wide)), wide;
    return std::memcpy(&single, element, sizeof(single)), single;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  const auto &semantics =
      dtype == FA_DTYPE_BF16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Copies one element, and makes it what compiled code expects: a boolean is 0 or 1.
static void copyElement(char *to, const char *from, FaDType dtype, bool widen) {
  if (widen) {
    double value = widenFloat(from, dtype);
    std::memcpy(to, &value, sizeof(value));
  } else if (dtype == FA_DTYPE_BOOL) {
    *to = *from != 0;
  } else {
    std::memcpy(to, from, getByteSize(dtype));
  }
}

/// Calls `visit` with the offset, in elements, of every element in row-major order.
template <typename Visit>
static void forEachOffset(int64_t rank, const int64_t *shape, const int64_t *strides, Visit visit) {
  SmallVector<int64_t, 8> index(rank, 0);
  int64_t offset = 0;
  while (true) {
    visit(offset);
    int64_t dim = rank - 1;
    for (; dim >= 0; --dim) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= shape[dim] * strides[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

Descriptor mlir::fa::passArgument(const FaTensor &tensor, const ValueType &type, bool widen,
                                  std::unique_ptr<char[]> &storage) {
  widen = widen && isFloat(type.dtype) && type.dtype != FA_DTYPE_F64;
  Descriptor descriptor(tensor.rank);
  int64_t stride = 1;
  for (int64_t i = tensor.rank - 1; i >= 0; --i) {
    descriptor.size(i) = tensor.shape[i];
    descriptor.stride(i) = stride;
    stride *= tensor.shape[i];
  }
  int64_t count = countElements(tensor);
  if (!widen && type.dtype != FA_DTYPE_BOOL && isDense(tensor) && count) {
    descriptor.setData(tensor.data);
    return descriptor;
  }
  int64_t fromSize = getByteSize(type.dtype), toSize = widen ? sizeof(double) : fromSize;
  storage = std::make_unique<char[]>(std::max<int64_t>(count, 1) * toSize);
  descriptor.setData(storage.get());
  if (count == 0)
    return descriptor;
  SmallVector<int64_t, 8> strides;
  for (int32_t i = 0; i < tensor.rank; ++i)
    strides.push_back(getStride(tensor, i));
  char *to = storage.get();
  const char *from = static_cast<const char *>(tensor.data);
  forEachOffset(tensor.rank, tensor.shape, strides.data(), [&](int64_t offset) {
    copyElement(to, from + offset * fromSize, type.dtype, widen);
    to += toSize;
  });
  return descriptor;
}

llvm::Expected<FaTensor> mlir::fa::takeResult(Descriptor &descriptor, FaDType dtype, int64_t rank) {
  for (int64_t i = 0; i < rank; ++i)
    if (descriptor.size(i) < 0)
      return refusal("dimension " + Twine(i) + " of a result would be " +
                     Twine(descriptor.size(i)));
  auto *shape = static_cast<int64_t *>(std::malloc((2 * rank + 1) * sizeof(int64_t)));
  int64_t *strides = shape + rank;
  int64_t count = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    shape[i] = descriptor.size(i);
    strides[i] = count;
    count *= shape[i];
  }
  int64_t size = getByteSize(dtype);
  auto *data = static_cast<char *>(std::malloc(std::max<int64_t>(count * size, 1)));
  if (!data) {
    std::free(shape);
    return refusal("out of memory: a result takes " + Twine(count * size) + " bytes");
  }
  const char *from = static_cast<char *>(descriptor.getData()) + descriptor.getOffset() * size;
  if (count) {
    const int64_t *fromStrides = descriptor.getWords() + 3 + rank;
    char *to = data;
    if (isDense({data, dtype, static_cast<int32_t>(rank), shape, fromStrides}))
      std::memcpy(to, from, count * size);
    else
      forEachOffset(rank, shape, fromStrides, [&](int64_t offset) {
        std::memcpy(to, from + offset * size, size);
        to += size;
      });
  }
  return FaTensor{data, dtype, static_cast<int32_t>(rank), shape, strides};
}

void mlir::fa::freeTensor(FaTensor &tensor) {
  std::free(tensor.data);
  std::free(const_cast<int64_t *>(tensor.shape)); // the strides lie in the same block
  tensor = {};
}
