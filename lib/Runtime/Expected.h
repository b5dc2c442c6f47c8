//===- Expected.h - A value, or one line that says why not ----------------===//
//
// The runtime is used from programs without exceptions, so failures are values.
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_EXPECTED_H
#define FA_RUNTIME_EXPECTED_H

#include <string>
#include <utility>
#include <variant>

namespace fa_runtime {

/// One line: what failed, where, what was expected and found, the way out. Lower case, no period.
struct Error {
  std::string text;
};

/// The same error, with the place where it happened in front.
inline Error at(const std::string &place, const Error &error) {
  return Error{place + ": " + error.text};
}

/// A `T`, or the reason why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  Expected(Error error) : content(std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  /// The value; only when there is one.
  T &operator*() { return *std::get_if<0>(&content); }
  const T &operator*() const { return *std::get_if<0>(&content); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }
  /// The error; only when there is no value.
  const Error &error() const { return *std::get_if<1>(&content); }

private:
  std::variant<T, Error> content;
};

/// Success, or the reason of the failure.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failed(true), reason(std::move(error)) {}

  /// True on success.
  explicit operator bool() const { return !failed; }
  const Error &error() const { return reason; }

private:
  bool failed = false;
  Error reason;
};

} // namespace fa_runtime

#endif // FA_RUNTIME_EXPECTED_H
