//===- Signature.h - Types of a function's arguments and results ----------===//
#ifndef FA_LIB_COMPILER_SIGNATURE_H
#define FA_LIB_COMPILER_SIGNATURE_H

#include "fa/Compiler/CompilerError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {

/// One argument or result, with the memory that its FaValueType points to.
struct ValueType {
  FaDType dtype = FA_DTYPE_INVALID;
  SmallVector<int64_t, 4> dims; ///< -1: known at run time
  bool isScalar = false;
  std::string name;
};

/// What a function takes and gives.
struct Signature {
  std::vector<ValueType> arguments;
  std::vector<ValueType> results;
};

/// Bytes of one element.
int64_t getByteSize(FaDType dtype);
/// "f32", "bf16", …
StringRef getName(FaDType dtype);
bool isFloat(FaDType dtype);

/// Reads a function's types; refuses what is neither a ranked tensor nor a scalar of a known type.
llvm::Expected<Signature> readSignature(func::FuncOp function);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_SIGNATURE_H
