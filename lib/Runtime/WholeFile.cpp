//===- WholeFile.cpp - Files that are read and written as a whole ---------===//

#include "Runtime/WholeFile.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

/// What a link names, or the path itself.
static std::string followLinks(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string target = resolved ? resolved : path;
  free(resolved);
  return target;
}

namespace {
/// A temporary file that a signal has to remove: a handler may neither allocate nor wait.
struct PendingName {
  std::atomic<bool> isUsed{false};
  char path[PATH_MAX];
};
PendingName pendingNames[8];
} // namespace

/// Null if there is no room: then the file is left to the next person who looks.
static std::atomic<bool> *announce(const std::string &path) {
  for (PendingName &name : pendingNames)
    if (!name.isUsed && path.size() < sizeof name.path) {
      memcpy(name.path, path.c_str(), path.size() + 1);
      name.isUsed = true;
      return &name.isUsed;
    }
  return nullptr;
}

static void onSignal(int signal) {
  for (PendingName &name : pendingNames)
    if (name.isUsed)
      unlink(name.path);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void removePendingFilesOnSignals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, onSignal) == SIG_IGN)
      std::signal(signal, SIG_IGN);
}

PendingFile::PendingFile(std::string path, std::string temporary)
    : path(std::move(path)), temporary(std::move(temporary)),
      isPending(this->path != this->temporary) {
  if (isPending)
    slot = announce(this->temporary);
}

PendingFile::PendingFile(PendingFile &&other) noexcept
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      isPending(std::exchange(other.isPending, false)), slot(std::exchange(other.slot, nullptr)) {}

PendingFile::~PendingFile() {
  if (isPending)
    unlink(temporary.c_str());
  if (slot)
    *slot = false;
}

Expected<PendingFile> PendingFile::create(const std::string &path) {
  if (isSpecialFile(path)) {
    if (access(path.c_str(), W_OK) != 0)
      return systemError("cannot write", path);
    return PendingFile(path, path);
  }
  std::string target = followLinks(path), temporary = target + ".XXXXXX";
  int file = mkstemp(temporary.data());
  if (file < 0)
    return systemError("cannot write", path);
  // mkstemp gives 0600; a file that a person writes has what the umask leaves of 0666.
  mode_t mask = umask(0);
  umask(mask);
  fchmod(file, 0666 & ~mask);
  close(file);
  return PendingFile(std::move(target), std::move(temporary));
}

Status PendingFile::commit() {
  if (!isPending)
    return {};
  int file = open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  bool done = file >= 0 && fsync(file) == 0 && rename(temporary.c_str(), path.c_str()) == 0;
  Status status = done ? Status() : Status(systemError("cannot write", path));
  if (file >= 0)
    close(file);
  isPending = !done;
  return status;
}

Status writeWholeFile(const std::string &path, std::string_view bytes) {
  Expected<PendingFile> pending = PendingFile::create(path);
  if (!pending)
    return pending.error();
  int file = open(pending->writePath().c_str(), O_WRONLY | O_CLOEXEC);
  bool done = file >= 0 && writeAll(file, bytes);
  Status status = done ? Status() : Status(systemError("cannot write", path));
  if (file >= 0)
    close(file);
  return done ? pending->commit() : status;
}

} // namespace fa_runtime
