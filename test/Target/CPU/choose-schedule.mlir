// RUN: fa-opt %s -fa-choose-schedule="policy=flash machine=a100" | FileCheck %s --check-prefix=FLASH
// RUN: fa-opt %s -fa-choose-schedule="policy=flash machine=a100 round-up" | FileCheck %s --check-prefix=ROUND
// RUN: fa-opt %s -fa-choose-schedule | FileCheck %s --check-prefix=DEFAULT
// RUN: fa-opt %s -fa-choose-schedule=tile=3x5 | FileCheck %s --check-prefix=FORCED
// RUN: not fa-opt %s -fa-choose-schedule=tile=3 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not fa-opt %s -fa-choose-schedule=policy=fast 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not fa-opt %s -fa-choose-schedule=machine=sm_1 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not fa-opt %s -fa-choose-schedule=machine=h200 2>&1 | FileCheck %s --check-prefix=GPU
// TILE: expects tile to be two positive numbers such as 64x128, got '3'
// POLICY: unknown policy 'fast': expects default or flash
// MACHINE: unknown machine 'sm_1': expects one of host,
// GPU: cannot be scheduled for the GPU h200 (sm_90a) by this pass

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// A100: 163 KiB are 83456 f16. d = 64: 83456 / 256 = 326 exactly; min(326, 64) = 64.
// FLASH-LABEL: @d64
// FLASH: schedule <query_tile = 64, key_tile = 326>
// ROUND-LABEL: @d64
// ROUND: schedule <query_tile = 64, key_tile = 326>
// DEFAULT-LABEL: @d64
// DEFAULT: schedule <query_tile = 64, key_tile = 64>
// FORCED-LABEL: @d64
// FORCED: schedule <query_tile = 3, key_tile = 5>
func.func @d64(%q: tensor<8x128x64xf16>, %k: tensor<8x?x64xf16>, %v: tensor<8x?x64xf16>) -> tensor<8x128x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<8x128x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) -> tensor<8x128x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<8x128x64xf16>
}

// f32: 41728 elements; the value dim 96 is the larger: 41728 / 384 = 108.67.
// FLASH-LABEL: @d80_e96
// FLASH: schedule <query_tile = 96, key_tile = 108>
// ROUND-LABEL: @d80_e96
// ROUND: schedule <query_tile = 96, key_tile = 109>
// DEFAULT-LABEL: @d80_e96
// DEFAULT: schedule <query_tile = 1, key_tile = 48>
func.func @d80_e96(%q: tensor<8x1x80xf32>, %k: tensor<8x33x80xf32>, %v: tensor<8x33x96xf32>) -> tensor<8x1x96xf32> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<8x1x80xf32>, tensor<8x33x80xf32>, tensor<8x33x96xf32>) -> tensor<8x1x96xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<8x1x96xf32>
}

// M/4d below 1 still gives a tile: 41728 / (4 * 20000) = 0.52; at least 1 key.
// FLASH-LABEL: @huge_d
// FLASH: schedule <query_tile = 1, key_tile = 1>
// ROUND-LABEL: @huge_d
// ROUND: schedule <query_tile = 1, key_tile = 1>
func.func @huge_d(%q: tensor<8x1x20000xf32>, %k: tensor<8x33x20000xf32>, %v: tensor<8x33x96xf32>) -> tensor<8x1x96xf32> {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<8x1x20000xf32>, tensor<8x33x20000xf32>, tensor<8x33x96xf32>) -> tensor<8x1x96xf32> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<8x1x96xf32>
}
