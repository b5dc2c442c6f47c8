// RUN: fa-opt %s --fuse-attention="to=op require=9" 2>/dev/null | FileCheck %s

// CHECK: #[[PERMUTED:map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d3)>

// Sizes differ wherever they can, so that a dimension taken for another shows.

// CHECK-LABEL: @plain
// CHECK: fa.attention query(%arg0) key(%arg1) value(%arg2)
// CHECK-NOT: linalg.softmax
func.func @plain(%q: tensor<2x3x5xf32>, %k: tensor<2x5x7xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x3x7xf32>
  %eo = tensor.empty() : tensor<2x3x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x3x5xf32>, tensor<2x5x7xf32>) outs(%zs : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%es : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%zo : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Scales on the query, on the key and on the scores meet in the region; the scaled copies vanish.
// CHECK-LABEL: @scales
// CHECK: fa.attention query(%arg0) key(%arg1) value(%arg2) extras(%arg3)
// CHECK: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %[[C:.*]]: f32):
// CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00
// CHECK: arith.mulf
func.func @scales(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %c: f32) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : tensor<3x5xf32>
  %eq = tensor.empty() : tensor<3x5xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %q2 = arith.mulf %q, %two : tensor<3x5xf32>
  %s = linalg.matmul ins(%q2, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %cs = linalg.fill ins(%c : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %s2 = linalg.mul ins(%cs, %s : tensor<3x7xf32>, tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s2 : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// A causal mask is index arithmetic, wherever it was computed.
// CHECK-LABEL: @causal
// CHECK: fa.attention query(%arg0) key(%arg1) value(%arg2)
// CHECK-NEXT: roles
// CHECK: ^bb0(%{{.*}}: f32, %[[M:.*]]: index, %[[N:.*]]: index):
// CHECK: arith.cmpi sge, %[[M]], %[[N]] : index
func.func @causal(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<7x7xf32>
  %eo = tensor.empty() : tensor<7x4xf32>
  %et = tensor.empty() : tensor<5x7xf32>
  %ei = tensor.empty() : tensor<7x7xi1>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<7x7xf32>) -> tensor<7x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<7x4xf32>) -> tensor<7x4xf32>
  %kt = linalg.transpose ins(%k : tensor<7x5xf32>) outs(%et : tensor<5x7xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<7x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %keep = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<7x7xi1>) {
  ^bb0(%o: i1):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %mi = arith.index_cast %m : index to i32
    %ni = arith.index_cast %n : index to i32
    %c = arith.cmpi sge, %mi, %ni : i32
    linalg.yield %c : i1
  } -> tensor<7x7xi1>
  %inf = linalg.fill ins(%ninf : f32) outs(%es : tensor<7x7xf32>) -> tensor<7x7xf32>
  %s2 = arith.select %keep, %s, %inf : tensor<7x7xi1>, tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%s2 : tensor<7x7xf32>) outs(%es : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

// Grouped queries: the expanded copies of K and V are not read.
// CHECK-LABEL: @grouped
// CHECK: %[[Q:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<2x3x4x5xf32>
// CHECK: fa.attention query(%[[Q]]) key(%arg1) value(%arg2)
// CHECK-NEXT: roles <batch, query, query, key, head_dim, value_dim>
// CHECK-NOT: linalg.broadcast
func.func @grouped(%q: tensor<6x4x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x5xf32>) -> tensor<6x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %eb = tensor.empty() : tensor<2x3x7x5xf32>
  %es = tensor.empty() : tensor<6x4x7xf32>
  %eo = tensor.empty() : tensor<6x4x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x4x7xf32>) -> tensor<6x4x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x7x5xf32>) outs(%eb : tensor<2x3x7x5xf32>) dimensions = [1]
  %vb = linalg.broadcast ins(%v : tensor<2x7x5xf32>) outs(%eb : tensor<2x3x7x5xf32>) dimensions = [1]
  %kc = tensor.collapse_shape %kb [[0, 1], [2], [3]] : tensor<2x3x7x5xf32> into tensor<6x7x5xf32>
  %vc = tensor.collapse_shape %vb [[0, 1], [2], [3]] : tensor<2x3x7x5xf32> into tensor<6x7x5xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>] ins(%q, %kc : tensor<6x4x5xf32>, tensor<6x7x5xf32>) outs(%zs : tensor<6x4x7xf32>) -> tensor<6x4x7xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<6x4x7xf32>) outs(%es : tensor<6x4x7xf32>) -> tensor<6x4x7xf32>
  %o = linalg.batch_matmul ins(%p, %vc : tensor<6x4x7xf32>, tensor<6x7x5xf32>) outs(%zo : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  return %o : tensor<6x4x5xf32>
}

// All sizes equal: only the maps tell that K is read with heads and positions exchanged.
// CHECK-LABEL: @permuted_key
// CHECK: fa.attention query(%arg0) key(%arg1)
// CHECK-NEXT: roles <batch, query, key, head_dim, value_dim> maps [#{{.*}}, #[[PERMUTED]], #
func.func @permuted_key(%q: tensor<4x4x4xf32>, %k: tensor<4x4x4xf32>, %v: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x4x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4x4xf32>) outs(%es : tensor<4x4x4xf32>) permutation = [1, 2, 0]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%zs : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x4x4xf32>) outs(%es : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%zs : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %o : tensor<4x4x4xf32>
}

// One query: its dimension of size 1 is still a dimension of queries.
// CHECK-LABEL: @one_query
// CHECK: roles <batch, query, key, head_dim, value_dim>
func.func @one_query(%q: tensor<2x1x5xf32>, %k: tensor<2x5x7xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x1x7xf32>
  %eo = tensor.empty() : tensor<2x1x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1x7xf32>) -> tensor<2x1x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x1x5xf32>, tensor<2x5x7xf32>) outs(%zs : tensor<2x1x7xf32>) -> tensor<2x1x7xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x1x7xf32>) outs(%es : tensor<2x1x7xf32>) -> tensor<2x1x7xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x1x7xf32>, tensor<2x7x4xf32>) outs(%zo : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %o : tensor<2x1x4xf32>
}

// Two products share the weights: both become attention, the weights are gone.
// CHECK-LABEL: @two_values
// CHECK-COUNT-2: fa.attention
// CHECK-NOT: linalg.softmax
func.func @two_values(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %w: tensor<7x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %o2 = linalg.matmul ins(%p, %w : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o, %o2 : tensor<3x4xf32>, tensor<3x4xf32>
}

// A factor along the head dimension belongs to an operand: that one is a copy, all else is read.
// CHECK-LABEL: @scaled_along_head_dim
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%arg0, %arg2 :
// CHECK: fa.attention query(%[[Q]]) key(%arg1) value(%arg3)
func.func @scaled_along_head_dim(%q: tensor<3x5xf32>, %k: tensor<7x5xf32>, %w: tensor<5xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x7xf32>
  %eo = tensor.empty() : tensor<3x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k, %w : tensor<3x5xf32>, tensor<7x5xf32>, tensor<5xf32>) outs(%zs : tensor<3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %ab = arith.mulf %a, %b : f32
    %abc = arith.mulf %ab, %c : f32
    %r = arith.addf %o, %abc : f32
    linalg.yield %r : f32
  } -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
