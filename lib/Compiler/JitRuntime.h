//===- JitRuntime.h - What compiled code calls ----------------------------===//
#ifndef FA_LIB_COMPILER_JITRUNTIME_H
#define FA_LIB_COMPILER_JITRUNTIME_H

#include "fa/Compiler/CompilerError.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::fa {

/// Runs region `number`, whose tensors `words` describe (see LaunchStubs.h). NULL, or the failure.
using LaunchFunction = std::function<const char *(int64_t number, const int64_t *words)>;

/// Calls `function`, which runs compiled code, so that
/// - all memory that the code allocated is still there when `collect` runs, and gone after it:
///   results may alias arguments, constants or each other;
/// - an assertion of the IR that fails (an input error), memory that cannot be had or a launch that
///   fails (refusals) end the run; `collect` does not run then.
/// What `collect` returns is returned. Regions that run elsewhere are handed to `launch`.
/// One run at a time in a process; others wait.
llvm::Error runCompiledCode(const std::function<void()> &function,
                            const std::function<llvm::Error()> &collect,
                            const LaunchFunction &launch);

/// The functions that compiled code gets instead of the C library's: malloc, free, aligned_alloc,
/// abort, puts, memrefCopy; and the launch of
/// regions that run elsewhere.
std::vector<std::pair<llvm::StringRef, void *>> getJitSymbols();

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_JITRUNTIME_H
