//===- fa-compile.cpp - IR to artifacts and objects -----------------------===//

#include "CommandLine.h"
#include "Runtime/WholeFile.h"
#include "fa/Machine/Machine.h"
#include "fa/Registration.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fa;

/// Prints an error and gives its exit code.
static int fail(llvm::Error error) {
  auto [status, text] = takeStatusAndText(std::move(error));
  llvm::errs() << "error: " << text << "\n";
  return status;
}

static llvm::Error writeOutput(const std::string &path, StringRef bytes) {
  if (path == "-") {
    llvm::outs() << bytes;
    llvm::outs().flush();
    std::error_code error = llvm::outs().error();
    llvm::outs().clear_error();
    return error ? inputError("cannot write to stdout: " + error.message())
                 : llvm::Error::success();
  }
  fa_runtime::Status status = fa_runtime::writeWholeFile(path, std::string_view(bytes));
  return status ? llvm::Error::success() : inputError(status.error().text);
}

/// "model.o" -> "model.h", "model" -> "model.h"
static std::string getHeaderPath(StringRef output) {
  SmallString<128> path(output);
  llvm::sys::path::replace_extension(path, ".h");
  return path == output ? (output + ".h").str() : std::string(path);
}

int main(int argc, char **argv) {
  fa_runtime::removePendingFilesOnSignals();
  auto line = parseCommandLine(ArrayRef<const char *>(argv + 1, argc - 1));
  if (!line)
    return fail(line.takeError());
  if (line->wantsHelp || line->wantsMachines) {
    llvm::outs() << (line->wantsHelp ? getHelp() : listMachines());
    return 0;
  }
  DialectRegistry registry;
  registerUpstream(registry);
  registerDialects(registry);
  registerPasses();
  auto output = compileFile(registry, line->request);
  if (!output)
    return fail(output.takeError());
  if (!output->header.empty() && line->output != "-")
    if (llvm::Error error = writeOutput(getHeaderPath(line->output), output->header))
      return fail(std::move(error));
  if (llvm::Error error = writeOutput(line->output, output->bytes))
    return fail(std::move(error));
  return 0;
}
