//===- CommandLine.h - fa-run's options -----------------------------------===//
#ifndef FA_RUN_COMMANDLINE_H
#define FA_RUN_COMMANDLINE_H

#include <cstdint>
#include <optional>
#include <string>

namespace fa_run {

struct Options {
  std::string file;
  std::string function;
  /// Not given: cpu for IR, cuda for an artifact.
  std::optional<bool> isCuda;
  int ordinal = 0; ///< of the GPU
  std::string inputs, output, expect;
  bool isRandom = false;
  uint64_t seed = 0;
  std::string dims;
  std::optional<double> tolerance;
  bool noFuse = false;
  bool verify = false;
  int64_t queryTile = 0, keyTile = 0;
  bool time = false;
  std::optional<double> timeout; ///< seconds
  int64_t repeat = 1;
  std::string machine;
  int threads = 0;
  bool isJson = false;
  bool collectEnv = false;
};

/// Ends the program after --help; throws Failure on wrong usage.
Options parseCommandLine(int argc, char **argv);

} // namespace fa_run

#endif // FA_RUN_COMMANDLINE_H
