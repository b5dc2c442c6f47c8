//===- CommandLine.h - The arguments of fa-compile ------------------------===//
#ifndef FA_TOOLS_FA_COMPILE_COMMANDLINE_H
#define FA_TOOLS_FA_COMPILE_COMMANDLINE_H

#include "fa/Compiler/CompileFile.h"

namespace mlir::fa {

/// What the user asked for.
struct CommandLine {
  bool wantsHelp = false;
  bool wantsMachines = false;
  std::string output; ///< "-": stdout
  CompileRequest request;
};

/// Reads the arguments after the program's name; an error names the argument.
llvm::Expected<CommandLine> parseCommandLine(ArrayRef<const char *> arguments);

/// The text of --help.
std::string getHelp();

} // namespace mlir::fa

#endif // FA_TOOLS_FA_COMPILE_COMMANDLINE_H
