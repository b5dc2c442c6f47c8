// RUN: fa-opt %s -fa-tile -fa-cpu-to-llvm -mlir-print-ir-after=fa-cpu-vectorize-tiles -o %t 2>&1 | FileCheck %s

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// Tiles of scores are stored with their rows contiguous, so that a vector holds 16 rows. Scores start
// from zeros in registers: 4 vectors by 4 keys over the head dim. In the partial range weights of 0
// add nothing. Maxima and sums of rows are taken lane by lane.
// CHECK-LABEL: func.func @causal
// CHECK: memref.transpose {{.*}} : memref<64x64xf32> to memref<64x64xf32, strided<[1, 64]>>
// CHECK: scf.for
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: vector.store
// CHECK: arith.maximumf {{.*}} : vector<16xf32>
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK-COUNT-16: vector.fma
// CHECK: {fa.range = "full"}
// CHECK-COUNT-16: vector.fma
// CHECK: arith.cmpi sge, {{.*}} : vector<16xindex>
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: arith.cmpf oeq, {{.*}} : vector<16xf32>
// CHECK: vector.fma
// CHECK-NEXT: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: {fa.range = "partial"}
// CHECK-NOT: linalg.generic
func.func @causal(%q: tensor<2x128x64xbf16>, %k: tensor<2x128x64xbf16>, %v: tensor<2x128x64xbf16>) -> tensor<2x128x64xbf16> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <zero>
      schedule <query_tile = 64, key_tile = 64>
      : (tensor<2x128x64xbf16>, tensor<2x128x64xbf16>, tensor<2x128x64xbf16>) -> tensor<2x128x64xbf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %ninf = arith.constant 0xFF800000 : f32
    %keep = arith.cmpi sge, %m, %n : index
    %masked = arith.select %keep, %s, %ninf : f32
    fa.yield %masked : f32
  }
  return %o : tensor<2x128x64xbf16>
}
