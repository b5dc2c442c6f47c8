// RUN: fa-opt %s -fa-tile -fa-cpu-to-llvm=deallocate -mlir-print-ir-after=fa-cpu-parallelize-tiles -o %t 2>&1 | FileCheck %s
// RUN: fa-opt %s -fa-cpu-place-buffers | FileCheck %s --check-prefix=PLACE

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// Buffers that every key tile uses are freed after the loops over them, and tiles are laid out, and
// vectors used, as where nothing is freed.
// CHECK-LABEL: func.func @causal
// CHECK: scf.parallel
// CHECK: memref.alloc() {{.*}} : memref<32xf32>
// CHECK-NOT: memref.dealloc
// CHECK: vector.fma
// CHECK-NOT: memref.dealloc
// CHECK: {fa.range = "full"}
// CHECK-NOT: memref.dealloc
// CHECK: vector.fma
// CHECK-NOT: memref.dealloc
// CHECK: {fa.range = "partial"}
// CHECK: memref.dealloc {{.*}} : memref<32xf32>
// CHECK: scf.reduce
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

// What was freed in the loop is freed once, after it.
// PLACE-LABEL: func.func @freed_in_loop
// PLACE: scf.forall
// PLACE-NEXT: %[[BUFFER:.*]] = memref.alloc()
// PLACE: scf.for %
// PLACE-NOT: memref.dealloc
// PLACE: memref.store
// PLACE-NEXT: }
// PLACE-NEXT: memref.dealloc %[[BUFFER]]
// PLACE-NOT: memref.dealloc
func.func @freed_in_loop(%out: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (8) {
    scf.for %j = %c0 to %c8 step %c1 {
      %tile = memref.alloc() : memref<4xf32>
      memref.store %x, %tile[%c0] : memref<4xf32>
      memref.dealloc %tile : memref<4xf32>
    }
  }
  return
}

// A buffer with a second name stays where it is.
// PLACE-LABEL: func.func @second_name
// PLACE: scf.for %
// PLACE-NEXT: memref.alloc()
func.func @second_name(%other: memref<4xf32>, %choose: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (8) {
    scf.for %j = %c0 to %c8 step %c1 {
      %tile = memref.alloc() : memref<4xf32>
      %either = arith.select %choose, %tile, %other : memref<4xf32>
      memref.store %x, %either[%c0] : memref<4xf32>
    }
  }
  return
}
