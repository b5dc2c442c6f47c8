//===- Operand.h - What an entry is run on --------------------------------===//
#ifndef FA_RUNTIME_LAUNCH_OPERAND_H
#define FA_RUNTIME_LAUNCH_OPERAND_H

#include "Runtime/Artifact/Artifact.h"
#include <array>
#include <optional>
#include <utility>

namespace fa_runtime {

/// A tensor in device memory, or a scalar.
struct Operand {
  DType dtype = DType::Invalid;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides; ///< in elements
  uint64_t address = 0;         ///< of the element with all indices 0
  /// The allocation that it lies in; 0 bytes: not known, not checked.
  uint64_t memoryBegin = 0;
  uint64_t memoryBytes = 0;
  int device = -1; ///< ordinal of the device that holds it; -1: not known, not checked
  bool isScalar = false;
  std::array<char, 8> scalar = {}; ///< its value, in its own type

  static Operand ofScalar(DType dtype, const void *value);
};

/// Lowest and highest byte that the elements touch, relative to the first one, the end exclusive;
/// both 0 without elements. An error if they are beyond int64.
Expected<std::pair<int64_t, int64_t>> byteExtent(const Operand &operand);

/// The operands of an entry as formulas see them: arguments first, then results. Points into
/// `arguments` and `results`.
ExprInputs exprInputs(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                      int64_t sms);

/// The sizes of the results for these arguments.
Expected<std::vector<std::vector<int64_t>>> resultDims(const std::vector<Result> &results,
                                                       const std::vector<Operand> &arguments);

/// Everything that an entry asks of its operands: number, type, rank, sizes, strides, alignment,
/// that the elements lie inside their allocation and on the device, and the entry's own
/// constraints.
Status checkOperands(const std::vector<Argument> &wantedArguments,
                     const std::vector<Result> &wantedResults,
                     const std::vector<Constraint> &constraints,
                     const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                     int device);

/// Only the arguments' types and constraints: what can be said before the results have memory.
Status checkArguments(const std::vector<Argument> &wanted,
                      const std::vector<Constraint> &constraints,
                      const std::vector<Operand> &arguments, int device);

} // namespace fa_runtime

#endif // FA_RUNTIME_LAUNCH_OPERAND_H
