//===- MetadataReader.h - Checked access to an artifact's metadata --------===//
#ifndef FA_RUNTIME_ARTIFACT_METADATAREADER_H
#define FA_RUNTIME_ARTIFACT_METADATAREADER_H

#include "Runtime/Artifact/Artifact.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace fa_runtime {

/// Reads typed fields out of JSON. The first thing that is wrong is kept with its path; after it,
/// every call returns a default, so that callers need no checks of their own.
class MetadataReader {
public:
  using json = nlohmann::json;

  /// What expressions may name: the operands in scope, by number.
  struct Operand {
    bool isScalar;
    DType dtype;
    int32_t rank;
  };
  std::vector<Operand> scope;

  bool failed() const { return !firstError.empty(); }
  Error error() const { return Error{firstError}; }
  void fail(const std::string &what);

  const json &field(const json &object, const char *key);
  int64_t integer(const json &value, int64_t min, int64_t max);
  int64_t integer(const json &object, const char *key, int64_t min, int64_t max);
  bool flag(const json &object, const char *key);
  std::string text(const json &object, const char *key);
  DType dtype(const json &object, const char *key);
  Expr expr(const json &value);
  Expr expr(const json &object, const char *key) {
    Step step(*this, key);
    return expr(field(object, key));
  }
  /// The tensor (or scalar) of the scope that `key` numbers.
  int32_t operand(const json &object, const char *key, bool isScalar);

  /// The index of the field's value in `names`.
  template <size_t N>
  int choice(const json &object, const char *key, const char *const (&names)[N]) {
    std::string word = text(object, key);
    for (size_t i = 0; i < N; ++i)
      if (word == names[i])
        return static_cast<int>(i);
    Step step(*this, key);
    fail("unknown word '" + word + "'");
    return 0;
  }

  /// The list `key`, every item read by `read(item)`.
  template <typename Read>
  auto list(const json &object, const char *key, size_t minSize, size_t maxSize, Read read) {
    std::vector<decltype(read(object))> items;
    Step step(*this, key);
    const json &array = field(object, key);
    if (!failed() && (!array.is_array() || array.size() < minSize || array.size() > maxSize))
      fail("expected a list of " + std::to_string(minSize) + " to " + std::to_string(maxSize));
    for (size_t i = 0; !failed() && i < array.size(); ++i) {
      path.back().second = static_cast<int64_t>(i);
      items.push_back(read(array[i]));
    }
    return items;
  }
  std::vector<Expr> exprs(const json &object, const char *key, size_t min, size_t max) {
    return list(object, key, min, max, [&](const json &item) { return expr(item); });
  }
  std::vector<int64_t> integers(const json &object, const char *key, size_t minSize, size_t maxSize,
                                int64_t min, int64_t max) {
    return list(object, key, minSize, maxSize,
                [&](const json &item) { return integer(item, min, max); });
  }

private:
  /// One step into the metadata, for the path in an error.
  struct Step {
    MetadataReader &reader;
    Step(MetadataReader &reader, const char *key) : reader(reader) {
      reader.path.push_back({key, -1});
    }
    ~Step() { reader.path.pop_back(); }
  };
  void leaf(const json &value, Expr &expr);

  std::vector<std::pair<const char *, int64_t>> path;
  std::string firstError;
};

} // namespace fa_runtime

#endif // FA_RUNTIME_ARTIFACT_METADATAREADER_H
