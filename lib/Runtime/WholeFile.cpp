//===- WholeFile.cpp - Files that are read and written as a whole ---------===//

#include "Runtime/WholeFile.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fa_runtime {

static Error systemError(const char *what, const std::string &path) {
  return Error{std::string(what) + " '" + path + "': " + strerror(errno)};
}

Expected<std::string> readWholeFile(const std::string &path) {
  int file = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("cannot open", path);
  std::string bytes;
  struct stat info;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode))
    bytes.reserve(static_cast<size_t>(info.st_size) + 1);
  char buffer[1 << 16];
  ssize_t count;
  while ((count = read(file, buffer, sizeof buffer)) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      Error error = systemError("cannot read", path);
      close(file);
      return error;
    }
    bytes.append(buffer, static_cast<size_t>(count));
  }
  close(file);
  return bytes;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

static bool isSpecialFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

/// Opens an own temporary file in the folder of `path`; its name is left in `temporary`.
static int openBeside(const std::string &path, std::string &temporary) {
  temporary = path + ".XXXXXX";
  int file = mkstemp(temporary.data());
  if (file >= 0) {
    // mkstemp gives 0600; a file that a person writes has what the umask leaves of 0666.
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
  }
  return file;
}

static Status writeSpecialFile(const std::string &path, std::string_view bytes) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("cannot write", path);
  bool done = writeAll(file, bytes);
  Status status = done ? Status() : Status(systemError("cannot write", path));
  close(file);
  return status;
}

Status writeWholeFile(const std::string &path, std::string_view bytes) {
  if (isSpecialFile(path))
    return writeSpecialFile(path, bytes);
  std::string temporary;
  int file = openBeside(path, temporary);
  if (file < 0)
    return systemError("cannot write", path);
  bool done = writeAll(file, bytes) && fsync(file) == 0;
  Status status = done ? Status() : Status(systemError("cannot write", path));
  close(file);
  if (done && rename(temporary.c_str(), path.c_str()) != 0) {
    status = systemError("cannot write", path);
    done = false;
  }
  if (!done)
    unlink(temporary.c_str());
  return status;
}

Status checkWritable(const std::string &path) {
  if (isSpecialFile(path))
    return access(path.c_str(), W_OK) == 0 ? Status() : Status(systemError("cannot write", path));
  std::string temporary;
  int file = openBeside(path, temporary);
  if (file < 0)
    return systemError("cannot write", path);
  close(file);
  unlink(temporary.c_str());
  return {};
}

} // namespace fa_runtime
