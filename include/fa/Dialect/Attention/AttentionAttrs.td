#ifndef FA_DIALECT_ATTENTION_ATTRS_TD
#define FA_DIALECT_ATTENTION_ATTRS_TD

include "fa/Dialect/Attention/AttentionDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Fa_DimRole : I32Enum<"DimRole", "what a loop dimension of attention ranges over", [
    I32EnumCase<"batch", 0>,
    I32EnumCase<"query", 1>,
    I32EnumCase<"key", 2>,
    I32EnumCase<"head_dim", 3>,
    I32EnumCase<"value_dim", 4>]> {
  let cppNamespace = "::mlir::fa";
}

def Fa_RolesAttr : AttrDef<Fa_Dialect, "Roles"> {
  let mnemonic = "roles";
  let summary = "The role of every loop dimension of an attention op.";
  let description = [{
    One role per dimension of the indexing maps, in the order of the dimensions:

    - `batch`: a batch or head dimension: in the output, never summed.
    - `query`: a row of the scores (m).
    - `key`: a column of the scores (n); the softmax and the second product sum over it.
    - `head_dim`: summed in the first product (d).
    - `value_dim`: a column of V and of the output (e).

    A role may belong to several dimensions, as in `query` = (group, position).

    Example: `#fa.roles<batch, query, key, head_dim, value_dim>`
  }];
  let parameters = (ins ArrayRefParameter<"DimRole">:$value);
  let extraClassDeclaration = [{
    /// The loop dimensions with the given role, in loop order.
    SmallVector<unsigned> getDims(DimRole role) const;
    /// The loop dimensions that are batch, query or key dimensions, in loop order.
    SmallVector<unsigned> getIndexedDims() const;
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Fa_EmptyRows : I32Enum<"EmptyRows", "the result of a query row that no key counts for", [
    I32EnumCase<"zero", 0>,
    I32EnumCase<"nan", 1>]> {
  let cppNamespace = "::mlir::fa";
}

def Fa_EmptyRowsAttr : EnumAttr<Fa_Dialect, Fa_EmptyRows, "empty_rows"> {
  let assemblyFormat = "`<` $value `>`";
}

def Fa_ScheduleAttr : AttrDef<Fa_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How an attention op is tiled and run.";
  let description = [{
    Written by a choose-schedule pass from the machine's facts, or by hand; only read afterwards.

    - `query_tile`: query rows per tile (Br).
    - `key_tile`: keys per tile (Bc).
    - `stages`: key/value tiles in flight in fast memory; 0 leaves it to the target.
    - `warps`: warps per block on a GPU; 0 leaves it to the target.

    Example: `#fa.schedule<query_tile = 64, key_tile = 128, stages = 2, warps = 4>`
  }];
  let parameters = (ins
    "int64_t":$query_tile,
    "int64_t":$key_tile,
    DefaultValuedParameter<"int64_t", "0">:$stages,
    DefaultValuedParameter<"int64_t", "0">:$warps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
