//===- Npy.cpp - NumPy's array format -------------------------------------===//

#include "Runtime/Npz/Npy.h"
#include <algorithm>
#include <charconv>
#include <cstring>

namespace fa_runtime {

static constexpr char kMagic[] = "\x93NUMPY";
static constexpr size_t kMagicBytes = 6;

Expected<size_t> npyHeaderBytes(std::string_view prefix) {
  if (prefix.size() < kNpyPrefixBytes || memcmp(prefix.data(), kMagic, kMagicBytes) != 0)
    return Error{"not a NumPy array: the magic number is missing"};
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(prefix[i])); };
  size_t version = byte(6);
  if (version == 1)
    return 10 + byte(8) + (byte(9) << 8);
  size_t length = byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (version > 3 || version == 0 || length > (1 << 20))
    return Error{"NumPy array format " + std::to_string(version) + " is not known"};
  return 12 + length;
}

namespace {

/// Reads the header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}.
class DictionaryReader {
public:
  explicit DictionaryReader(std::string_view text) : text(text) {}

  bool skip(char c) {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
    if (text.empty() || text[0] != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool quoted(std::string &word) {
    char quote = skip('\'') ? '\'' : skip('"') ? '"' : 0;
    size_t end = quote ? text.find(quote) : std::string_view::npos;
    if (end == std::string_view::npos)
      return false;
    word = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool &value) {
    skip(' ');
    value = text.substr(0, 4) == "True";
    if (!value && text.substr(0, 5) != "False")
      return false;
    text.remove_prefix(value ? 4 : 5);
    return true;
  }
  bool tuple(std::vector<int64_t> &items) {
    if (!skip('('))
      return false;
    while (!skip(')')) {
      int64_t item;
      skip(' ');
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), item);
      if (error != std::errc() || item < 0 || items.size() == 64)
        return false;
      items.push_back(item);
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      skip(',');
    }
    return true;
  }

private:
  std::string_view text;
};

struct Descr {
  const char *name;
  DType dtype;
};
/// Without the byte order. Unsigned integers are the same bits.
constexpr Descr kDescrs[] = {{"b1", DType::Bool}, {"i1", DType::I8},   {"u1", DType::I8},
                             {"i2", DType::I16},  {"u2", DType::I16},  {"i4", DType::I32},
                             {"u4", DType::I32},  {"i8", DType::I64},  {"u8", DType::I64},
                             {"f2", DType::F16},  {"V2", DType::BF16}, {"f4", DType::F32},
                             {"f8", DType::F64}};

DType dtypeOfDescr(std::string_view descr) {
  bool isLittle = !descr.empty() && (descr[0] == '<' || descr[0] == '|' || descr[0] == '=');
  for (const Descr &known : kDescrs)
    if (isLittle && descr.substr(1) == known.name)
      return known.dtype;
  return DType::Invalid;
}

} // namespace

Expected<NpyHeader> parseNpyHeader(std::string_view bytes) {
  Expected<size_t> length = npyHeaderBytes(bytes.substr(0, kNpyPrefixBytes));
  if (!length)
    return length.error();
  NpyHeader header;
  header.headerBytes = *length;
  size_t start = bytes[6] == 1 ? 10 : 12;
  DictionaryReader reader(bytes.substr(start, *length - start));
  std::string key, descr;
  bool isValid = bytes.size() >= *length && reader.skip('{');
  int numFields = 0;
  for (; isValid && !reader.skip('}'); ++numFields) {
    isValid = reader.quoted(key) && reader.skip(':');
    if (isValid && key == "descr")
      isValid = reader.quoted(descr);
    else if (isValid && key == "fortran_order")
      isValid = reader.boolean(header.isFortranOrder);
    else
      isValid = isValid && key == "shape" && reader.tuple(header.shape);
    reader.skip(',');
  }
  if (!isValid || numFields != 3)
    return Error{"the NumPy header is not of the form {'descr': …, 'fortran_order': …, 'shape': …} "
                 "with a plain element type"};
  header.dtype = dtypeOfDescr(descr);
  if (header.dtype == DType::Invalid)
    return Error{"element type '" + descr +
                 "' is not supported; save booleans, little-endian integers or floats, and bf16 as "
                 "uint16 bits"};
  return header;
}

std::string makeNpyHeader(DType dtype, const std::vector<int64_t> &shape) {
  std::string descr;
  if (dtype == DType::BF16)
    descr = "u2";
  for (const Descr &known : kDescrs)
    if (descr.empty() && known.dtype == dtype)
      descr = known.name;
  std::string dictionary = "{'descr': '" + (byteWidth(dtype) == 1 ? "|" + descr : "<" + descr) +
                           "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    dictionary += std::to_string(shape[i]) + (i + 1 < shape.size() ? ", " : "");
  dictionary += shape.size() == 1 ? ",), }" : "), }";
  // The elements begin at a multiple of 64.
  size_t total = (10 + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - 10 - 1, ' ');
  dictionary += '\n';
  std::string header(kMagic, kMagicBytes);
  header += {'\1', '\0', static_cast<char>(dictionary.size() & 255),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

} // namespace fa_runtime
