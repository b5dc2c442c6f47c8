#ifndef FA_TARGET_GPU_PASSES_TD
#define FA_TARGET_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanKernels : Pass<"fa-gpu-plan"> {
  let summary = "Decides where every tile of a tile program lives on a GPU.";
  let description = [{
    Enters: tile programs (`scf.forall` over tiles).
    Leaves: the same, with `fa.node` and `fa.place` on every tile op, `fa.chain` on loops whose
            loads form one sequence, and `fa.plan` on the forall: warps, rows of a warp, stages,
            and estimates of registers and shared memory.
    Fails:  on an op that is no node of a tile program, and on a plan that needs more registers or
            shared memory than the machine has.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"a100\"", "chip or card">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block; 0: chosen by the planner">,
    Option<"stages", "stages", "int64_t", "0",
           "tiles of a loop that are in shared memory at once; 0: chosen by the planner">
  ];
}

def EmitKernels : Pass<"fa-gpu-emit", "ModuleOp"> {
  let summary = "Turns tile programs into GPU kernels.";
  let description = [{
    Enters: functions with tile programs (`scf.forall` over tiles).
    Leaves: a `gpu.module` in the LLVM and NVVM dialects in the place of every such function, one
            kernel for each forall; where the function is called, its declaration stays. With
            `ptx`, the PTX is written, too.
    Fails:  as fa-gpu-plan does, and on scalar arithmetic that the chip has no form for.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"a100\"", "chip or card">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block; 0: chosen by the planner">,
    Option<"stages", "stages", "int64_t", "0",
           "tiles of a loop that are in shared memory at once; 0: chosen by the planner">,
    Option<"unaligned", "unaligned", "bool", "false",
           "for operands whose addresses and strides keep no rule">,
    Option<"ptx", "ptx", "std::string", "", "file for the PTX; - is stdout">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ChooseSm80Schedule : Pass<"fa-sm80-choose-schedule"> {
  let summary = "Writes #fa.schedule on fused ops for GPUs with mma.sync.";
  let description = [{
    Enters: fused ops of the fa dialect; those that have a schedule keep it.
    Leaves: the same ops with the first of the schedules for their element type and dims: the
            largest tiles that need no spills. When the planner refuses one, the compiler goes on
            to fewer stages, then smaller key tiles, then smaller query tiles.
    Fails:  on dims of rows of operands that are not static, and on operands other than f16, bf16, f32.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"a100\"", "chip or card">
  ];
}

#endif
