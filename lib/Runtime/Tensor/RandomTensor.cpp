//===- RandomTensor.cpp - Test inputs from a seed -------------------------===//

#include "Runtime/Tensor/RandomTensor.h"
#include "Runtime/Tensor/Convert.h"
#include <cmath>
#include <random>

namespace fa_runtime {

namespace {

/// The standard's normal_distribution may differ between libraries; this one does not.
class Normal {
public:
  explicit Normal(std::mt19937_64 &bits) : bits(bits) {}

  /// Box-Muller: two uniform numbers give two normal ones.
  double next() {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    double angle = 2 * M_PI * uniform();
    spare = radius * std::sin(angle);
    hasSpare = true;
    return radius * std::cos(angle);
  }

private:
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  std::mt19937_64 &bits;
  double spare = 0;
  bool hasSpare = false;
};

} // namespace

Expected<Tensor> randomTensor(DType dtype, std::vector<int64_t> shape, uint64_t seed,
                              uint64_t stream) {
  Expected<Tensor> tensor = allocateTensor(dtype, std::move(shape));
  if (!tensor)
    return tensor;
  std::mt19937_64 bits(seed * 0x9e3779b97f4a7c15u + stream + 1);
  Normal normal(bits);
  const int64_t width = byteWidth(dtype), count = tensor->numElements();
  for (int64_t i = 0; i < count; ++i) {
    double value = isFloat(dtype)         ? normal.next()
                   : dtype == DType::Bool ? (bits() & 3) != 0
                                          : static_cast<double>(bits() & 1);
    storeDouble(dtype, tensor->data + i * width, value);
  }
  return tensor;
}

} // namespace fa_runtime
