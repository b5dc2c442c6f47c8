// RUN: fa-opt %s --fa-report=machine=a100 -o /dev/null 2>&1 | FileCheck %s
// RUN: fa-opt %s --fa-report="machine=a100 dims=batch:2,query:1,key:1024" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: fa-opt %s --fa-report="machine=a100 format=json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON

#q = affine_map<(b, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, m, n, d, e) -> (b, m, e)>

// CHECK: phase      unknown
// CHECK-NEXT: dims       batch d0=?, query d1=?, key d2=?, head_dim d3=64, value_dim d4=64
// CHECK-NEXT: values     query ?x?x64xf16,
// CHECK: flops      256*d0*d1*d2 FLOP
// CHECK-NEXT: bytes      unknown sizes: give them with dims=batch:SIZE,query:SIZE,key:SIZE

// GIVEN: phase      decode
// GIVEN-NEXT: dims       batch d0=2, query d1=1, key d2=1024, head_dim d3=64, value_dim d4=64
// GIVEN: flops      524.288 kFLOP

// JSON: "fused": null,
// JSON: "phase": null,
func.func @dynamic(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>) -> tensor<?x?x64xf16> {
  %o = fa.attention query(%q) key(%k) value(%k) roles <batch, query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<?x?x64xf16>, tensor<?x?x64xf16>, tensor<?x?x64xf16>) -> tensor<?x?x64xf16> score {
  ^bb0(%s: f32, %b: index, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<?x?x64xf16>
}
