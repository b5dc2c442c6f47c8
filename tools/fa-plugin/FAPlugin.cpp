//===- FAPlugin.cpp - The project's passes in a stock mlir-opt ------------===//
//
//   mlir-opt --load-dialect-plugin=FAPlugin.so --load-pass-plugin=FAPlugin.so
//            --pass-pipeline='builtin.module(fuse-attention{to=op})'
//
// For tools that do not have the fa dialect already: fa-opt refuses it.
//
//===----------------------------------------------------------------------===//

#include "fa/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FAPlugin", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) { mlir::fa::registerDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FAPlugin", LLVM_VERSION_STRING, mlir::fa::registerPasses};
}
