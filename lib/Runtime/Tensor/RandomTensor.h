//===- RandomTensor.h - Test inputs from a seed ---------------------------===//
#ifndef FA_RUNTIME_TENSOR_RANDOMTENSOR_H
#define FA_RUNTIME_TENSOR_RANDOMTENSOR_H

#include "Runtime/Tensor/Tensor.h"

namespace fa_runtime {

/// A dense tensor of random elements: floats normal (mean 0, deviation 1), booleans true in 3 of 4,
/// integers 0 or 1, which is safe as a mask, a position and an index. The same seed and `stream`
/// (the argument's number) give the same elements anywhere.
Expected<Tensor> randomTensor(DType dtype, std::vector<int64_t> shape, uint64_t seed,
                              uint64_t stream);

} // namespace fa_runtime

#endif // FA_RUNTIME_TENSOR_RANDOMTENSOR_H
