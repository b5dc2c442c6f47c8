// RUN: fa-opt %s --split-input-file --fa-report=machine=h200 -o /dev/null 2>&1 | FileCheck %s

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// One query against a cache: about 1 FLOP per byte, fused or not.
// CHECK-LABEL: attention decode.0
// CHECK-NEXT: phase      decode
// CHECK: unfused {{.*}} 1.0 FLOP/B: memory-bound
// CHECK: fused {{.*}} 1.0 FLOP/B: memory-bound
// CHECK: machine    h200 (sm_90a): 989.000 TFLOP/s dense bf16 over 4.800 TB/s: balance 206.0 FLOP/B
func.func @decode(%q: tensor<8x1x128xbf16>, %k: tensor<8x4096x128xbf16>) -> tensor<8x1x128xbf16> {
  %o = fa.attention query(%q) key(%k) value(%k) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<8x1x128xbf16>, tensor<8x4096x128xbf16>, tensor<8x4096x128xbf16>) -> tensor<8x1x128xbf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<8x1x128xbf16>
}

// -----

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// 256 new queries against 4096 keys: between prefill and decode.
// CHECK-LABEL: attention chunk.0
// CHECK-NEXT: phase      chunked prefill
// CHECK: score      mulf, cmpi, select
// CHECK: unfused {{.*}} 50.6 FLOP/B: memory-bound
// CHECK: fused {{.*}} 240.9 FLOP/B: compute-bound
func.func @chunk(%q: tensor<8x256x128xbf16>, %k: tensor<8x4096x128xbf16>) -> tensor<8x256x128xbf16> {
  %o = fa.attention query(%q) key(%k) value(%k) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<8x256x128xbf16>, tensor<8x4096x128xbf16>, tensor<8x4096x128xbf16>) -> tensor<8x256x128xbf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %scale = arith.constant 0.125 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %scaled = arith.mulf %s, %scale : f32
    %keep = arith.cmpi sge, %m, %n : index
    %masked = arith.select %keep, %scaled, %ninf : f32
    fa.yield %masked : f32
  }
  return %o : tensor<8x256x128xbf16>
}

// -----

#q = affine_map<(b, g, m, n, d, e) -> (b, g, m, d)>
#k = affine_map<(b, g, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, g, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, g, m, n, d, e) -> (b, g, m, e)>
#lse = affine_map<(b, g, m, n, d, e) -> (b, g, m)>

// One position for a group of four heads is still decoding; f32 takes the faster of two ways.
// CHECK-LABEL: attention grouped.0
// CHECK-NEXT: phase      decode
// CHECK-NEXT: dims       batch d0=2, query d1=4, query d2=1, key d3=512, head_dim d4=64, value_dim d5=32
// CHECK-NEXT: values     query 2x4x1x64xf32, key 2x512x64xf32, value 2x512x32xf32, output 2x4x1x32xf32, lse 2x4x1xf32
// CHECK: arithmetic f32, sums in f32
// CHECK: machine    h200 (sm_90a): 164.833 TFLOP/s f32 as three dense tf32 products over 4.800 TB/s
func.func @grouped(%q: tensor<2x4x1x64xf32>, %k: tensor<2x512x64xf32>, %v: tensor<2x512x32xf32>) -> (tensor<2x4x1x32xf32>, tensor<2x4x1xf32>) {
  %o:2 = fa.attention query(%q) key(%k) value(%v) results(lse) roles <batch, query, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #lse] empty_rows <nan>
      : (tensor<2x4x1x64xf32>, tensor<2x512x64xf32>, tensor<2x512x32xf32>) -> (tensor<2x4x1x32xf32>, tensor<2x4x1xf32>) score {
  ^bb0(%s: f32, %b: index, %g: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o#0, %o#1 : tensor<2x4x1x32xf32>, tensor<2x4x1xf32>
}

// -----

// CHECK: no attention region found
func.func @nothing(%x: f32) -> f32 {
  return %x : f32
}
