//===- Convert.h - Elements as numbers ------------------------------------===//
#ifndef FA_RUNTIME_TENSOR_CONVERT_H
#define FA_RUNTIME_TENSOR_CONVERT_H

#include "Runtime/Tensor/Tensor.h"

namespace fa_runtime {

/// IEEE half and bfloat16 to and from f32; to the narrow type rounds to nearest even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

/// The element at `data` as a double. i64 beyond 2^53 is rounded.
double loadAsDouble(DType dtype, const char *data);

/// Rounds `value` to the element type and stores it. Integers are truncated toward zero.
void storeDouble(DType dtype, char *data, double value);

/// All elements in row-major order.
std::vector<double> toDoubles(const Tensor &tensor);

} // namespace fa_runtime

#endif // FA_RUNTIME_TENSOR_CONVERT_H
