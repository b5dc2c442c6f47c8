//===- fa-opt.cpp - IR to IR ----------------------------------------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<mlir::fa::FaDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fa-mlir optimizer driver\n", registry));
}
