//===- CommandLine.cpp ----------------------------------------------------===//

#include "CommandLine.h"
#include "fa/Machine/Machine.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fa;

std::string mlir::fa::getHelp() {
  return "fa-compile: finds attention in MLIR and compiles it\n"
         "\n"
         "usage: fa-compile FILE --machine=NAME[,NAME] [options] -o OUT\n"
         "       fa-compile --list-machines\n"
         "\n"
         "  FILE              MLIR text in upstream dialects (linalg, TOSA, …); - is stdin\n"
         "  --machine=NAMES   what to compile for: host, or one or more GPUs by chip or card\n"
         "  --function=F      the function; needed only if the module has several public ones\n"
         "  --emit=KIND       what to write; default: object for host, artifact for GPUs\n"
         "      artifact      the fused regions' launch programs, for fa-run and other runtimes\n"
         "      ptx, cubin    the fused regions' kernels (one GPU; cubin: one region, ptxas)\n"
         "      nvvm          the same kernels in MLIR's NVVM dialect\n"
         "      object, llvm  the whole function for the host, as object file or LLVM IR; a C\n"
         "                    header that says how to call it is written next to OUT\n"
         "      fa            the IR with attention ops\n"
         "      loops         the IR with tiled loop nests, upstream dialects only\n"
         "  -o OUT            the output file, - is stdout; written whole or not at all\n"
         "  --list-machines   prints the machine table\n"
         "  --quiet           no remarks about what was fused, and what was not and why\n"
         "\n"
         "examples:\n"
         "  fa-compile model.mlir --machine=h200 -o model.fa\n"
         "  fa-run model.fa --function=main --device=cuda --random\n"
         "  fa-compile model.mlir --machine=host --function=main -o model.o\n"
         "\n"
         "exit codes: 0 done; 2 usage, or unreadable input or output; 3 refused, with the reason\n";
}

static llvm::Error addMachines(StringRef names, CompileRequest &request) {
  for (StringRef name : llvm::split(names, ',')) {
    if (!findMachine(name))
      return inputError("unknown machine '" + name + "'; known are " + listMachineNames());
    request.machines.push_back(name.str());
  }
  return llvm::Error::success();
}

static llvm::Error setEmit(StringRef name, CompileRequest &request) {
  request.emit = parseEmit(name);
  if (request.emit)
    return llvm::Error::success();
  return inputError("unknown --emit=" + name + "; known are " + listEmits());
}

/// Takes one argument, and the one after it where that is its value.
static llvm::Error parseArgument(ArrayRef<const char *> &rest, CommandLine &line) {
  StringRef argument = rest.front();
  rest = rest.drop_front();
  if (argument == "--help" || argument == "-h")
    line.wantsHelp = true;
  else if (argument == "--list-machines")
    line.wantsMachines = true;
  else if (argument == "--quiet")
    line.request.remark = nullptr;
  else if (argument.consume_front("--machine="))
    return addMachines(argument, line.request);
  else if (argument.consume_front("--function="))
    line.request.function = argument.str();
  else if (argument.consume_front("--emit="))
    return setEmit(argument, line.request);
  else if (argument == "-o" && rest.empty())
    return inputError("-o needs a file name");
  else if (argument == "-o") {
    line.output = rest.front();
    rest = rest.drop_front();
  } else if (argument != "-" && argument.starts_with("-"))
    return inputError("unknown option '" + argument + "'; see fa-compile --help");
  else if (!line.request.input.empty())
    return inputError("two input files, '" + line.request.input + "' and '" + argument + "'");
  else
    line.request.input = argument.str();
  return llvm::Error::success();
}

static void printRemark(void *, const char *kind, const char *text) {
  llvm::errs() << "remark: " << kind << ": " << text << "\n";
}

llvm::Expected<CommandLine> mlir::fa::parseCommandLine(ArrayRef<const char *> arguments) {
  CommandLine line;
  line.request.remark = printRemark;
  while (!arguments.empty())
    if (llvm::Error error = parseArgument(arguments, line))
      return std::move(error);
  if (line.wantsHelp || line.wantsMachines)
    return line;
  if (line.request.input.empty())
    return inputError("no input file; see fa-compile --help");
  if (line.request.machines.empty())
    return inputError("no --machine=NAME; known are " + listMachineNames());
  if (line.output.empty())
    return inputError("no -o OUT (- is stdout)");
  return line;
}
