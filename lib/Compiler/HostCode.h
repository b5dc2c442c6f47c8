//===- HostCode.h - A function as an object file --------------------------===//
#ifndef FA_LIB_COMPILER_HOSTCODE_H
#define FA_LIB_COMPILER_HOSTCODE_H

#include "fa/Compiler/CompileFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class TargetMachine;
}

namespace mlir::fa {

/// A target machine for exactly this CPU. `optLevel` 0…3 as LLVM's -O.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine(int optLevel);

/// Compiles `function`, fused already, for this CPU: an object file, or LLVM IR as text, and the C
/// header that says how to call it.
llvm::Expected<CompileOutput> emitHostCode(ModuleOp module, func::FuncOp function, bool asText);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_HOSTCODE_H
