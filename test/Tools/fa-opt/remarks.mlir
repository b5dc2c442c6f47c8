// Remarks of category fa are shown without asking; mlir-opt's options filter, redirect and format them.
//
// RUN: fa-opt %s --fuse-attention=to=op -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: fa-opt %s --fuse-attention=to=op --remarks-filter-missed=fa -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: fa-opt %s --fuse-attention=to=op --remarks-filter=other -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: fa-opt %s --fuse-attention=to=op --remarks-filter=fa --remark-policy=all --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: llvm-remarkutil count --parser=yaml --count-by=remark-name --group-by=function %t.yaml | FileCheck %s --check-prefix=COUNT
// RUN: fa-opt %s --fuse-attention=to=op --remarks-filter=fa --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT

// DEFAULT-DAG: remark: [Passed] fuse-attention | Category:fa | Function=fused | Remark="fused attention: batch 1, queries 4, keys 6, head dim 8, value dim 2, f32"
// DEFAULT-DAG: remark: [Missed] fuse-attention | Category:fa | Function=kept
// MISSED-NOT: Function=fused
// MISSED: Function=kept
// MISSED-NOT: Function=fused
// NONE-NOT: remark
// YAML-DAG: Function: fused
// YAML-DAG: Function: kept
// COUNT: fused,1
// COUNT: kept,1
func.func @fused(%q: tensor<1x4x8xf32>, %k: tensor<1x8x6xf32>, %v: tensor<1x6x2xf32>) -> tensor<1x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<1x4x8xf32>, tensor<1x8x6xf32>) outs(%z : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<1x4x6xf32>) outs(%e : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %oe = tensor.empty() : tensor<1x4x2xf32>
  %oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<1x4x6xf32>, tensor<1x6x2xf32>) outs(%oz : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  return %o : tensor<1x4x2xf32>
}

// The softmax is over the queries.
func.func @kept(%q: tensor<1x4x8xf32>, %k: tensor<1x8x6xf32>, %v: tensor<1x6x2xf32>) -> tensor<1x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<1x4x8xf32>, tensor<1x8x6xf32>) outs(%z : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<1x4x6xf32>) outs(%e : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %oe = tensor.empty() : tensor<1x4x2xf32>
  %oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<1x4x6xf32>, tensor<1x6x2xf32>) outs(%oz : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  return %o : tensor<1x4x2xf32>
}
