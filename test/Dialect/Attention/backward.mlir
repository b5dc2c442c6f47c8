// RUN: fa-opt %s | fa-opt | FileCheck %s
// RUN: fa-opt %s --mlir-print-op-generic | fa-opt | FileCheck %s
// RUN: fa-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: fa-opt %s --resolve-shaped-type-result-dims --split-input-file | FileCheck %s --check-prefix=REIFY

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#row = affine_map<(b, m, n, d, e) -> (b, m)>
#bias = affine_map<(b, m, n, d, e) -> (0, m, n)>
#scalar = affine_map<(b, m, n, d, e) -> ()>

// CHECK-LABEL: @plain
// CHECK: %{{.*}}:3 = fa.attention_backward query(%{{.*}}) key(%{{.*}}) value(%{{.*}}) output(%{{.*}}) lse(%{{.*}}) d_output(%{{.*}}) gradients(query, key, value)
// CHECK-NEXT: roles <batch, query, key, head_dim, value_dim> maps [{{.*}}]
// CHECK-NEXT: : ({{.*}}) -> (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) score {
func.func @plain(%q: tensor<8x?x64xf16>, %k: tensor<8x?x64xf16>, %v: tensor<8x?x64xf16>,
                 %o: tensor<8x?x64xf16>, %lse: tensor<8x?xf32>, %do: tensor<8x?x64xf16>)
    -> (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) {
  %g:3 = fa.attention_backward query(%q) key(%k) value(%v) output(%o) lse(%lse) d_output(%do)
      gradients(query, key, value) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?xf32>, tensor<8x?x64xf16>)
        -> (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %g#0, %g#1, %g#2 : tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>
}

// CHECK-LABEL: @everything
// CHECK: fa.attention_backward query(%{{.*}}) key(%{{.*}}) value(%{{.*}}) extras(%{{.*}}, %{{.*}}) sink(%{{.*}}) output(%{{.*}}) lse(%{{.*}}) d_output(%{{.*}}) d_lse(%{{.*}}) gradients(key, extra 0, extra 1, sink)
// CHECK: schedule <query_tile = 32, key_tile = 64> {note = "kept"}
// CHECK: score {
// CHECK: probability {
func.func @everything(%q: tensor<2x7x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>, %bias: tensor<1x7x5xbf16>, %c: f32,
                      %sink: tensor<2x7xf32>, %o: tensor<2x7x3xf32>, %lse: tensor<2x7xf32>, %do: tensor<2x7x3xf32>, %dlse: tensor<2x7xf32>)
    -> (tensor<2x5x4xf32>, tensor<1x7x5xf32>, tensor<f32>, tensor<2x7xf32>) {
  %g:4 = fa.attention_backward query(%q) key(%k) value(%v) extras(%bias, %c) sink(%sink)
      output(%o) lse(%lse) d_output(%do) d_lse(%dlse) gradients(key, extra 0, extra 1, sink)
      roles <batch, query, key, head_dim, value_dim>
      maps [#q, #k, #v, #bias, #scalar, #row, #o, #row, #o, #row] schedule <query_tile = 32, key_tile = 64> {note = "kept"}
      : (tensor<2x7x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<1x7x5xbf16>, f32, tensor<2x7xf32>,
         tensor<2x7x3xf32>, tensor<2x7xf32>, tensor<2x7x3xf32>, tensor<2x7xf32>)
        -> (tensor<2x5x4xf32>, tensor<1x7x5xf32>, tensor<f32>, tensor<2x7xf32>) score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %x: bf16, %scale: f32):
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %s, %wide : f32
    fa.yield %sum : f32
  } probability {
  ^bb0(%p: f32, %b: index, %m: index, %n: index, %x: bf16, %scale: f32):
    %dropped = arith.mulf %p, %scale : f32
    fa.yield %dropped : f32
  }
  return %g#0, %g#1, %g#2, %g#3 : tensor<2x5x4xf32>, tensor<1x7x5xf32>, tensor<f32>, tensor<2x7xf32>
}

// The op has no side effects: an unused one goes.
// CSE-LABEL: @unused
// CSE-NOT: fa.attention_backward
// CSE: return
func.func @unused(%q: tensor<8x?x64xf16>, %o: tensor<8x?x64xf16>, %lse: tensor<8x?xf32>) {
  %g = fa.attention_backward query(%q) key(%q) value(%q) output(%o) lse(%lse) d_output(%o)
      gradients(value) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?xf32>, tensor<8x?x64xf16>)
        -> tensor<8x?x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}

// A gradient's sizes are those of its operand.
// REIFY-LABEL: @sizes
// REIFY-SAME: %[[Q:[^:]*]]: tensor<8x?x64xf16>, %[[K:[^:]*]]: tensor<8x?x64xf16>
// REIFY: %[[SIZE:.*]] = tensor.dim %[[K]], %c1
// REIFY: return %[[SIZE]]
func.func @sizes(%q: tensor<8x?x64xf16>, %k: tensor<8x?x64xf16>, %o: tensor<8x?x64xf16>, %lse: tensor<8x?xf32>) -> index {
  %c1 = arith.constant 1 : index
  %g = fa.attention_backward query(%q) key(%k) value(%k) output(%o) lse(%lse) d_output(%o)
      gradients(value) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o, #row, #o]
      : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?xf32>, tensor<8x?x64xf16>)
        -> tensor<8x?x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  %size = tensor.dim %g, %c1 : tensor<8x?x64xf16>
  return %size : index
}
