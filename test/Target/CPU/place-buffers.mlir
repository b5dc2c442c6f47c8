// RUN: fa-opt %s -fa-tile -fa-cpu-to-llvm -mlir-print-ir-after=fa-cpu-parallelize-tiles -o %t 2>&1 | FileCheck %s

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// The program allocates its result, and each row of tiles its buffers; the key loops nothing.
// CHECK-LABEL: func.func @causal
// CHECK: memref.alloc() {{.*}} : memref<2x256x64xf32>
// CHECK: scf.parallel
// CHECK: memref.alloc()
// CHECK: scf.for
// CHECK-NOT: memref.alloc
func.func @causal(%q: tensor<2x256x64xf32>, %k: tensor<2x256x64xf32>, %v: tensor<2x256x64xf32>) -> tensor<2x256x64xf32> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <zero>
      schedule <query_tile = 32, key_tile = 64>
      : (tensor<2x256x64xf32>, tensor<2x256x64xf32>, tensor<2x256x64xf32>) -> tensor<2x256x64xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %ninf = arith.constant 0xFF800000 : f32
    %keep = arith.cmpi sge, %m, %n : index
    %r = arith.select %keep, %s, %ninf : f32
    fa.yield %r : f32
  }
  return %o : tensor<2x256x64xf32>
}
