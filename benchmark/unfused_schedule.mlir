// How an MLIR user would compile attention without fusing it: every op tiled, vectorised and
// parallel over heads and row tiles. Ops are found by the attribute `kind`.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %products = transform.structured.match ops{["linalg.generic"]} attributes{kind = "product"} in %root
        : (!transform.any_op) -> !transform.any_op
    %rows, %0 = transform.structured.tile_using_forall %products tile_sizes [1, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %blocks, %1:3 = transform.structured.tile_using_for %rows tile_sizes [0, 8, 32, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %maps = transform.structured.match ops{["linalg.generic"]} attributes{kind = "map"} in %root
        : (!transform.any_op) -> !transform.any_op
    %mapRows, %2 = transform.structured.tile_using_forall %maps tile_sizes [1, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %mapBlocks, %3:2 = transform.structured.tile_using_for %mapRows tile_sizes [0, 1, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %reductions = transform.structured.match ops{["linalg.generic"]} attributes{kind = "reduction"} in %root
        : (!transform.any_op) -> !transform.any_op
    %reductionRows, %4 = transform.structured.tile_using_forall %reductions tile_sizes [1, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %reductionBlocks, %5:2 = transform.structured.tile_using_for %reductionRows tile_sizes [0, 1, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %blocks : !transform.any_op
    transform.structured.vectorize %mapBlocks : !transform.any_op
    transform.structured.vectorize %reductionBlocks : !transform.any_op
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
