//===- Source.h - From bytes to a verified module -------------------------===//
#ifndef FA_LIB_COMPILER_SOURCE_H
#define FA_LIB_COMPILER_SOURCE_H

#include "fa/Compiler/CompilerError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::fa {

/// Reads a whole file, "-" for stdin.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource(StringRef path);

/// Parses and verifies IR text. `name` stands for the file in messages. Bytecode is refused: its
/// reader is not safe on foreign bytes.
llvm::Expected<OwningOpRef<ModuleOp>> parseSource(MLIRContext *context, StringRef text,
                                                  StringRef name);

/// The function called `function`, or, if that is empty, the module's only public one. It has a
/// body.
llvm::Expected<func::FuncOp> selectFunction(ModuleOp module, StringRef function);

/// Erases every function that `entry` does not need, and makes the others private. Refuses what
/// cannot run: ops of unknown dialects, calls of functions without a body.
llvm::Error isolateFunction(ModuleOp module, func::FuncOp entry);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_SOURCE_H
