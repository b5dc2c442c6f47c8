#ifndef FA_DIALECT_ATTENTION_OPS_TD
#define FA_DIALECT_ATTENTION_OPS_TD

include "fa/Dialect/Attention/AttentionAttrs.td"
include "fa/Dialect/Attention/AttentionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Fa_FloatTensor : TensorRankOf<[AnyFloat], [0, 1, 2, 3, 4, 5, 6, 7, 8]>;

def Fa_AttentionOp : Fa_Op<"attention", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, AttrSizedResultSegments, SingleBlock,
    DeclareOpInterfaceMethods<Fa_AttentionInterface, ["getResultMap"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain",
                              "getTiledImplementation", "getResultTilePosition"]>]> {
  let summary = "Softmax attention with a score region.";
  let description = [{
    With loop dimensions b (batch), m (query), n (key), d (head dim), e (value dim):

    ```
    S[b,m,n]  = Σ_d Q[b,m,d]·K[b,n,d]
    S'        = score(S; b,m,n; extras)
    LSE[b,m]  = ln (Σ_n exp S' + exp sink[b,m])
    P         = exp(S' − LSE)
    P'        = probability(P; b,m,n; extras)
    O[b,m,e]  = Σ_n P'[b,m,n]·V[b,n,e]
    ```

    Sums and region arithmetic happen in the accumulation type A, the type of the region's first
    argument: f64 if an operand is f64, f32 otherwise.

    `roles` names the role of each loop dimension. `maps` has one affine map per operand and
    result over all loop dimensions, in the order query, key, value, extras, sink, output, lse,
    row_max, probabilities: layouts, transposed keys, grouped-query heads (a `query` dimension
    that K and V do not have) and broadcast biases are maps.

    The `score` region gets the score in A, the index of every `batch`, `query` and `key`
    dimension in loop order, and one scalar per extra operand in its own type; it yields the new
    score in A. A masked key is one whose score is −inf. The `probability` region has the same
    arguments, with P first; it must be P times something that does not depend on P.

    `empty_rows` says what a row gets in which every key is masked: `zero` (O is 0), or `nan`,
    what `exp(s − max)/sum` gives without a guard. LSE is −inf, or NaN, accordingly.

    The op can be tiled (TilingInterface) along batch, query and value dims.

    - A1: `maps` has one map per operand and result, each over all `roles`.
    - A2: a map's results are distinct dimensions, or constant 0 at a dimension of size 1.
    - A3: a map's rank is its operand's rank; a scalar operand has a map without results.
    - A4: query: batch, query and head dims only; key: batch, key, head dims; value: batch, key,
      value dims; output: batch, query, value dims; lse, row_max, sink: batch, query dims;
      probabilities: batch, query, key dims; extras: batch, query, key dims.
    - A5: every loop dimension has one size, the same in every operand and result that is indexed
      by it, and at least one operand is; a result has every dim that A4 lets it have.
    - A6: there is a `key` and a `head_dim` dimension.
    - A7: region arguments and yields are as described; regions hold only ops without side effects.
    - A8: lse, row_max and sink have element type A.

    Example:

    ```mlir
    %o = fa.attention query(%q) key(%k) value(%v)
        roles <batch, query, key, head_dim, value_dim>
        maps [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>,
              affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b, m, e)>]
        empty_rows <nan>
        : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) -> tensor<8x?x64xf16>
        score {
    ^bb0(%s: f32, %b: index, %m: index, %n: index):
      %scale = arith.constant 1.250000e-01 : f32
      %ninf = arith.constant 0xFF800000 : f32
      %scaled = arith.mulf %s, %scale : f32
      %keep = arith.cmpi sge, %m, %n : index
      %masked = arith.select %keep, %scaled, %ninf : f32
      fa.yield %masked : f32
    }
    ```
  }];

  let arguments = (ins
    Fa_FloatTensor:$query,
    Fa_FloatTensor:$key,
    Fa_FloatTensor:$value,
    Variadic<AnyType>:$extras,
    Optional<Fa_FloatTensor>:$sink,
    Fa_RolesAttr:$roles,
    AffineMapArrayAttr:$maps,
    Fa_EmptyRowsAttr:$empty_rows,
    OptionalAttr<Fa_ScheduleAttr>:$schedule);
  let results = (outs
    Fa_FloatTensor:$output,
    Optional<Fa_FloatTensor>:$lse,
    Optional<Fa_FloatTensor>:$row_max,
    Optional<Fa_FloatTensor>:$probabilities);
  let regions = (region SizedRegion<1>:$score, AnyRegion:$probability);

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Fa_AttentionBackwardOp : Fa_Op<"attention_backward", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock,
    DeclareOpInterfaceMethods<Fa_AttentionInterface, ["getResultMap"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The gradient of attention, recomputed from its inputs and LSE.";
  let description = [{
    The gradients of a loss L with respect to operands of `fa.attention`, from dO = ∂L/∂O and, if
    the loss depends on it, dLSE = ∂L/∂LSE. `docs/Semantics.md` has the formulas (G1 to G8).

    Operands, roles, maps and regions up to the sink are those of the forward op; then come its
    results `output` and `lse`, and `d_output` and `d_lse`. `maps` has one affine map per operand in
    this order.

    `gradients(…)` lists the operands whose gradients are results: `query`, `key`, `value`,
    `extra 0`, `extra 1`, …, `sink`, any subset in this order. A gradient is indexed by the map of its
    operand and has its shape; the gradient of a scalar is a tensor of rank 0. It is summed over all
    loop dimensions that the map does not have.

    A row in which no key counts has no gradient, whatever its output and LSE are (G3): so there is
    no `empty_rows`.

    - B1: A1 to A7 hold for the operands, of which output and d_output have batch, query and value
      dims, lse and d_lse batch and query dims, all that there are.
    - B2: lse, d_lse and sink have element type A.
    - B3: `gradients` names at least one operand, each once, in order, that the op has.
    - B4: an operand with a gradient has floating-point elements.
    - B5: a gradient has the shape of its operand.

    Example:

    ```mlir
    %dq, %dk, %dv = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
        gradients(query, key, value) roles <batch, query, key, head_dim, value_dim>
        maps [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>,
              affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b, m, e)>,
              affine_map<(b, m, n, d, e) -> (b, m)>, affine_map<(b, m, n, d, e) -> (b, m, e)>]
        : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>,
           tensor<8x?xf32>, tensor<8x?x64xf16>)
          -> (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>)
        score {
    ^bb0(%s: f32, %b: index, %m: index, %n: index):
      fa.yield %s : f32
    }
    ```
  }];

  let arguments = (ins
    Fa_FloatTensor:$query,
    Fa_FloatTensor:$key,
    Fa_FloatTensor:$value,
    Variadic<AnyType>:$extras,
    Optional<Fa_FloatTensor>:$sink,
    Fa_FloatTensor:$output,
    Fa_FloatTensor:$lse,
    Fa_FloatTensor:$d_output,
    Optional<Fa_FloatTensor>:$d_lse,
    DenseI64ArrayAttr:$wrt,
    Fa_RolesAttr:$roles,
    AffineMapArrayAttr:$maps,
    OptionalAttr<Fa_ScheduleAttr>:$schedule);
  let results = (outs Variadic<Fa_FloatTensor>:$gradients);
  let regions = (region SizedRegion<1>:$score, AnyRegion:$probability);

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;

  let extraClassDeclaration = [{
    /// Number of operands that may have a gradient: query, key, value, extras, sink.
    unsigned getNumDifferentiable() { return 3 + getExtras().size() + (getSink() ? 1 : 0); }
    /// The result that is the gradient of operand `number`, or null.
    Value getGradient(unsigned number);
    AffineMap getOutputMap() { return getMap(getNumDifferentiable()); }
    AffineMap getLseMap() { return getMap(getNumDifferentiable() + 1); }
    AffineMap getDOutputMap() { return getMap(getNumDifferentiable() + 2); }
    /// The map of d_lse; only with d_lse.
    AffineMap getDLseMap() { return getMap(getNumDifferentiable() + 3); }
  }];
}

def Fa_YieldOp : Fa_Op<"yield", [Pure, ReturnLike, Terminator, ParentOneOf<["AttentionOp", "AttentionBackwardOp"]>]> {
  let summary = "Ends a score or probability region with the value it computes.";
  let description = "Example: `fa.yield %score : f32`";
  let arguments = (ins AnyFloat:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
