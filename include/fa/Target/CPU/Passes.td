#ifndef FA_TARGET_CPU_PASSES_TD
#define FA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseSchedule : Pass<"fa-choose-schedule"> {
  let summary = "Writes #fa.schedule on attention for a CPU, or by the FlashAttention rule.";
  let description = [{
    Enters: `fa.attention`, `fa.attention_backward`; ops that have a schedule keep it.
    Leaves: the same ops with `#fa.schedule`. With `tile`, those sizes. With policy `flash`,
            Bc = M/4d keys and Br = min(M/4d, d) query rows, where M is the machine's fast memory in
            elements of the query and d the larger of head and value dim: four such blocks fit.
            With policy `default`, what is fastest on the machine.
    Fails:  on an unknown machine or policy, `tile` that is not `MxN`, policy `default` for a GPU
            (its own pass chooses), policy `flash` where the head dim is not static.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"host\"", "row of the machine table">,
    Option<"policy", "policy", "std::string", "\"default\"", "default or flash">,
    Option<"tile", "tile", "std::string", "\"\"", "query rows x keys, such as 64x128">,
    Option<"roundUp", "round-up", "bool", "false", "flash: M/4d rounded up, as in the paper">
  ];
}

def SeparateInits : Pass<"fa-cpu-separate-inits"> {
  let summary = "Gives every linalg op an init of its own.";
  let description = [{
    Enters: linalg on tensors, and tile programs, which are left alone.
    Leaves: the same, where no two ops share a `tensor.empty` or a `linalg.fill` as their init, and
            none overwrites an input. Bufferization asks for every pair of writers of one tensor
            whether they disturb each other: a thousand of them take it minutes.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ReuseTiles : Pass<"fa-cpu-reuse-tiles"> {
  let summary = "Lets every tile value be computed in the buffer of the value it replaces.";
  let description = [{
    Enters: tile programs on tensors.
    Leaves: the same values, with destinations such that bufferization needs no buffer per
            iteration: maps overwrite an input that nobody reads again, and what a loop yields is
            computed in, or copied to, the buffer of the value it carries.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def DecomposeSoftmax : Pass<"fa-decompose-softmax"> {
  let summary = "Turns linalg.softmax into the generic ops that it stands for.";
  let description = [{
    Enters: any IR.
    Leaves: no `linalg.softmax`, which has no other lowering upstream.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandClamp : Pass<"fa-expand-clamp"> {
  let summary = "Turns math.clampf into a maximum and a minimum.";
  let description = [{
    Enters: any IR.
    Leaves: no `math.clampf`; `x to [low, high]` is `minimum(maximum(x, low), high)`. Upstream's own expansion,
            in LLVM 22, takes the minimum with `low` and the maximum with `high`.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandCopies : Pass<"fa-cpu-expand-copies"> {
  let summary = "Turns copies between strided buffers into loops.";
  let description = [{
    Enters: bufferized functions.
    Leaves: `memref.copy` only between dense buffers, where it is a memcpy; other copies, which
            would be calls of a run-time library, are `linalg.generic`.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def PlaceBuffers : Pass<"fa-cpu-place-buffers"> {
  let summary = "Moves the buffers of a tile program out of its loops.";
  let description = [{
    Enters: bufferized tile programs: `scf.forall` whose body allocates tile buffers anywhere, or, later,
            `omp.parallel` around such a body.
    Leaves: buffers of static size at the start of that body and freed at its end: with `scf.forall` once
            for a row of tiles, with `omp.parallel` once for a thread. They are on the heap: a
            thread's stack is small, and what is kept for a whole loop costs nothing. Other
            allocations are freed at the end of their block. A buffer that was freed inside a loop
            is freed after it, once. Without `free` nothing is freed: buffer deallocation, which
            takes no IR that frees anything, is to follow.
    Fails:  never.
  }];
  let options = [Option<"free", "free", "bool", "true", "free what the program allocates">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def KeepTilePrograms : Pass<"fa-cpu-keep-tile-programs"> {
  let summary = "Keeps tile programs whose parallel loop runs once.";
  let description = [{
    Enters: tile programs on tensors.
    Leaves: the same, where an `scf.forall` that is known to run once, as for one head, has a bound that
            is a value: canonicalization would drop the loop, and with it what the passes of this
            target work on.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ParallelizeTiles : Pass<"fa-cpu-parallelize-tiles"> {
  let summary = "Decides which tile programs run in parallel.";
  let description = [{
    Enters: bufferized tile programs.
    Leaves: `scf.parallel`, or `scf.for` where the work is known to be too small to wake a thread.
    Fails:  never.
  }];
  let options = [Option<"parallel", "parallel", "bool", "true", "run tile programs on several cores">,
                 Option<"serialWork", "serial-work", "int64_t", "200000",
                        "Scalar operations below which a tile program runs serially">];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PrepareTiles : Pass<"fa-cpu-prepare-tiles"> {
  let summary = "Gives dots operands that vectors can be loaded from.";
  let description = [{
    Enters: tile programs on tensors.
    Leaves: the same, where dots read tiles in the accumulation type: what is loaded is widened, and
            the rows' side copied, by a map; a dot that starts from zeros has the fill next to it.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def LayOutTiles : Pass<"fa-cpu-lay-out-tiles"> {
  let summary = "Lays tiles out with their rows contiguous.";
  let description = [{
    Enters: bufferized tile programs, still in `scf.forall`.
    Leaves: tiles of rows that dots read or write with the rows contiguous, so that a vector holds one
            column for several rows: row maxima and sums need no shuffles.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def VectorizeTiles : Pass<"fa-cpu-vectorize-tiles"> {
  let summary = "Turns the linalg ops of tile programs into loops over vectors.";
  let description = [{
    Enters: bufferized tile programs, still in `scf.forall`.
    Leaves: dots as register-blocked loops of `vector.fma`, maps and row reductions as loops over
            vectors, where a dimension has contiguous elements. Other ops are left to the lowering to
            scalar loops.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandExp : Pass<"fa-cpu-expand-exp"> {
  let summary = "Computes exp of f32 vectors by arithmetic.";
  let description = [{
    Enters: any IR.
    Leaves: `math.exp` on vectors of f32 as a polynomial, within 2 ulp; −inf gives 0, NaN gives NaN,
            results below the smallest normal number are 0. Scalars and f64 are left to libm.
    Fails:  never.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
