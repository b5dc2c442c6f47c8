//===- Npz.cpp - NumPy's archive of arrays --------------------------------===//

#include "Runtime/Npz/Npz.h"
#include "Runtime/Npz/Npy.h"
#include "Runtime/WholeFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <unistd.h>

namespace fa_runtime {

/// One call of the library takes at most this much: its sizes are 32 bits.
static constexpr int64_t kPieceBytes = int64_t(1) << 30;

Expected<NpzReader> NpzReader::open(const std::string &path) {
  // The zip library does not say why it could not open a file.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return Error{"cannot open '" + path + "': " + strerror(errno)};
  close(file);
  unzFile handle = unzOpen64(path.c_str());
  if (!handle)
    return Error{"'" + path + "' is not an .npz file: it is no zip archive, or is truncated"};
  NpzReader reader;
  reader.path = path;
  reader.archive = std::shared_ptr<void>(handle, unzClose);
  char name[512];
  for (int status = unzGoToFirstFile(handle); status == UNZ_OK; status = unzGoToNextFile(handle)) {
    if (unzGetCurrentFileInfo64(handle, nullptr, name, sizeof name, nullptr, 0, nullptr, 0))
      return Error{"'" + path + "' is not an .npz file: its directory is damaged"};
    std::string key = name;
    if (key.size() > 4 && key.compare(key.size() - 4, 4, ".npy") == 0)
      reader.names.push_back(key.substr(0, key.size() - 4));
  }
  // Readers do not agree on which of two arrays counts.
  std::vector<std::string> sorted = reader.names;
  std::sort(sorted.begin(), sorted.end());
  auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin != sorted.end())
    return Error{"'" + path + "' holds two arrays '" + *twin + "'"};
  return reader;
}

bool NpzReader::has(const std::string &key) const {
  return std::find(names.begin(), names.end(), key) != names.end();
}

static bool readExactly(unzFile handle, char *out, int64_t bytes) {
  while (bytes > 0) {
    auto piece = static_cast<unsigned>(std::min(bytes, kPieceBytes));
    int count = unzReadCurrentFile(handle, out, piece);
    if (count <= 0)
      return false;
    out += count;
    bytes -= count;
  }
  return true;
}

static Expected<NpyHeader> readHeader(unzFile handle) {
  std::string bytes(kNpyPrefixBytes, '\0');
  if (!readExactly(handle, bytes.data(), kNpyPrefixBytes))
    return Error{"truncated"};
  Expected<size_t> length = npyHeaderBytes(bytes);
  if (!length)
    return length.error();
  if (*length < kNpyPrefixBytes)
    return Error{"the NumPy header is damaged"};
  bytes.resize(*length);
  if (!readExactly(handle, bytes.data() + kNpyPrefixBytes,
                   static_cast<int64_t>(*length - kNpyPrefixBytes)))
    return Error{"truncated"};
  return parseNpyHeader(bytes);
}

/// The array that the archive stands at.
static Expected<Tensor> readCurrent(unzFile handle) {
  unz_file_info64 info;
  if (unzGetCurrentFileInfo64(handle, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    return Error{"the zip directory is damaged"};
  Expected<NpyHeader> header = readHeader(handle);
  if (!header)
    return header.error();
  Expected<int64_t> count = countElements(header->shape, header->dtype);
  if (!count)
    return count.error();
  int64_t bytes = *count * byteWidth(header->dtype);
  // Checked before the memory is taken: a header may claim anything.
  if (info.uncompressed_size - header->headerBytes != static_cast<uint64_t>(bytes))
    return Error{"expected " + std::to_string(bytes) + " bytes of elements, got " +
                 std::to_string(info.uncompressed_size - header->headerBytes)};
  Expected<Tensor> tensor = allocateTensor(header->dtype, header->shape);
  if (!tensor)
    return tensor;
  if (!readExactly(handle, tensor->data, bytes))
    return Error{"truncated, or damaged"};
  if (header->isFortranOrder) {
    std::vector<int64_t> reversed(header->shape.rbegin(), header->shape.rend());
    reversed = denseStrides(reversed);
    tensor->strides.assign(reversed.rbegin(), reversed.rend());
  }
  return tensor;
}

Expected<Tensor> NpzReader::read(const std::string &key) const {
  std::string place = "'" + key + "' in '" + path + "'";
  if (unzLocateFile(archive.get(), (key + ".npy").c_str(), 1) != UNZ_OK) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    return Error{"no array " + place + "; it has " + (list.empty() ? "none" : list)};
  }
  if (unzOpenCurrentFile(archive.get()) != UNZ_OK)
    return Error{place + ": damaged, or compressed in a way that is not known"};
  Expected<Tensor> tensor = readCurrent(archive.get());
  if (unzCloseCurrentFile(archive.get()) != UNZ_OK && tensor)
    return Error{place + ": damaged: the checksum differs"};
  if (!tensor)
    return at(place, tensor.error());
  return tensor;
}

static bool writePieces(zipFile handle, const char *data, int64_t bytes) {
  for (; bytes > 0; bytes -= kPieceBytes, data += kPieceBytes)
    if (zipWriteInFileInZip(handle, data, static_cast<unsigned>(std::min(bytes, kPieceBytes))))
      return false;
  return true;
}

static bool writeArray(zipFile handle, const std::string &key, const Tensor &tensor) {
  zip_fileinfo info = {};
  info.dosDate = (1 << 5 | 1) << 16; // 1980-01-01, so that equal arrays give equal files
  constexpr int kStored = 0, kZip64 = 1;
  if (zipOpenNewFileInZip64(handle, (key + ".npy").c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                            kStored, 0, kZip64) != ZIP_OK)
    return false;
  std::string header = makeNpyHeader(tensor.dtype, tensor.shape);
  bool done = writePieces(handle, header.data(), static_cast<int64_t>(header.size())) &&
              writePieces(handle, tensor.data, tensor.numBytes());
  return zipCloseFileInZip(handle) == ZIP_OK && done;
}

Status writeNpz(const std::string &path,
                const std::vector<std::pair<std::string, Tensor>> &arrays) {
  Expected<PendingFile> file = PendingFile::create(path);
  if (!file)
    return file.error();
  errno = 0;
  zipFile handle = zipOpen64(file->writePath().c_str(), APPEND_STATUS_CREATE);
  bool done = handle != nullptr;
  for (size_t i = 0; done && i < arrays.size(); ++i) {
    Expected<Tensor> dense = makeDense(arrays[i].second);
    if (!dense) {
      zipClose(handle, nullptr);
      return at("cannot write '" + path + "'", dense.error());
    }
    done = writeArray(handle, arrays[i].first, *dense);
  }
  if (handle)
    done = zipClose(handle, nullptr) == ZIP_OK && done;
  if (!done)
    return Error{"cannot write '" + path + "': " + (errno ? strerror(errno) : "write error")};
  return file->commit();
}

} // namespace fa_runtime
