#ifndef FA_DIALECT_ATTENTION_DIALECT_TD
#define FA_DIALECT_ATTENTION_DIALECT_TD

include "mlir/IR/OpBase.td"

def Fa_Dialect : Dialect {
  let name = "fa";
  let cppNamespace = "::mlir::fa";
  let summary = "Attention with a score region, before it becomes loops.";
  let description = [{
    The `fa` dialect holds one idea: softmax attention whose elementwise arithmetic between the two
    products is a region. Everything before it is upstream IR (linalg, tosa, …), everything after it
    is upstream IR too (scf, linalg on tiles, vector, gpu). `docs/Semantics.md` defines the meaning;
    its labels (A1, A2, …) are cited by the verifier's messages and tests.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

class Fa_Op<string mnemonic, list<Trait> traits = []> : Op<Fa_Dialect, mnemonic, traits>;

#endif
