//===- CompilerError.h - An error with the exit code that goes with it ----===//
#ifndef FA_COMPILER_COMPILERERROR_H
#define FA_COMPILER_COMPILERERROR_H

#include "fa-c/Compiler.h"
#include "llvm/Support/Error.h"

namespace mlir::fa {

/// One line for the user: what, where, and where it helps, the way out.
class CompilerError : public llvm::ErrorInfo<CompilerError> {
public:
  static char ID;
  CompilerError(FaStatus status, std::string text) : status(status), text(std::move(text)) {}

  FaStatus getStatus() const { return status; }
  const std::string &getText() const { return text; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  FaStatus status;
  std::string text;
};

/// The input is unreadable, not valid, or does not fit: exit code 2.
llvm::Error inputError(const llvm::Twine &text);
/// The input is valid, but this compiler cannot take it: exit code 3.
llvm::Error refusal(const llvm::Twine &text);

/// Takes `error` apart; an error of another kind counts as a refusal.
std::pair<FaStatus, std::string> takeStatusAndText(llvm::Error error);

} // namespace mlir::fa

#endif // FA_COMPILER_COMPILERERROR_H
