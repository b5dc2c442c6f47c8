// RUN: fa-opt %s -fa-tile -cse -fa-gpu-plan="machine=sm_80" | FileCheck %s
// RUN: not fa-opt %s -fa-tile -cse -fa-gpu-plan="machine=sm_80 stages=12" 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not fa-opt %s -fa-gpu-plan="machine=host" 2>&1 | FileCheck %s --check-prefix=MACHINE

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>
#bias = affine_map<(b, m, n, d, e) -> (m, n)>

// Operands of dots go to shared memory, those of a loop twice; the two loops are one sequence; an
// operand of a map alone stays where it is.
// CHECK-LABEL: @ragged
// CHECK: tensor.pad
// CHECK: } {fa.node = "load", fa.place = "shared[1]"}
// CHECK: scf.for
// CHECK: fa.place = "global"
// CHECK: {fa.node = "load", fa.place = "shared[2]"}
// CHECK: attrs = {fa.node = "dot", fa.place = "fragment"}
// CHECK: attrs = {fa.node = "map", fa.place = "fragment"}
// CHECK: {fa.node = "load", fa.place = "shared[2]"}
// CHECK: attrs = {fa.node = "reduce", fa.place = "row"}
// CHECK: attrs = {fa.node = "map", fa.place = "row"}
// CHECK: {fa.chain = 0 : i64, fa.range = "full"}
// CHECK: {fa.chain = 0 : i64, fa.range = "partial"}
// CHECK: fa.plan = {registers = {{[0-9]+}} : i64, rows_per_warp = 16 : i64, shared_bytes = 40960 : i64, stages = 2 : i64, warps = 4 : i64}
// SHARED: error: {{.*}}needs 204800 bytes of shared memory, the machine has
// MACHINE: expects the name of a GPU, got "host"; known machines:
func.func @ragged(%q: tensor<8x?x64xf16>, %k: tensor<8x?x64xf16>, %v: tensor<8x?x64xf16>, %bias: tensor<?x?xf16>) -> tensor<8x?x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%v) extras(%bias)
      roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #bias, #o] empty_rows <nan>
      schedule <query_tile = 64, key_tile = 64>
      : (tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<?x?xf16>) -> tensor<8x?x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index, %e: f16):
    %w = arith.extf %e : f16 to f32
    %t = arith.addf %s, %w : f32
    fa.yield %t : f32
  }
  return %o : tensor<8x?x64xf16>
}
