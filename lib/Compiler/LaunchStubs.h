//===- LaunchStubs.h - Regions that run elsewhere -------------------------===//
#ifndef FA_LIB_COMPILER_LAUNCHSTUBS_H
#define FA_LIB_COMPILER_LAUNCHSTUBS_H

#include "Signature.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {

/// The function that compiled code calls to run a region: (number of the region, its words). For
/// every input, then for every output, the words are the address and the sizes; all are dense.
inline constexpr llvm::StringLiteral kLaunchName = "fa.launch";

/// A region as its launcher needs it.
struct LaunchRegion {
  std::string name; ///< "F.0"
  Signature signature;
};

/// Replaces the body of each function, which holds one attention op, by a call of `@fa.launch` with
/// memory for the results. The number of a region is its position in `regions`.
llvm::Expected<std::vector<LaunchRegion>> makeLaunchStubs(ModuleOp module,
                                                          ArrayRef<func::FuncOp> regions);

/// Calls the launcher of a run with the tensors that `words` describe. NULL, or the failure.
const char *launchRegion(const LaunchRegion &region, const int64_t *words,
                         const FaRunOptions &options);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_LAUNCHSTUBS_H
