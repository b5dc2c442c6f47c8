//===- WholeFile.h - Files that are read and written as a whole -----------===//
#ifndef FA_RUNTIME_WHOLEFILE_H
#define FA_RUNTIME_WHOLEFILE_H

#include "Runtime/Expected.h"
#include <atomic>
#include <string>
#include <string_view>

namespace fa_runtime {

/// Everything in the file; "-" is standard input. A pipe works too.
Expected<std::string> readWholeFile(const std::string &path);

/// A file that is written under another name and takes its own when it is complete: afterwards
/// `path` holds either what it held before or all of the new content, also after a crash or on a
/// full disk. What was not committed is removed. A device or pipe, such as /dev/null, is written
/// directly; a link keeps being one, and the file that it names is replaced.
class PendingFile {
public:
  /// Creates the file; an error if that cannot be done.
  static Expected<PendingFile> create(const std::string &path);
  PendingFile(PendingFile &&other) noexcept;
  PendingFile &operator=(PendingFile &&) = delete;
  ~PendingFile();

  /// Where to write.
  const std::string &writePath() const { return temporary; }
  /// Gives the file its name; once, after the last write.
  Status commit();

private:
  PendingFile(std::string path, std::string temporary);
  std::string path, temporary;
  bool isPending;
  std::atomic<bool> *slot = nullptr; ///< what a signal handler knows of the file
};

/// From now on SIGINT, SIGTERM and SIGHUP remove what is pending before they end the process. For
/// the start of a program; signals that are ignored stay so.
void removePendingFilesOnSignals();

/// Writes all of `bytes` as a PendingFile.
Status writeWholeFile(const std::string &path, std::string_view bytes);

} // namespace fa_runtime

#endif // FA_RUNTIME_WHOLEFILE_H
