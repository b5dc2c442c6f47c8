#ifndef FA_TARGET_CPU_PASSES_TD
#define FA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseSchedule : Pass<"fa-choose-schedule"> {
  let summary = "Writes #fa.schedule on attention for a CPU, or by the FlashAttention rule.";
  let description = [{
    Enters: `fa.attention`; ops that have a schedule keep it.
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

#endif
