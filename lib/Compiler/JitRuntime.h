//===- JitRuntime.h - What compiled code calls ----------------------------===//
#ifndef FA_LIB_COMPILER_JITRUNTIME_H
#define FA_LIB_COMPILER_JITRUNTIME_H

#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::fa {

/// Calls `function`, which runs compiled code, so that
/// - all memory that the code allocated is still there when `collect` runs, and gone after it:
///   results may alias arguments, constants or each other;
/// - an assertion of the IR that fails, or memory that cannot be had, ends the run, and its text is
///   returned (else an empty string; `collect` runs only then).
/// One run at a time in a process; others wait.
std::string runCompiledCode(const std::function<void()> &function,
                            const std::function<void()> &collect);

/// The functions that compiled code gets instead of the C library's: malloc, free, aligned_alloc,
/// abort, puts, memrefCopy.
std::vector<std::pair<llvm::StringRef, void *>> getJitSymbols();

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_JITRUNTIME_H
