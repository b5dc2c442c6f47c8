//===- Npy.h - NumPy's array format ---------------------------------------===//
#ifndef FA_RUNTIME_NPZ_NPY_H
#define FA_RUNTIME_NPZ_NPY_H

#include "Runtime/Tensor/Tensor.h"
#include <string>
#include <string_view>

namespace fa_runtime {

/// What stands in front of an array's elements. NumPy has no bf16: it comes as uint16 bits (I16
/// here) or, from ml_dtypes, as two opaque bytes (BF16 here).
struct NpyHeader {
  DType dtype = DType::Invalid;
  std::vector<int64_t> shape;
  bool isFortranOrder = false;
  size_t headerBytes = 0;
};

/// The bytes that must be there to know how long the header is.
constexpr size_t kNpyPrefixBytes = 12;

/// Length of the header, from its first kNpyPrefixBytes bytes.
Expected<size_t> npyHeaderBytes(std::string_view prefix);

/// `bytes` holds the whole header.
Expected<NpyHeader> parseNpyHeader(std::string_view bytes);

/// Header of a dense row-major array. bf16 is written as uint16, which NumPy can read.
std::string makeNpyHeader(DType dtype, const std::vector<int64_t> &shape);

} // namespace fa_runtime

#endif // FA_RUNTIME_NPZ_NPY_H
