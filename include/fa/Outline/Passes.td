#ifndef FA_OUTLINE_PASSES_TD
#define FA_OUTLINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OutlineRegions : Pass<"fa-outline", "ModuleOp"> {
  let summary = "Moves every attention op into a function of its own.";
  let description = [{
    Enters: `fa.attention` anywhere in functions.
    Leaves: for each a private function `@F.0`, `@F.1`, …, in the order of the text, that holds the
            op and nothing else; a call in its place. F is `function`, or, without that option, the
            function that the op stands in. Arguments are the op's operands in order, each as often
            as it is used; results are the op's results.
    Fails:  if such a function exists already.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "name that regions are numbered under, wherever they stand">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif
