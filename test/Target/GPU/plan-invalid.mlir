// RUN: fa-opt %s -split-input-file -fa-gpu-plan -verify-diagnostics

// An op that is no node of a tile program.
func.func @gather(%a: tensor<64x64xf16>, %out: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %r = scf.forall (%i) = (0) to (64) step (64) shared_outs(%o = %out) -> tensor<64x64xf16> {
    %t = tensor.extract_slice %a[%i, 0] [64, 64] [1, 1] : tensor<64x64xf16> to tensor<64x64xf16>
    // expected-error @below {{expects a load, dot, map, row reduction, loop or store in a tile program for the GPU, got an op that is none of them}}
    %c = tensor.collapse_shape %t [[0, 1]] : tensor<64x64xf16> into tensor<4096xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<64x64xf16>
    }
  }
  return %r : tensor<64x64xf16>
}

// -----

// A product along the rows is not one of the reductions.
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @product(%a: tensor<64x64xf32>, %out: tensor<64xf32>) -> tensor<64xf32> {
  %r = scf.forall (%i) = (0) to (64) step (64) shared_outs(%o = %out) -> tensor<64xf32> {
    %t = tensor.extract_slice %a[%i, 0] [64, 64] [1, 1] : tensor<64x64xf32> to tensor<64x64xf32>
    %e = tensor.empty() : tensor<64xf32>
    // expected-error @below {{expects a reduction by addf, maximumf, maxnumf, minimumf or minnumf}}
    %p = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %y = arith.mulf %x, %acc : f32
      linalg.yield %y : f32
    } -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [64] [1] : tensor<64xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}

// -----

// Tiles of one kernel have their rows in common.
#id = affine_map<(m, n) -> (m, n)>
func.func @rows(%a: tensor<32x64xf32>, %out: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %r = scf.forall (%i) = (0) to (32) step (32) shared_outs(%o = %out) -> tensor<32x64xf32> {
    %t = tensor.extract_slice %a[%i, 0] [32, 64] [1, 1] : tensor<32x64xf32> to tensor<32x64xf32>
    %u = tensor.extract_slice %a[%i, 0] [16, 64] [1, 1] : tensor<32x64xf32> to tensor<16x64xf32>
    %e = tensor.empty() : tensor<32x64xf32>
    %f = tensor.empty() : tensor<16x64xf32>
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<32x64xf32>
    // expected-error @below {{expects all computed tiles to have the same rows, got 16 and 32}}
    %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<16x64xf32>) outs(%f : tensor<16x64xf32>) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<16x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<32x64xf32>
    }
  }
  return %r : tensor<32x64xf32>
}
