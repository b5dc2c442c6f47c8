//===- Registration.cpp - The one list of dialects and passes -------------===//
//
// Used by fa-opt, by the plugin and by the compiler library. A stage adds its passes here, in flow
// order.
//
//===----------------------------------------------------------------------===//

#include "fa/Registration.h"
#include "fa/Dialect/Attention/Attention.h"
#include "fa/Differentiate/Passes.h"
#include "fa/Outline/Passes.h"
#include "fa/Pipeline/Pipelines.h"
#include "fa/Raise/Passes.h"
#include "fa/Reference/Passes.h"
#include "fa/Report/Passes.h"
#include "fa/Target/CPU/Passes.h"
#include "fa/Target/GPU/Passes.h"
#include "fa/Tile/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;

void fa::registerUpstream(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
}

void fa::registerDialects(DialectRegistry &registry) { registry.insert<FaDialect>(); }

void fa::registerPasses() {
  registerRaisePasses();
  registerDifferentiatePasses();
  registerTilePasses();
  registerTargetCPUPasses();
  registerCpuPipelines();
  registerReportPasses();
  registerOutlinePasses();
  registerReferencePasses();
  registerTargetGPUPasses();
  registerPipelines();
}
