// The report goes to a file, the IR to stdout; wrong options are one line each.
// RUN: fa-opt %s --fa-report="machine=h100 format=json output=%t.json" | FileCheck %s --check-prefix=IR
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=JSON
// RUN: not fa-opt %s --fa-report=machine=v100 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not fa-opt %s --fa-report=format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not fa-opt %s --fa-report=rate=double 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: not fa-opt %s --fa-report=dims=keys:4 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not fa-opt %s --fa-report=dims=key:x 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not fa-opt %s --fa-report=output=%t.none/x.json 2>&1 | FileCheck %s --check-prefix=UNWRITABLE

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

// IR: fa.attention
// JSON: "bytes_per_second": 3350000000000,
// JSON: "card": "h100",
// JSON: "name": "sm_90a"
// JSON: "arithmetic": "f16",
// JSON: "balance": 295.2
// JSON: "size": 512
// JSON: "flops": 4294967296,
// JSON: "fused": {
// JSON: "bound": "memory",
// JSON: "bytes": 16777216,
// JSON: "flop_per_byte": 256,
// JSON: "name": "main.0",
// JSON: "phase": "prefill",
// JSON: "probability": "mulf",
// JSON: "name": "dense f16"
// JSON: "unfused": {
// JSON: "flop_per_byte": 227.5
// MACHINE: error: unknown machine 'v100': expects one of host, sm_80, a100, sm_90a, h200, h100, sm_100a, b200
// FORMAT: error: unknown report format 'xml': expects text or json
// RATE: error: unknown rate 'double': expects dense or sparse
// DIMS: error: expects dims as ROLE:SIZE with a role of batch, query, key, head_dim, value_dim, got 'keys:4'
// SIZE: error: expects dims as ROLE:SIZE {{.*}} got 'key:x'
// UNWRITABLE: error: cannot write the report: cannot open output file '{{.*}}x.json': No such file or directory
func.func @main(%q: tensor<512x4096xf16>) -> tensor<512x4096xf16> {
  %o = fa.attention query(%q) key(%q) value(%q) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<512x4096xf16>, tensor<512x4096xf16>, tensor<512x4096xf16>) -> tensor<512x4096xf16> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  } probability {
  ^bb0(%p: f32, %m: index, %n: index):
    %keep = arith.constant 0.9 : f32
    %dropped = arith.mulf %p, %keep : f32
    fa.yield %dropped : f32
  }
  return %o : tensor<512x4096xf16>
}
