//===- TensorCopy.h - Host tensors in and out of compiled code ------------===//
#ifndef FA_LIB_COMPILER_TENSORCOPY_H
#define FA_LIB_COMPILER_TENSORCOPY_H

#include "Signature.h"
#include <memory>

namespace mlir::fa {

/// A ranked memref descriptor as the LLVM lowering lays it out: two pointers, the offset, sizes,
/// strides; all of them 8-byte words.
class Descriptor {
public:
  explicit Descriptor(int64_t rank) : words(3 + 2 * rank), rank(rank) {}
  /// Reads `getWordCount(rank)` words at `source`.
  Descriptor(const int64_t *source, int64_t rank)
      : words(source, source + getWordCount(rank)), rank(rank) {}

  static int64_t getWordCount(int64_t rank) { return 3 + 2 * rank; }

  void setData(void *data);
  void *getData() const { return reinterpret_cast<void *>(words[1]); }
  int64_t getOffset() const { return words[2]; }
  int64_t &size(int64_t dim) { return words[3 + dim]; }
  int64_t &stride(int64_t dim) { return words[3 + rank + dim]; }
  int64_t *getWords() { return words.data(); }

private:
  SmallVector<int64_t, 12> words;
  int64_t rank;
};

/// Checks a caller's tensor against its type: element type, rank, sizes, data. `what` names it.
llvm::Error checkTensor(const FaTensor &tensor, const ValueType &type);

/// A dense argument for compiled code: the caller's own memory when it is dense and of the right
/// type already, else a copy that `storage` holds. `widen` turns every float into f64.
Descriptor passArgument(const FaTensor &tensor, const ValueType &type, bool widen,
                        std::unique_ptr<char[]> &storage);

/// Copies a buffer that compiled code returned into a dense tensor of its own. Refuses a negative
/// size, which IR can compute, and what does not fit into memory.
llvm::Expected<FaTensor> takeResult(Descriptor &descriptor, FaDType dtype, int64_t rank);

/// Frees what `takeResult` made.
void freeTensor(FaTensor &tensor);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_TENSORCOPY_H
