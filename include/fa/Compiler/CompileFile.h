//===- CompileFile.h - IR file to artifact, object or text ----------------===//
#ifndef FA_COMPILER_COMPILEFILE_H
#define FA_COMPILER_COMPILEFILE_H

#include "fa/Compiler/CompilerError.h"
#include "mlir/IR/DialectRegistry.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::fa {

/// What fa-compile writes.
enum class Emit {
  Artifact, ///< launch programs of the fused regions, for GPUs
  PTX,      ///< their kernels as PTX text
  Cubin,    ///< their kernels as machine code
  Object,   ///< the function as an object file, for the host
  FA,       ///< IR with attention ops
  Loops,    ///< IR with tiled loop nests, upstream dialects only
  NVVM,     ///< the kernels in the NVVM dialect
  LLVM      ///< the function as LLVM IR, for the host
};

/// "artifact", "ptx", …; nothing for an unknown name.
std::optional<Emit> parseEmit(StringRef name);
/// Every name that `parseEmit` takes, comma-separated.
std::string listEmits();

/// One run of fa-compile.
struct CompileRequest {
  std::string input;                 ///< "-": stdin
  std::string function;              ///< empty: the only public one
  std::vector<std::string> machines; ///< names of the machine table, at least one
  std::optional<Emit> emit;          ///< default: object for the host, artifact for GPUs
  FaRemarkCallback remark = nullptr;
  void *remarkUserData = nullptr;
};

/// What one run produces.
struct CompileOutput {
  std::string bytes;  ///< of the output file
  std::string header; ///< how C calls an object; empty for everything else
};

llvm::Expected<CompileOutput> compileFile(const DialectRegistry &registry,
                                          const CompileRequest &request);

} // namespace mlir::fa

#endif // FA_COMPILER_COMPILEFILE_H
