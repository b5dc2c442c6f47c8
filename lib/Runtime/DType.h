//===- DType.h - Element types --------------------------------------------===//
#ifndef FA_RUNTIME_DTYPE_H
#define FA_RUNTIME_DTYPE_H

#include <cstdint>
#include <string_view>

namespace fa_runtime {

/// Element types of tensors and scalars. The values are those of FaDType in fa-c/Types.h.
enum class DType : int32_t {
  Invalid = 0,
  Bool = 1, ///< one byte, 0 or 1
  I8 = 2,   ///< signless: also ui8, and so on
  I16 = 3,
  I32 = 4,
  I64 = 5, ///< also index
  F16 = 6,
  BF16 = 7, ///< the upper 16 bits of an f32
  F32 = 8,
  F64 = 9
};

/// Bytes of one element; 0 for Invalid.
constexpr int64_t byteWidth(DType type) {
  switch (type) {
  case DType::Bool:
  case DType::I8:
    return 1;
  case DType::I16:
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::I32:
  case DType::F32:
    return 4;
  case DType::I64:
  case DType::F64:
    return 8;
  case DType::Invalid:
    break;
  }
  return 0;
}

constexpr bool isFloat(DType type) { return type >= DType::F16 && type <= DType::F64; }

inline constexpr std::string_view kDTypeNames[] = {"invalid", "i1",  "i8",   "i16", "i32",
                                                   "i64",     "f16", "bf16", "f32", "f64"};

/// The name that IR uses: "f32", "i1", …
constexpr std::string_view nameOf(DType type) { return kDTypeNames[static_cast<int32_t>(type)]; }

/// The type with that name; Invalid if there is none.
constexpr DType dtypeFromName(std::string_view name) {
  for (int32_t i = 1; i <= static_cast<int32_t>(DType::F64); ++i)
    if (kDTypeNames[i] == name)
      return static_cast<DType>(i);
  return DType::Invalid;
}

} // namespace fa_runtime

#endif // FA_RUNTIME_DTYPE_H
