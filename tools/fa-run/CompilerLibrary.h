//===- CompilerLibrary.h - libFaCompiler.so, loaded when IR is given ------===//
#ifndef FA_RUN_COMPILERLIBRARY_H
#define FA_RUN_COMPILERLIBRARY_H

#include "fa-c/Compiler.h"
#include <string>

namespace fa_run {

/// The functions of fa-c/Compiler.h, by their names there.
struct CompilerLibrary {
#define FA_COMPILER_FUNCTION(name) decltype(&::name) name = nullptr;
#include "compiler_functions.def"

  /// Loads the library once; it stays. It is looked for in ../lib of the program's folder, then
  /// where the system's loader looks. Throws Failure.
  static const CompilerLibrary &get();
};

} // namespace fa_run

#endif // FA_RUN_COMPILERLIBRARY_H
