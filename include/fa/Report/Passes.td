#ifndef FA_REPORT_PASSES_TD
#define FA_REPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReportAttention : Pass<"fa-report", "ModuleOp"> {
  let summary = "Writes a roofline report: one block per attention region.";
  let description = [{
    Enters: any IR. If it has no `fa.attention`, attention is found on a copy first.
    Leaves: the same IR; the report goes to stderr, or to `output`.
    Fails:  on an unknown machine, format or rate, a `dims` that is not ROLE:SIZE, or an `output`
            that cannot be written.

    With B, M, N, D, E the products of the batch, query, key, head and value dims:

    - FLOPs: 2·B·M·N·(D + E), the two products, masked scores included.
    - unfused bytes: the scores and the probabilities are written once and read once each, in the
      query's type (4·B·M·N elements); every operand is read and every result written once.
    - fused bytes: every operand is read and every result written once.
    - intensity: FLOPs over bytes. Above the machine's balance (peak rate over bandwidth) compute is
      the bound, below it memory; the attainable rate is the smaller of the peak and
      intensity · bandwidth, the attainable time follows.
    - phase: `decode` for a single query row or a handful of them against more keys (one position,
      perhaps a group of heads), `prefill` with at least as many queries as keys, `chunked prefill`
      between.

    Sizes that the IR leaves to run time are unknown unless `dims` gives them by role.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"host\"",
           "chip or card, e.g. host, a100, h100, h200, b200">,
    Option<"format", "format", "std::string", "\"text\"", "text or json">,
    Option<"output", "output", "std::string", "\"-\"", "file to write; - is stderr">,
    Option<"rate", "rate", "std::string", "\"dense\"",
           "which peak of the machine to compare with: dense, or sparse (2:4) as data sheets quote">,
    ListOption<"dims", "dims", "std::string",
               "ROLE:SIZE for dims of unknown size, e.g. batch:1,query:1,key:4096">
  ];
}

#endif
