#ifndef FA_DIALECT_ATTENTION_INTERFACES_TD
#define FA_DIALECT_ATTENTION_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Fa_AttentionInterface : OpInterface<"AttentionInterface"> {
  let cppNamespace = "::mlir::fa";
  let description = [{
    What `fa.attention` and its gradient have in common: roles of loop dimensions, an indexing map per
    operand, a score and a probability region. Operands begin with query, key, value, extras, sink.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::Value", "getQuery">,
    InterfaceMethod<"", "::mlir::Value", "getKey">,
    InterfaceMethod<"", "::mlir::Value", "getValue">,
    InterfaceMethod<"", "::mlir::OperandRange", "getExtras">,
    InterfaceMethod<"The sink, or null.", "::mlir::Value", "getSink">,
    InterfaceMethod<"", "::mlir::fa::RolesAttr", "getRoles">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getMaps">,
    InterfaceMethod<"", "::mlir::Region &", "getScore">,
    InterfaceMethod<"", "::mlir::Region &", "getProbability">,
    InterfaceMethod<"The schedule, or null.", "::mlir::fa::ScheduleAttr", "getScheduleAttr">,
    InterfaceMethod<"", "void", "setScheduleAttr", (ins "::mlir::fa::ScheduleAttr":$schedule)>,
    InterfaceMethod<"The map of result `index` among the results that are present.",
                    "::mlir::AffineMap", "getResultMap", (ins "unsigned":$index)>
  ];
  let extraSharedClassDeclaration = [{
    /// Number of loop dimensions.
    unsigned getNumLoops() { return $_op.getRoles().getValue().size(); }
    DimRole getRole(unsigned dim) { return $_op.getRoles().getValue()[dim]; }
    /// The loop dimensions with the given role, in loop order.
    SmallVector<unsigned> getDims(DimRole role) { return $_op.getRoles().getDims(role); }
    /// The loop dimensions that the regions get an index for: batch, query and key, in loop order.
    SmallVector<unsigned> getIndexedDims() { return $_op.getRoles().getIndexedDims(); }

    AffineMap getMap(unsigned position) {
      return ::llvm::cast<AffineMapAttr>($_op.getMaps()[position]).getValue();
    }
    AffineMap getQueryMap() { return $_op.getMap(0); }
    AffineMap getKeyMap() { return $_op.getMap(1); }
    AffineMap getValueMap() { return $_op.getMap(2); }
    AffineMap getExtraMap(unsigned extra) { return $_op.getMap(3 + extra); }
    /// The map of the sink; only with a sink.
    AffineMap getSinkMap() { return $_op.getMap(3 + $_op.getExtras().size()); }

    /// The accumulation type A: f32, or f64.
    FloatType getAccumulationType() {
      return ::llvm::cast<FloatType>($_op.getScore().getArgument(0).getType());
    }
    bool hasProbabilityRegion() { return !$_op.getProbability().empty(); }
    /// The static size of a loop dimension, or ShapedType::kDynamic.
    int64_t getStaticLoopSize(unsigned dim) {
      return detail::getStaticLoopSize($_op.getOperation(), dim);
    }
    /// The size of a loop dimension as a constant or a `tensor.dim`, created at `builder`.
    OpFoldResult getLoopSize(OpBuilder &builder, Location loc, unsigned dim) {
      return detail::getLoopSize($_op.getOperation(), builder, loc, dim);
    }
  }];
}

#endif
