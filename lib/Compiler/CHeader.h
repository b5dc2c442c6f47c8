//===- CHeader.h - How C calls a compiled function ------------------------===//
#ifndef FA_LIB_COMPILER_CHEADER_H
#define FA_LIB_COMPILER_CHEADER_H

#include "Signature.h"

namespace mlir::fa {

/// The C name of a compiled function: `fa_` in front, so that a function `main` can be linked, and
/// `_` for every character that C does not allow.
std::string getCName(StringRef function);

/// A header that declares the function and tells who owns what.
std::string writeCHeader(StringRef function, const Signature &signature);

} // namespace mlir::fa

#endif // FA_LIB_COMPILER_CHEADER_H
