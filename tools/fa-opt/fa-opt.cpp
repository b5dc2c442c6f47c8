//===- fa-opt.cpp - IR to IR ----------------------------------------------===//

#include "fa/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fa::registerUpstream(registry);
  mlir::fa::registerDialects(registry);
  mlir::registerAllPasses();
  mlir::fa::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fa-mlir optimizer driver\n", registry));
}
