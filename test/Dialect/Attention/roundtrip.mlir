// RUN: fa-opt %s | fa-opt | FileCheck %s
// RUN: fa-opt %s --mlir-print-op-generic | fa-opt | FileCheck %s

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#row = affine_map<(b, m, n, d, e) -> (b, m)>
#bias = affine_map<(b, m, n, d, e) -> (m, n)>
#scalar = affine_map<(b, m, n, d, e) -> ()>

// CHECK-LABEL: @causal
// CHECK: fa.attention query(%{{.*}}) key(%{{.*}}) value(%{{.*}})
// CHECK-NEXT: roles <batch, query, key, head_dim, value_dim> maps [#{{.*}}] empty_rows <nan>
// CHECK-NEXT: : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) -> tensor<8x?x64xf16> score {
// CHECK: fa.yield %{{.*}} : f32
func.func @causal(%q: tensor<8x?x64xf16>, %k: tensor<8x?x64xf16>, %v: tensor<8x?x64xf16>) -> tensor<8x?x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) -> tensor<8x?x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    %ninf = arith.constant 0xFF800000 : f32
    %keep = arith.cmpi sge, %m, %n : index
    %masked = arith.select %keep, %s, %ninf : f32
    fa.yield %masked : f32
  }
  return %o : tensor<8x?x64xf16>
}

// CHECK-LABEL: @everything
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = fa.attention query(%{{.*}}) key(%{{.*}}) value(%{{.*}}) extras(%{{.*}}, %{{.*}}) sink(%{{.*}}) results(lse, row_max, probabilities)
// CHECK: schedule <query_tile = 32, key_tile = 64, stages = 2> {note = "kept"}
// CHECK: score {
// CHECK: probability {
func.func @everything(%q: tensor<2x7x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>, %bias: tensor<7x5xbf16>, %c: f32, %sink: tensor<2x7xf32>)
    -> (tensor<2x7x3xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x5xf32>) {
  %r:4 = fa.attention query(%q) key(%k) value(%v) extras(%bias, %c) sink(%sink) results(lse, row_max, probabilities)
      roles <batch, query, key, head_dim, value_dim>
      maps [#q, #k, #v, #bias, #scalar, #row, #o, #row, #row, affine_map<(b, m, n, d, e) -> (b, m, n)>]
      empty_rows <zero> schedule <query_tile = 32, key_tile = 64, stages = 2> {note = "kept"}
      : (tensor<2x7x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<7x5xbf16>, f32, tensor<2x7xf32>)
        -> (tensor<2x7x3xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x5xf32>) score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %x: bf16, %scale: f32):
    %wide = arith.extf %x : bf16 to f32
    %scaled = arith.mulf %s, %scale : f32
    %sum = arith.addf %scaled, %wide : f32
    fa.yield %sum : f32
  } probability {
  ^bb0(%p: f32, %b: index, %m: index, %n: index, %x: bf16, %scale: f32):
    %dropped = arith.mulf %p, %scale : f32
    fa.yield %dropped : f32
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x7x3xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x5xf32>
}
