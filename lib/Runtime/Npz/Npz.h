//===- Npz.h - NumPy's archive of arrays ----------------------------------===//
#ifndef FA_RUNTIME_NPZ_NPZ_H
#define FA_RUNTIME_NPZ_NPZ_H

#include "Runtime/Tensor/Tensor.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fa_runtime {

/// An open .npz file, as numpy.savez and numpy.savez_compressed write it. Arrays are read when they
/// are asked for.
class NpzReader {
public:
  static Expected<NpzReader> open(const std::string &path);

  /// The arrays' names, in the file's order, without ".npy".
  const std::vector<std::string> &keys() const { return names; }
  bool has(const std::string &key) const;
  /// Fortran order becomes strides; nothing is copied for it.
  Expected<Tensor> read(const std::string &key) const;

private:
  NpzReader() = default;

  std::string path;
  std::shared_ptr<void> archive;
  std::vector<std::string> names;
};

/// Writes the arrays uncompressed; the file appears whole or not at all.
Status writeNpz(const std::string &path, const std::vector<std::pair<std::string, Tensor>> &arrays);

} // namespace fa_runtime

#endif // FA_RUNTIME_NPZ_NPZ_H
