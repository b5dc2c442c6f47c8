//===- Roofline.h - Work, traffic and bound of one attention op -----------===//
#ifndef FA_REPORT_ROOFLINE_H
#define FA_REPORT_ROOFLINE_H

#include "fa/Dialect/Attention/Attention.h"
#include "fa/Machine/Machine.h"

#include <optional>

namespace mlir::fa {

/// The sizes assumed for dims that the IR leaves to run time, by role (DimRole is the index).
using AssumedSizes = std::array<std::optional<int64_t>, 5>;

enum class Phase { Prefill, ChunkedPrefill, Decode };
/// "prefill", "chunked prefill" or "decode".
StringRef stringifyPhase(Phase phase);

/// What `fa.attention` asks of a machine; docs of the pass fa-report define each figure.
struct Work {
  double flops;        ///< of the two products
  double unfusedBytes; ///< main memory traffic with the scores in memory
  double fusedBytes;   ///< every operand and result once
  Phase phase;
};

/// One way to run the work, on one machine.
struct Bound {
  double bytes;
  double intensity; ///< FLOP per byte; 0 for work without bytes
  bool isCompute;   ///< else memory
  double rate;      ///< attainable FLOP/s
  double seconds;   ///< attainable
};

/// The size of every loop dim, ShapedType::kDynamic where neither the IR nor `assumed` knows it.
SmallVector<int64_t> getLoopSizes(AttentionOp op, const AssumedSizes &assumed);

/// The work of `op` with the given loop sizes. Nothing if a size is unknown.
std::optional<Work> computeWork(AttentionOp op, ArrayRef<int64_t> loopSizes);

/// The arithmetic of the two products: that of the widest of query, key and value. Types narrower
/// than 16 bits count as f16.
Arithmetic getArithmetic(AttentionOp op);

/// Moves `bytes` and does `flops` at no more than `peak` FLOP/s and `bandwidth` bytes/s.
Bound computeBound(double flops, double bytes, double peak, double bandwidth);

} // namespace mlir::fa

#endif // FA_REPORT_ROOFLINE_H
