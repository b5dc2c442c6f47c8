//===- Machine.h - What the compiler needs to know about a machine --------===//
//
// Facts about chips are data: one row per machine, in lib/Machine/Machines.cpp.
// Schedules and the roofline report read rows; nothing else asks which chip it is.
//
//===----------------------------------------------------------------------===//
#ifndef FA_MACHINE_MACHINE_H
#define FA_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::fa {

/// The arithmetic that two products are done in.
enum class Arithmetic { F64, F32, F16, BF16 };

/// "f64", "f32", "f16" or "bf16".
llvm::StringRef stringifyArithmetic(Arithmetic arithmetic);

/// A peak rate, with the words that a report names it by.
struct Rate {
  double flops;          ///< FLOP/s; a multiply-add counts as two
  llvm::StringRef about; ///< e.g. "dense f16 tensor cores"
};

/// One row: a chip on a card. Two cards may have the same chip (h100, h200): they run the same
/// code and differ in bandwidth.
struct Machine {
  llvm::StringRef name;        ///< the chip as LLVM spells it ("sm_90a"), or "host"
  llvm::StringRef card;        ///< "h200"; empty for the host
  llvm::StringRef description; ///< one line for people

  int64_t fastBytes;      ///< fast memory of one block: shared memory, or a core's L2 cache
  int64_t registers;      ///< 32-bit registers of one multiprocessor; 0 for the host
  int32_t processors;     ///< multiprocessors, or cores
  int32_t warpSize;       ///< threads in lockstep; 1 for the host
  int64_t lastLevelBytes; ///< the cache that all processors share
  double clock;           ///< Hz, the one the peak rates are stated at
  double bandwidth;       ///< bytes/s between main memory and the chip

  double peakF64;  ///< FLOP/s, dense
  double peakF32;  ///< FLOP/s, dense, by plain fused multiply-adds
  double peakTF32; ///< FLOP/s, dense; 0 where there is none
  double peakF16;  ///< FLOP/s, dense, f16 and bf16 inputs, f32 sums
  /// How much the vendor's figure with 2:4 structured sparsity is above the dense one; 1 without.
  /// Attention has no such sparsity: it is here because published figures often use it.
  double sparseFactor;

  bool isGPU() const { return warpSize > 1; }

  /// The best dense rate for products of these inputs at their full accuracy: f32 takes three
  /// TF32 products where that is faster than plain multiply-adds.
  Rate getRate(Arithmetic arithmetic) const;
  /// `getRate` with structured sparsity, as data sheets quote it. The same where there is none.
  Rate getSparseRate(Arithmetic arithmetic) const;
  /// The arithmetic intensity, in FLOP per byte, above which compute and no longer memory is the
  /// limit: rate over bandwidth.
  double getBalance(Arithmetic arithmetic) const;

  /// "h200 (sm_90a)", or "host".
  std::string getTitle() const;
};

/// All rows; of several cards with one chip, the chip's default comes first.
llvm::ArrayRef<Machine> getMachines();

/// The row of that chip or card; the first one for a chip. Null if there is none.
const Machine *findMachine(llvm::StringRef name);

/// Every name that `findMachine` takes, comma-separated, for an error message.
std::string listMachineNames();

/// The table as text, one line per row and a heading: what `--list-machines` prints.
std::string listMachines();

} // namespace mlir::fa

#endif // FA_MACHINE_MACHINE_H
