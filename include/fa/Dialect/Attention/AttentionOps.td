#ifndef FA_DIALECT_ATTENTION_OPS_TD
#define FA_DIALECT_ATTENTION_OPS_TD

include "fa/Dialect/Attention/AttentionAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Fa_FloatTensor : TensorRankOf<[AnyFloat], [0, 1, 2, 3, 4, 5, 6, 7, 8]>;

def Fa_AttentionOp : Fa_Op<"attention", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, AttrSizedResultSegments, SingleBlock,
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

  let extraClassDeclaration = [{
    /// Number of loop dimensions.
    unsigned getNumLoops() { return getRoles().getValue().size(); }
    DimRole getRole(unsigned dim) { return getRoles().getValue()[dim]; }
    /// The loop dimensions with the given role, in loop order.
    SmallVector<unsigned> getDims(DimRole role);
    /// The loop dimensions that the regions get an index for: batch, query and key, in loop order.
    SmallVector<unsigned> getIndexedDims();

    AffineMap getMap(unsigned position);
    AffineMap getQueryMap() { return getMap(0); }
    AffineMap getKeyMap() { return getMap(1); }
    AffineMap getValueMap() { return getMap(2); }
    AffineMap getExtraMap(unsigned extra) { return getMap(3 + extra); }
    /// The map of the sink; only with a sink.
    AffineMap getSinkMap() { return getMap(3 + getExtras().size()); }
    /// The map of result `index` among the results that are present.
    AffineMap getResultMap(unsigned index) { return getMap(getNumOperands() + index); }

    /// The accumulation type A: f32, or f64.
    FloatType getAccumulationType();
    bool hasProbabilityRegion() { return !getProbability().empty(); }
    /// The static size of a loop dimension, or ShapedType::kDynamic.
    int64_t getStaticLoopSize(unsigned dim);
    /// The size of a loop dimension as a constant or a `tensor.dim`, created at `builder`.
    OpFoldResult getLoopSize(OpBuilder &builder, Location loc, unsigned dim);
  }];
}

def Fa_YieldOp : Fa_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"AttentionOp">]> {
  let summary = "Ends a score or probability region with the value it computes.";
  let description = "Example: `fa.yield %score : f32`";
  let arguments = (ins AnyFloat:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
