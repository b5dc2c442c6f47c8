//===- AssembleCubin.cpp - PTX to machine code, where ptxas is ------------===//

#include "EmitPtx.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using llvm::createStringError;

std::string mlir::fa::findAssembler() {
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  for (StringRef folder : {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/lib/cuda/bin"})
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas", {folder}))
      return *path;
  return {};
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Sums or maximises the number that `pattern` captures over all its matches.
static int64_t collect(StringRef text, StringRef pattern, bool isSum) {
  llvm::Regex regex(pattern);
  SmallVector<StringRef> match;
  int64_t result = 0, number;
  while (regex.match(text, &match)) {
    if (!match[1].getAsInteger(10, number))
      result = isSum ? result + number : std::max(result, number);
    text = text.substr(match[0].end() - text.begin());
  }
  return result;
}

llvm::Expected<fa::AssemblyReport> mlir::fa::assembleCubin(StringRef assembler, StringRef ptx,
                                                           StringRef chip) {
  SmallString<128> source, target, log;
  if (llvm::sys::fs::createTemporaryFile("fa", "ptx", source) ||
      llvm::sys::fs::createTemporaryFile("fa", "cubin", target) ||
      llvm::sys::fs::createTemporaryFile("fa", "log", log))
    return createStringError("cannot create a temporary file to assemble in");
  llvm::FileRemover sourceRemover(source), targetRemover(target), logRemover(log);
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(source, error);
    stream << ptx;
  }
  if (error)
    return createStringError("cannot write " + source + ": " + error.message());
  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {assembler, "-v", arch, source, "-o", target};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log), StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(assembler, arguments, std::nullopt, redirects,
                                         /*SecondsToWait=*/120, /*MemoryLimit=*/0, &message);
  AssemblyReport report;
  report.text = readFile(log);
  if (status != 0)
    return createStringError("the assembler refused the PTX: " + message + report.text);
  report.cubin = readFile(target);
  if (report.cubin.empty())
    return createStringError("the assembler " + assembler + " succeeded but wrote no cubin");
  report.spillBytes = collect(report.text, "([0-9]+) bytes spill", /*isSum=*/true);
  report.registers = collect(report.text, "Used ([0-9]+) registers", /*isSum=*/false);
  report.hasWarnings = StringRef(report.text).contains("warning");
  return report;
}
