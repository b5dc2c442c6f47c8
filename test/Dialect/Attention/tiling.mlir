// RUN: fa-opt %s --transform-interpreter --cse --split-input-file --verify-diagnostics | FileCheck %s

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#bias = affine_map<(b, m, n, d, e) -> (m, n)>
#lse = affine_map<(b, m, n, d, e) -> (b, m)>

// A tile is attention on slices; positions in the region count from the whole tensor's start.
// CHECK-LABEL: func @tile
// CHECK-SAME: (%[[Q:.*]]: tensor<8x64x16xf16>, %[[K:.*]]: tensor<8x?x16xf16>, %[[V:.*]]: tensor<8x?x4xf16>, %[[BIAS:.*]]: tensor<64x?xf32>)
// CHECK: scf.forall (%[[B:.*]], %[[TILE:.*]]) in (8, 2)
// CHECK: %[[M:.*]] = affine.apply #{{.*}}(%[[TILE]])
// CHECK-DAG: %[[QT:.*]] = tensor.extract_slice %[[Q]][%[[B]], %[[M]], 0] [1, 32, 16]
// CHECK-DAG: %[[KT:.*]] = tensor.extract_slice %[[K]][%[[B]], 0, 0] [1, %{{.*}}, 16]
// CHECK-DAG: %[[VT:.*]] = tensor.extract_slice %[[V]][%[[B]], 0, 0] [1, %{{.*}}, 4]
// CHECK-DAG: %[[BIAST:.*]] = tensor.extract_slice %[[BIAS]][%[[M]], 0] [32, %{{.*}}]
// CHECK: fa.attention query(%[[QT]]) key(%[[KT]]) value(%[[VT]]) extras(%[[BIAST]], %[[B]], %[[M]]) results(lse)
// CHECK-NEXT: {{.*}} empty_rows <nan> schedule <query_tile = 32, key_tile = 8>
// CHECK-NEXT: {{.*}} -> (tensor<1x32x4xf16>, tensor<1x32xf32>) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %{{.*}}: f32, %{{.*}}: index, %[[SHIFT:.*]]: index):
// CHECK: %[[POSITION:.*]] = arith.addi %[[I]], %[[SHIFT]] : index
// CHECK: arith.cmpi sge, %[[POSITION]], %[[J]] : index
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[B]], %[[M]], 0] [1, 32, 4]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[B]], %[[M]]] [1, 32]
module attributes {transform.with_named_sequence} {
  func.func @tile(%q: tensor<8x64x16xf16>, %k: tensor<8x?x16xf16>, %v: tensor<8x?x4xf16>, %bias: tensor<64x?xf32>) -> (tensor<8x64x4xf16>, tensor<8x64xf32>) {
    %o:2 = fa.attention query(%q) key(%k) value(%v) extras(%bias) results(lse)
        roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #bias, #o, #lse]
        empty_rows <nan> schedule <query_tile = 32, key_tile = 8>
        : (tensor<8x64x16xf16>, tensor<8x?x16xf16>, tensor<8x?x4xf16>, tensor<64x?xf32>) -> (tensor<8x64x4xf16>, tensor<8x64xf32>) score {
    ^bb0(%s: f32, %b: index, %m: index, %n: index, %x: f32):
      %ninf = arith.constant 0xFF800000 : f32
      %sum = arith.addf %s, %x : f32
      %keep = arith.cmpi sge, %m, %n : index
      %masked = arith.select %keep, %sum, %ninf : f32
      fa.yield %masked : f32
    }
    return %o#0, %o#1 : tensor<8x64x4xf16>, tensor<8x64xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["fa.attention"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %attention tile_sizes [1, 32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

module attributes {transform.with_named_sequence} {
  func.func @keys(%q: tensor<64x16xf16>, %v: tensor<64x4xf16>) -> tensor<64x4xf16> {
    // expected-error @below {{'fa.attention' op cannot be tiled along d1, a key dimension}}
    // expected-error @below {{to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %o = fa.attention query(%q) key(%q) value(%v)
        roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
        : (tensor<64x16xf16>, tensor<64x16xf16>, tensor<64x4xf16>) -> tensor<64x4xf16> score {
    ^bb0(%s: f32, %m: index, %n: index):
      fa.yield %s : f32
    }
    return %o : tensor<64x4xf16>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["fa.attention"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %attention tile_sizes [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
