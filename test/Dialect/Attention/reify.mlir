// RUN: fa-opt %s --resolve-ranked-shaped-type-result-dims --cse --canonicalize | FileCheck %s

#q = affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>
#k = affine_map<(b, h, m, n, d, e) -> (b, n, 0, d)>
#v = affine_map<(b, h, m, n, d, e) -> (b, n, 0, e)>
#o = affine_map<(b, h, m, n, d, e) -> (0, b, e, m, h)>
#row = affine_map<(b, h, m, n, d, e) -> (h, b, m)>
#p = affine_map<(b, h, m, n, d, e) -> (b, h, m, n)>

// Every size of a result is one of an operand: the op itself is not needed for it.
// CHECK-LABEL: func @sizes
// CHECK-SAME: (%[[Q:.*]]: tensor<?x?x?x64xf16>, %[[K:.*]]: tensor<3x?x1x64xf16>, %[[V:.*]]: tensor<3x?x1x?xf16>)
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[Q]], %c1
// CHECK-DAG: %[[H:.*]] = tensor.dim %[[Q]], %c2
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[K]], %c1
// CHECK-DAG: %[[E:.*]] = tensor.dim %[[V]], %c3
// CHECK-NOT: fa.attention
// CHECK: return %[[THREE]], %[[E]], %[[M]], %[[H]], %[[M]], %[[N]]
func.func @sizes(%q: tensor<?x?x?x64xf16>, %k: tensor<3x?x1x64xf16>, %v: tensor<3x?x1x?xf16>) -> (index, index, index, index, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %o:3 = fa.attention query(%q) key(%k) value(%v) results(lse, probabilities)
      roles <batch, batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #p] empty_rows <nan>
      : (tensor<?x?x?x64xf16>, tensor<3x?x1x64xf16>, tensor<3x?x1x?xf16>) -> (tensor<1x?x?x?x?xf16>, tensor<?x?x?xf32>, tensor<?x?x?x?xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  %b = tensor.dim %o#0, %c1 : tensor<1x?x?x?x?xf16>
  %e = tensor.dim %o#0, %c2 : tensor<1x?x?x?x?xf16>
  %m = tensor.dim %o#0, %c3 : tensor<1x?x?x?x?xf16>
  %h = tensor.dim %o#0, %c4 : tensor<1x?x?x?x?xf16>
  %lse_m = tensor.dim %o#1, %c2 : tensor<?x?x?xf32>
  %p_n = tensor.dim %o#2, %c3 : tensor<?x?x?x?xf16>
  return %b, %e, %m, %h, %lse_m, %p_n : index, index, index, index, index, index
}
