// RUN: fa-opt %s --fa-tile --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#row = affine_map<(b, m, n, d, e) -> (b, m)>

// Δ for every row; then, per head, keys stay and queries pass by: five products, of which dQ's is added to a
// carried sum, in order. A causal mask lets a key see the queries from its own position on: partial, then full.
// CHECK-LABEL: @causal
// CHECK: %[[DELTA:.*]] = scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (8, 128) step (1, 32)
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: {fa.region = "causal.0"}
// CHECK: scf.forall (%{{.*}}) in (8) shared_outs
// CHECK: scf.for %[[N:.*]] = %c0 to %c128 step %c32 iter_args(%[[DQ:.*]] = %{{.*}}, %[[DK:.*]] = %{{.*}}, %[[DV:.*]] = %{{.*}}) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>)
// CHECK: tensor.extract_slice %arg1
// CHECK: tensor.extract_slice %arg2
// CHECK: scf.for %[[M:.*]] = %{{.*}} to %{{.*}} step %c32 iter_args(%[[SUM:.*]] = %[[DQ]], %[[DK_TILE:.*]] = %{{.*}}, %[[DV_TILE:.*]] = %{{.*}}) -> (tensor<128x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>)
// Sᵀ and Pᵀ with the mask; padding there is none.
// CHECK: arith.cmpi sge
// CHECK: math.exp
// CHECK: arith.cmpf oeq
// dV, dP, dS, dK: guarded against what a masked key holds.
// CHECK: linalg.generic {{.*}} outs(%[[DV_TILE]]
// CHECK: arith.cmpf oeq
// CHECK: arith.subf %{{.*}}, %{{.*}}
// CHECK: linalg.generic {{.*}} outs(%[[DK_TILE]]
// dQ is added at the queries' place.
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[SUM]][%[[M]], 0] [32, 64]
// CHECK: %[[ADDED:.*]] = linalg.generic {{.*}} outs(%[[SLICE]]
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[ADDED]] into %[[SUM]][%[[M]], 0] [32, 64]
// CHECK: scf.yield %[[NEXT]]
// CHECK: {fa.range = "partial"}
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: {fa.range = "full"}
// CHECK: tensor.insert_slice %{{.*}} into %[[DK]][%[[N]], 0]
// CHECK: tensor.insert_slice %{{.*}} into %[[DV]][%[[N]], 0]
// CHECK: {fa.region = "causal.0"}
func.func @causal(%q: tensor<8x128x64xf32>, %k: tensor<8x128x64xf32>, %v: tensor<8x128x64xf32>, %o: tensor<8x128x64xf32>,
                  %lse: tensor<8x128xf32>, %do: tensor<8x128x64xf32>) -> (tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x128x64xf32>) {
  %g:3 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do) gradients(query, key, value)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o] schedule <query_tile = 32, key_tile = 32>
      : (tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x128xf32>, tensor<8x128x64xf32>)
        -> (tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x128x64xf32>) score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %ninf = arith.constant 0xFF800000 : f32
    %keep = arith.cmpi sge, %m, %n : index
    %r = arith.select %keep, %s, %ninf : f32
    fa.yield %r : f32
  }
  return %g#0, %g#1, %g#2 : tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x128x64xf32>
}

// -----

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#row = affine_map<(b, m, n, d, e) -> (b, m)>

// Without dQ nothing is added to across key tiles: they are parallel. Padded rows and columns get −inf before exp.
// CHECK-LABEL: @keys_and_values
// CHECK: scf.forall
// CHECK: scf.forall (%[[B:.*]], %[[N:.*]]) = (0, 0) to (8, 100) step (1, 32)
// CHECK: scf.for
// CHECK-DAG: %[[HAS_KEY:.*]] = arith.cmpi slt, %{{.*}}, %c100
// CHECK-DAG: %[[HAS_QUERY:.*]] = arith.cmpi slt, %{{.*}}, %c70
// CHECK: math.exp
// CHECK-NOT: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<100
// CHECK: tensor.parallel_insert_slice
func.func @keys_and_values(%q: tensor<8x70x64xf32>, %k: tensor<8x100x64xf32>, %v: tensor<8x100x64xf32>, %o: tensor<8x70x64xf32>,
                           %lse: tensor<8x70xf32>, %do: tensor<8x70x64xf32>) -> (tensor<8x100x64xf32>, tensor<8x100x64xf32>) {
  %g:2 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do) gradients(key, value)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o] schedule <query_tile = 32, key_tile = 32>
      : (tensor<8x70x64xf32>, tensor<8x100x64xf32>, tensor<8x100x64xf32>, tensor<8x70x64xf32>, tensor<8x70xf32>, tensor<8x70x64xf32>)
        -> (tensor<8x100x64xf32>, tensor<8x100x64xf32>) score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %g#0, %g#1 : tensor<8x100x64xf32>, tensor<8x100x64xf32>
}
