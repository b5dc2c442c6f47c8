//===- CompilerError.cpp --------------------------------------------------===//

#include "fa/Compiler/CompilerError.h"
#include <algorithm>

using namespace mlir::fa;

char CompilerError::ID = 0;

llvm::Error mlir::fa::inputError(const llvm::Twine &text) {
  return llvm::make_error<CompilerError>(FA_STATUS_INPUT, text.str());
}

llvm::Error mlir::fa::refusal(const llvm::Twine &text) {
  return llvm::make_error<CompilerError>(FA_STATUS_REFUSED, text.str());
}

std::pair<FaStatus, std::string> mlir::fa::takeStatusAndText(llvm::Error error) {
  std::pair<FaStatus, std::string> result(FA_STATUS_OK, "");
  llvm::handleAllErrors(
      std::move(error), [&](const CompilerError &e) { result = {e.getStatus(), e.getText()}; },
      [&](const llvm::ErrorInfoBase &e) { result = {FA_STATUS_REFUSED, e.message()}; });
  std::replace(result.second.begin(), result.second.end(), '\n', ' ');
  return result;
}
