// RUN: fa-opt %s -fa-tile -cse -fa-gpu-emit="ptx=%t.ptx" | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=CLEAN --input-file=%t.ptx

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// The function becomes a kernel that takes addresses, sizes and strides.
// CHECK-NOT: func.func
// CHECK: gpu.module
// CHECK: llvm.func @fa_full_0
// CHECK-SAME: fa.parameters = [{{.*}}"pointer 0"{{.*}}"stride 0 1"
// CHECK-SAME: fa.shared_bytes = 40960
// PTX: .target sm_80
// PTX: .entry fa_full_0
// PTX: .maxntid 128
// PTX: cp.async.cg.shared.global
// PTX: cp.async.wait_group
// PTX: bar.sync
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX: shfl.sync.bfly
// PTX: ex2.approx.ftz.f32
// PTX: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// No register lives in memory, nothing is called.
// CLEAN-NOT: .local
// CLEAN-NOT: call
func.func @full(%q: tensor<8x1024x64xf16>, %k: tensor<8x1024x64xf16>, %v: tensor<8x1024x64xf16>) -> tensor<8x1024x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      schedule <query_tile = 64, key_tile = 64>
      : (tensor<8x1024x64xf16>, tensor<8x1024x64xf16>, tensor<8x1024x64xf16>) -> tensor<8x1024x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<8x1024x64xf16>
}
