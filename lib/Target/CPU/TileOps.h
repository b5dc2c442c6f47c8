//===- TileOps.h - What the CPU passes recognise in a tile program --------===//
#ifndef FA_LIB_TARGET_CPU_TILEOPS_H
#define FA_LIB_TARGET_CPU_TILEOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mlir::fa {

/// Calls `visit` for every loop over row tiles: any `scf.forall`, since a tile program that went
/// through other tools has lost its attributes.
void walkTilePrograms(Operation *root, function_ref<void(scf::ForallOp)> visit);

/// A dot of the tile program: out[d0, d1] += left·right, summed over d2.
struct DotForm {
  /// The input (0 or 1) where that is 0 the dot adds nothing, if there is one.
  std::optional<unsigned> skipsZerosOf;
};

/// Recognises a dot, of tensors or of buffers.
std::optional<DotForm> matchDot(linalg::GenericOp op);

/// True if `op` writes 0 to every element of its output.
bool isZeroFill(linalg::LinalgOp op);

} // namespace mlir::fa

#endif // FA_LIB_TARGET_CPU_TILEOPS_H
