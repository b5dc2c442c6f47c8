// RUN: fa-opt %s -split-input-file -fa-tile -canonicalize -cse | FileCheck %s
// RUN: fa-opt %s -split-input-file -fa-tile -fa-strip-attributes | mlir-opt -split-input-file | FileCheck %s --check-prefix=STRIPPED

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// The recurrence, for one head that fits the tiles exactly: one full range, nothing padded.
// CHECK-LABEL: @plain
// CHECK: %[[R:.*]] = scf.forall (%[[B:.*]], %[[M:.*]]) = (0, 0) to (2, 8) step (1, 4) shared_outs
// CHECK-NOT: tensor.pad
// CHECK: %[[Q:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[M]], 0] [1, 4, 16]
// CHECK: scf.for %[[N:.*]] = %c0 to %c12 step %c4 iter_args(%[[ACC:.*]] = {{.*}}, %[[MAX:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}})
// CHECK:   %[[K:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[N]], 0] [1, 4, 16]
// CHECK:   %[[S:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] :
// CHECK:   %[[NEXT:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<4x4xf32>) outs(%[[MAX]] :
// CHECK:     arith.maximumf
// CHECK:   %[[SAFE:.*]] = linalg.generic {{.*}} ins(%[[NEXT]] :
// CHECK:     arith.cmpf oeq
// CHECK:   %[[P:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[SAFE]] :
// CHECK:     math.exp
// CHECK:   %[[ALPHA:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[SAFE]] :
// CHECK:   %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[ALPHA]] :
// CHECK:   linalg.generic {{.*}} ins(%[[P]] : tensor<4x4xf32>) outs(%[[SCALED]] :
// CHECK:     arith.addf
// CHECK:   %[[RESCALED:.*]] = linalg.generic {{.*}} ins(%[[ACC]], %[[ALPHA]] :
// CHECK:   linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<4x4xf32>, tensor<4x16xf32>) outs(%[[RESCALED]] :
// CHECK:     arith.mulf
// CHECK-NOT: arith.select
// CHECK:     arith.addf
// CHECK: {fa.range = "full"}
// CHECK-NOT: fa.range
// CHECK: arith.divf
// CHECK: tensor.parallel_insert_slice
// CHECK: {fa.region = "plain.0"}
// STRIPPED-LABEL: @plain
// STRIPPED-NOT: fa.
func.func @plain(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x16xf32>) -> tensor<2x8x16xf32> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <zero>
      schedule <query_tile = 4, key_tile = 4>
      : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x16xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<2x8x16xf32>
}

// -----

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// Causal: keys up to the tile's first row are full, those up to its last row partial, where a
// masked key contributes nothing whatever V holds.
// CHECK-LABEL: @causal
// CHECK: scf.forall (%{{.*}}, %[[M:.*]]) =
// CHECK-DAG: %[[LAST:.*]] = arith.addi %[[M]], %c3
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[M]], %c1
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: {fa.range = "full"}
// CHECK: scf.for %[[N:.*]] =
// CHECK:   linalg.index 0
// CHECK:   linalg.index 1
// CHECK:   %[[KEEP:.*]] = arith.cmpi sge
// CHECK:   arith.select %[[KEEP]], %{{.*}}, %{{.*}} : f32
// CHECK:   math.exp
// CHECK:   arith.mulf
// CHECK:   %[[NONE:.*]] = arith.cmpf oeq
// CHECK:   arith.select %[[NONE]]
// CHECK: {fa.range = "partial"}
func.func @causal(%q: tensor<8x10x64xf16>, %k: tensor<8x10x64xf16>, %v: tensor<8x10x64xf16>) -> tensor<8x10x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      schedule <query_tile = 3, key_tile = 5>
      : (tensor<8x10x64xf16>, tensor<8x10x64xf16>, tensor<8x10x64xf16>) -> tensor<8x10x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %ninf = arith.constant 0xFF800000 : f32
    %keep = arith.cmpi sge, %m, %n : index
    %masked = arith.select %keep, %s, %ninf : f32
    fa.yield %masked : f32
  }
  return %o : tensor<8x10x64xf16>
}

// -----

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// A finite mask hides no key: the whole range is visited with the mask in it.
// CHECK-LABEL: @finite_mask
// CHECK: scf.for %{{.*}} = %c0 to %c10 step %c5
// CHECK: arith.cmpi sge
// CHECK: {fa.range = "full"}
// CHECK-NOT: fa.range
func.func @finite_mask(%q: tensor<8x9x64xf16>, %k: tensor<8x10x64xf16>, %v: tensor<8x10x64xf16>) -> tensor<8x9x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      schedule <query_tile = 3, key_tile = 5>
      : (tensor<8x9x64xf16>, tensor<8x10x64xf16>, tensor<8x10x64xf16>) -> tensor<8x9x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %low = arith.constant -1.0e4 : f32
    %keep = arith.cmpi sge, %m, %n : index
    %masked = arith.select %keep, %s, %low : f32
    fa.yield %masked : f32
  }
  return %o : tensor<8x9x64xf16>
}

// -----

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#row = affine_map<(b, m, n, d, e) -> (b)>

// A window and a length per batch: three ranges; sizes are known at run time only.
// CHECK-LABEL: @window
// CHECK: %[[LENGTH:.*]] = tensor.extract %{{.*}}[] : tensor<i32>
// CHECK: arith.index_cast %[[LENGTH]]
// CHECK: scf.for
// CHECK: {fa.range = "partial"}
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: {fa.range = "full"}
// CHECK: scf.for
// CHECK: {fa.range = "partial"}
func.func @window(%q: tensor<8x?x64xf16>, %k: tensor<8x?x64xf16>, %v: tensor<8x?x64xf16>, %length: tensor<8xi32>) -> tensor<8x?x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v) extras(%length)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #o] empty_rows <nan>
      schedule <query_tile = 32, key_tile = 16>
      : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8xi32>) -> tensor<8x?x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %l: i32):
    %ninf = arith.constant 0xFF800000 : f32
    %size = arith.constant 128 : index
    %distance = arith.subi %m, %n : index
    %near = arith.cmpi slt, %distance, %size : index
    %past = arith.cmpi sge, %m, %n : index
    %j = arith.index_cast %n : index to i32
    %exists = arith.cmpi slt, %j, %l : i32
    %band = arith.andi %near, %past : i1
    %keep = arith.andi %band, %exists : i1
    %masked = arith.select %keep, %s, %ninf : f32
    fa.yield %masked : f32
  }
  return %o : tensor<8x?x64xf16>
}
