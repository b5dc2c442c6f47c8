//===- StripAttributes.cpp - fa-strip-attributes --------------------------===//

#include "fa/Tile/Passes.h"
#include "mlir/IR/Operation.h"

namespace mlir::fa {
#define GEN_PASS_DEF_STRIPATTRIBUTES
#include "fa/Tile/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct StripAttributes : fa::impl::StripAttributesBase<StripAttributes> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      SmallVector<StringAttr> names;
      for (NamedAttribute attribute : op->getDiscardableAttrs())
        if (attribute.getName().strref().starts_with("fa."))
          names.push_back(attribute.getName());
      for (StringAttr name : names)
        op->removeDiscardableAttr(name);
    });
  }
};
} // namespace
