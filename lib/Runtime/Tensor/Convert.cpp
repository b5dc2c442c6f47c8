//===- Convert.cpp - Elements as numbers ----------------------------------===//

#include "Runtime/Tensor/Convert.h"
#include <cmath>
#include <cstring>

namespace fa_runtime {

template <typename To, typename From> static To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return bitCast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent)
    return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  return sign ? -magnitude : magnitude;
}

uint16_t floatToHalf(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) // 65520 and more round to infinity
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: units of 2^-24, rounded to even by nearbyint
    float units = std::nearbyint(std::ldexp(bitCast<float>(magnitude), 24));
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(units));
  }
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112 << 10)));
}

float bfloatToFloat(uint16_t bits) { return bitCast<float>(uint32_t(bits) << 16); }

uint16_t floatToBfloat(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  if (value != value)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename T> static T load(const char *data) {
  T value;
  memcpy(&value, data, sizeof value);
  return value;
}

template <typename T> static void store(char *data, T value) { memcpy(data, &value, sizeof value); }

double loadAsDouble(DType dtype, const char *data) {
  switch (dtype) {
  case DType::Bool:
    return *data != 0;
  case DType::I8:
    return load<int8_t>(data);
  case DType::I16:
    return load<int16_t>(data);
  case DType::I32:
    return load<int32_t>(data);
  case DType::I64:
    return static_cast<double>(load<int64_t>(data));
  case DType::F16:
    return halfToFloat(load<uint16_t>(data));
  case DType::BF16:
    return bfloatToFloat(load<uint16_t>(data));
  case DType::F32:
    return load<float>(data);
  case DType::F64:
    return load<double>(data);
  case DType::Invalid:
    break;
  }
  return 0;
}

void storeDouble(DType dtype, char *data, double value) {
  switch (dtype) {
  case DType::Bool:
    return store<int8_t>(data, value != 0);
  case DType::I8:
    return store(data, static_cast<int8_t>(value));
  case DType::I16:
    return store(data, static_cast<int16_t>(value));
  case DType::I32:
    return store(data, static_cast<int32_t>(value));
  case DType::I64:
    return store(data, static_cast<int64_t>(value));
  case DType::F16:
    return store(data, floatToHalf(static_cast<float>(value)));
  case DType::BF16:
    return store(data, floatToBfloat(static_cast<float>(value)));
  case DType::F32:
    return store(data, static_cast<float>(value));
  case DType::F64:
    return store(data, value);
  case DType::Invalid:
    return;
  }
}

std::vector<double> toDoubles(const Tensor &tensor) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(tensor.numElements()));
  const int64_t width = byteWidth(tensor.dtype);
  forEachElement(tensor, [&](int64_t offset) {
    values.push_back(loadAsDouble(tensor.dtype, tensor.data + offset * width));
  });
  return values;
}

} // namespace fa_runtime
