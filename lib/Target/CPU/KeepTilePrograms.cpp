//===- KeepTilePrograms.cpp - fa-cpu-keep-tile-programs -------------------===//

#include "TileOps.h"
#include "fa/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::fa {
#define GEN_PASS_DEF_KEEPTILEPROGRAMS
#include "fa/Target/CPU/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// True if the loop is known to run once.
static bool runsOnce(scf::ForallOp program) {
  auto isOne = [](auto bounds) {
    auto [lower, upper, step] = bounds;
    std::optional<int64_t> from = getConstantIntValue(lower), to = getConstantIntValue(upper),
                           by = getConstantIntValue(step);
    return from && to && by && *from < *to && *from + *by >= *to;
  };
  return llvm::all_of(llvm::zip_equal(program.getMixedLowerBound(), program.getMixedUpperBound(),
                                      program.getMixedStep()),
                      isOne);
}

/// Makes the first upper bound a value that nothing can look through before LLVM.
static void hideBound(scf::ForallOp program) {
  SmallVector<int64_t> bounds(program.getStaticUpperBound());
  OpBuilder builder(program);
  Location loc = program.getLoc();
  Value constant =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(bounds.front()));
  Value hidden = UnrealizedConversionCastOp::create(builder, loc, builder.getIndexType(), constant)
                     .getResult(0);
  bounds.front() = ShapedType::kDynamic;
  program.setStaticUpperBound(bounds);
  program.getDynamicUpperBoundMutable().append(hidden);
}

namespace {
struct KeepTilePrograms : fa::impl::KeepTileProgramsBase<KeepTilePrograms> {
  void runOnOperation() override {
    walkTilePrograms(getOperation(), [](scf::ForallOp program) {
      if (program.getRank() > 0 && runsOnce(program))
        hideBound(program);
    });
  }
};
} // namespace
