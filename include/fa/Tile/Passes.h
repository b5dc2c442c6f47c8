//===- Passes.h - From fa.attention to the tile program -------------------===//
#ifndef FA_TILE_PASSES_H
#define FA_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fa {

/// On the forall of a tile program: the name of the fused region, "function.index" (string).
inline constexpr StringLiteral kRegionAttrName = "fa.region";
/// On a loop over key tiles: "full" if every tile is whole and the analysed mask has no effect in
/// it, else "partial" (string).
inline constexpr StringLiteral kRangeAttrName = "fa.range";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Tile/Passes.h.inc"

} // namespace mlir::fa

#endif // FA_TILE_PASSES_H
