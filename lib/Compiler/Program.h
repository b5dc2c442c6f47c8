//===- Program.h - One compiled function ----------------------------------===//
#ifndef FA_LIB_COMPILER_PROGRAM_H
#define FA_LIB_COMPILER_PROGRAM_H

#include "Jit.h"
#include "LaunchStubs.h"
#include "Signature.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::fa {

/// A function of a module, compiled for the host, with what the C interface tells about it.
class Program {
public:
  /// Parses `text` and compiles a function of it. `name` stands for the file in messages.
  static llvm::Expected<std::unique_ptr<Program>> compile(const DialectRegistry &registry,
                                                          StringRef text, StringRef name,
                                                          const FaCompileOptions &options);

  /// Runs it; see faProgramRun.
  llvm::Error run(ArrayRef<FaTensor> arguments, MutableArrayRef<FaTensor> results,
                  FaRunOptions &options);

  const std::string &getFunction() const { return function; }
  const Signature &getSignature() const { return signature; }
  /// Types as the caller sees them; they point into this object.
  const std::vector<FaValueType> &getArguments() const { return argumentTypes; }
  const std::vector<FaValueType> &getResults() const { return resultTypes; }
  int32_t getNumRegions() const { return numRegions; }
  /// The launch programs of regions that run elsewhere, in the artifact format.
  const std::string &getArtifact() const { return artifact; }

private:
  explicit Program(const DialectRegistry &registry);
  llvm::Error build(StringRef text, StringRef name, const FaCompileOptions &options);
  llvm::Error fuse(ModuleOp module, func::FuncOp entry, StringRef text,
                   const FaCompileOptions &options);
  void describeTypes();
  llvm::Error checkArguments(ArrayRef<FaTensor> arguments, size_t numResults) const;
  /// The results that descriptors at `words` describe: all, or none and the reason.
  llvm::Error takeResults(const int64_t *words, MutableArrayRef<FaTensor> results) const;
  FaDType getResultDType(const ValueType &type) const;

  MLIRContext context;
  std::string function;
  Signature signature;
  std::vector<FaValueType> argumentTypes, resultTypes;
  Jit jit;
  bool isReference = false;
  int32_t threads = 0;
  int32_t numRegions = 0;
  std::string artifact;
  std::vector<LaunchRegion> regions; ///< those that run elsewhere
};

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_PROGRAM_H
