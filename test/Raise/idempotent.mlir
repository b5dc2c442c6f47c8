// A second run finds nothing new, and what is not attention leaves as it came.
// RUN: fa-opt %S/spellings.mlir --fuse-attention=to=op -o %t.once.mlir 2>/dev/null
// RUN: fa-opt %t.once.mlir --fuse-attention=to=op -o %t.twice.mlir 2>/dev/null
// RUN: diff %t.once.mlir %t.twice.mlir
// RUN: fa-opt %s -o %t.before.mlir
// RUN: fa-opt %s --fuse-attention -o %t.after.mlir 2>/dev/null
// RUN: diff %t.before.mlir %t.after.mlir

func.func @feed_forward(%x: tensor<3x5xf32>, %w: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %unused = arith.constant 1.0 : f32
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = linalg.matmul ins(%x, %w : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %e = linalg.exp ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%e, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
