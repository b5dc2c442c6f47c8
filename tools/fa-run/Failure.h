//===- Failure.h - Exit codes and how fa-run gives up ---------------------===//
#ifndef FA_RUN_FAILURE_H
#define FA_RUN_FAILURE_H

#include "Runtime/Expected.h"
#include <string>
#include <utility>

namespace fa_run {

enum ExitCode : int {
  kDone = 0,
  kValuesDiffer = 1,
  kBadInput = 2, ///< usage, or input that cannot be read or does not fit
  kRefused = 3   ///< fine input that cannot be run here; the reason is printed
};

/// Thrown to end the program with one line on stderr.
struct Failure {
  ExitCode code;
  std::string text;
};

/// The value, or the end of the program.
template <typename T> T valueOrFail(fa_runtime::Expected<T> value, ExitCode code) {
  if (!value)
    throw Failure{code, value.error().text};
  return std::move(*value);
}

inline void failUnless(const fa_runtime::Status &status, ExitCode code) {
  if (!status)
    throw Failure{code, status.error().text};
}

} // namespace fa_run

#endif // FA_RUN_FAILURE_H
