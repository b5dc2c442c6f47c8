// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// IR-NOT: fa.attention

// One near-miss per reason that lies in the products around a softmax; each function gets exactly one remark.

// CHECK: fuse-attention | Category:fa | Function=two_values |{{.*}}the second product has no single value operand
func.func @two_values(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %a: tensor<7xf32>, %b: tensor<7xf32>) -> tensor<3xf32> {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %z1 = arith.constant dense<0.0> : tensor<3xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %a, %b : tensor<3x7xf32>, tensor<7xf32>, tensor<7xf32>) outs(%z1 : tensor<3xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %acc: f32):
    %p1 = arith.mulf %b0, %b1 : f32
    %p2 = arith.mulf %p1, %b2 : f32
    %r0 = arith.addf %acc, %p2 : f32
    linalg.yield %r0 : f32
  } -> tensor<3xf32>
  return %o : tensor<3xf32>
}

// CHECK: fuse-attention | Category:fa | Function=keys_per_query |{{.*}}every query has keys of its own
func.func @keys_per_query(%q: tensor<3x5xf32>, %k: tensor<3x7x5xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (m, n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x5xf32>, tensor<3x7x5xf32>) outs(%zs : tensor<3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p1 = arith.mulf %b0, %b1 : f32
    %r0 = arith.addf %acc, %p1 : f32
    linalg.yield %r0 : f32
  } -> tensor<3x7xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=nine_dimensions |{{.*}}an operand has more than 8 dimensions
func.func @nine_dimensions(%q: tensor<2x2x2x2x2x2x2x2x3x5xf32>, %k: tensor<2x2x2x2x2x2x2x2x7x5xf32>, %v: tensor<2x2x2x2x2x2x2x2x7x4xf32>) -> tensor<2x2x2x2x2x2x2x2x3x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x2x2x2x2x2x2x2x3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x2x2x2x2x2x2x2x3x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, m, n, d) -> (d0, d1, d2, d3, d4, d5, d6, d7, m, d)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, m, n, d) -> (d0, d1, d2, d3, d4, d5, d6, d7, n, d)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, m, n, d) -> (d0, d1, d2, d3, d4, d5, d6, d7, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2x2x2x2x2x2x2x3x5xf32>, tensor<2x2x2x2x2x2x2x2x7x5xf32>) outs(%zs : tensor<2x2x2x2x2x2x2x2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p1 = arith.mulf %b0, %b1 : f32
    %r0 = arith.addf %acc, %p1 : f32
    linalg.yield %r0 : f32
  } -> tensor<2x2x2x2x2x2x2x2x3x7xf32>
  %es = tensor.empty() : tensor<2x2x2x2x2x2x2x2x3x7xf32>
  %p = linalg.softmax dimension(9) ins(%s : tensor<2x2x2x2x2x2x2x2x3x7xf32>) outs(%es : tensor<2x2x2x2x2x2x2x2x3x7xf32>) -> tensor<2x2x2x2x2x2x2x2x3x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, m, e, n) -> (d0, d1, d2, d3, d4, d5, d6, d7, m, n)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, m, e, n) -> (d0, d1, d2, d3, d4, d5, d6, d7, n, e)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, m, e, n) -> (d0, d1, d2, d3, d4, d5, d6, d7, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x2x2x2x2x2x2x2x3x7xf32>, tensor<2x2x2x2x2x2x2x2x7x4xf32>) outs(%zo : tensor<2x2x2x2x2x2x2x2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p1 = arith.mulf %b0, %b1 : f32
    %r0 = arith.addf %acc, %p1 : f32
    linalg.yield %r0 : f32
  } -> tensor<2x2x2x2x2x2x2x2x3x4xf32>
  return %o : tensor<2x2x2x2x2x2x2x2x3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=result_repeats |{{.*}}no operand has one of the dimensions of the result
func.func @result_repeats(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4x6xf32> {
  %z = arith.constant dense<0.0> : tensor<3x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%z : tensor<3x7xf32>) -> tensor<3x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %z1 = arith.constant dense<0.0> : tensor<3x4x6xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, e, x, n) -> (m, n)>, affine_map<(m, e, x, n) -> (n, e)>, affine_map<(m, e, x, n) -> (m, e, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%z1 : tensor<3x4x6xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p1 = arith.mulf %b0, %b1 : f32
    %r0 = arith.addf %acc, %p1 : f32
    linalg.yield %r0 : f32
  } -> tensor<3x4x6xf32>
  return %o : tensor<3x4x6xf32>
}

// CHECK: fuse-attention | Category:fa | Function=sum_repeats |{{.*}}a sum runs over a dimension that no operand has
func.func @sum_repeats(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %shape: tensor<6xf32>) -> tensor<3x4xf32> {
  %z = arith.constant dense<0.0> : tensor<3x7xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, d, n, r) -> (m, d)>, affine_map<(m, d, n, r) -> (d, n)>, affine_map<(m, d, n, r) -> (r)>, affine_map<(m, d, n, r) -> (m, n)>], iterator_types = ["parallel", "reduction", "parallel", "reduction"]}
      ins(%q, %k, %shape : tensor<3x5xf32>, tensor<5x7xf32>, tensor<6xf32>) outs(%z : tensor<3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<3x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%g : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %z1 = arith.constant dense<0.0> : tensor<3x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%z1 : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=divided_by_3_and_4 |{{.*}}operands divide a dimension in ways that do not fit together
func.func @divided_by_3_and_4(%q: tensor<3x4x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %bias: tensor<4x3x7xf32>) -> tensor<12x4xf32> {
  %r = tensor.collapse_shape %q [[0, 1], [2]] : tensor<3x4x5xf32> into tensor<12x5xf32>
  %z = arith.constant dense<0.0> : tensor<12x7xf32>
  %s = linalg.matmul ins(%r, %k : tensor<12x5xf32>, tensor<5x7xf32>) outs(%z : tensor<12x7xf32>) -> tensor<12x7xf32>
  %r1 = tensor.collapse_shape %bias [[0, 1], [2]] : tensor<4x3x7xf32> into tensor<12x7xf32>
  %x = arith.addf %s, %r1 : tensor<12x7xf32>
  %e = tensor.empty() : tensor<12x7xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<12x7xf32>) outs(%e : tensor<12x7xf32>) -> tensor<12x7xf32>
  %z2 = arith.constant dense<0.0> : tensor<12x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x7xf32>, tensor<7x4xf32>) outs(%z2 : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=many_dimensions |{{.*}}there are more than 64 loop dimensions
func.func @many_dimensions(%q: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>, %k: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>, %v: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<1048576x1048576xf32> {
  %r = tensor.collapse_shape %q [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19], [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]] : tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32> into tensor<1048576x1048576xf32>
  %r1 = tensor.collapse_shape %k [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19], [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]] : tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32> into tensor<1048576x1048576xf32>
  %r2 = tensor.collapse_shape %v [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19], [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]] : tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32> into tensor<1048576x1048576xf32>
  %z = arith.constant dense<0.0> : tensor<1048576x1048576xf32>
  %s = linalg.matmul ins(%r, %r1 : tensor<1048576x1048576xf32>, tensor<1048576x1048576xf32>) outs(%z : tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
  %e = tensor.empty() : tensor<1048576x1048576xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<1048576x1048576xf32>) outs(%e : tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
  %o = linalg.matmul ins(%p, %r2 : tensor<1048576x1048576xf32>, tensor<1048576x1048576xf32>) outs(%z : tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
  return %o : tensor<1048576x1048576xf32>
}

// CHECK: fuse-attention | Category:fa | Function=unrelated_size |{{.*}}operands divide a dimension whose size is not known
func.func @unrelated_size(%q: tensor<?x4x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %rows: index) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty(%rows) : tensor<?x7xf32>
  %eo = tensor.empty(%rows) : tensor<?x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x7xf32>) -> tensor<?x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = tensor.collapse_shape %q [[0, 1], [2]] : tensor<?x4x5xf32> into tensor<?x5xf32>
  %s = linalg.matmul ins(%r, %k : tensor<?x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<?x7xf32>) -> tensor<?x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x7xf32>) outs(%es : tensor<?x7xf32>) -> tensor<?x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}
