//===- fa-opt.cpp - IR to IR ----------------------------------------------===//

#include "fa/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

/// The arguments with `--remarks-filter=fa` and a text format, unless the user chose remarks:
/// what was fused and what was not is worth knowing without being asked for.
static std::vector<char *> addRemarkOptions(int argc, char **argv) {
  static char filter[] = "--remarks-filter=fa.*", format[] = "--remark-format=emitRemark";
  std::vector<char *> arguments(argv, argv + argc);
  bool isChosen = std::any_of(argv, argv + argc, [](const char *argument) {
    return std::string_view(argument).find("-remark") != std::string_view::npos;
  });
  if (!isChosen)
    arguments.insert(arguments.end(), {filter, format});
  return arguments;
}

int main(int argc, char **argv) {
  std::vector<char *> arguments = addRemarkOptions(argc, argv);
  mlir::DialectRegistry registry;
  mlir::fa::registerUpstream(registry);
  mlir::fa::registerDialects(registry);
  mlir::registerAllPasses();
  mlir::fa::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(int(arguments.size()), arguments.data(),
                                                  "fa-mlir optimizer driver\n", registry));
}
