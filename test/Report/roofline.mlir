// The published figures of one f16 head with d = 4096: 4N²d FLOPs over 8N² + 8Nd bytes unfused.
// RUN: fa-opt %s --fa-report=machine=a100 -o /dev/null 2>&1 | FileCheck %s --check-prefix=A100
// RUN: fa-opt %s --fa-report=machine=b200 -o /dev/null 2>&1 | FileCheck %s --check-prefix=B200
// RUN: fa-opt %s --fa-report="machine=b200 rate=sparse" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPARSE

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

// A100: attention n256.0 at {{.*}}roofline.mlir:[[#@LINE+13]]:
// A100-NEXT: phase      prefill
// A100-NEXT: dims       query d0=256, key d1=256, head_dim d2=4096, value_dim d3=4096
// A100-NEXT: values     query 256x4096xf16, key 256x4096xf16, value 256x4096xf16, output 256x4096xf16
// A100-NEXT: score      unchanged
// A100-NEXT: arithmetic f16, sums in f32
// A100-NEXT: flops      1.074 GFLOP
// A100-NEXT: unfused    8.913 MB, 120.5 FLOP/B: memory-bound, at most 240.941 TFLOP/s in 4.456 us
// A100-NEXT: fused      8.389 MB, 128.0 FLOP/B: memory-bound, at most 256.000 TFLOP/s in 4.194 us
// A100-NEXT: machine    a100 (sm_80): 312.000 TFLOP/s dense f16 over 2.000 TB/s: balance 156.0 FLOP/B (sparse f16: 312.0)
// B200: attention n256.0
// B200: unfused {{.*}} 120.5 FLOP/B: memory-bound
func.func @n256(%q: tensor<256x4096xf16>) -> tensor<256x4096xf16> {
  %o = fa.attention query(%q) key(%q) value(%q) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<256x4096xf16>, tensor<256x4096xf16>, tensor<256x4096xf16>) -> tensor<256x4096xf16> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<256x4096xf16>
}

// A100-LABEL: attention n512.0
// A100: unfused    18.874 MB, 227.6 FLOP/B: compute-bound, at most 312.000 TFLOP/s
// B200-LABEL: attention n512.0
// B200: unfused {{.*}} 227.6 FLOP/B: memory-bound
// B200-NEXT: fused {{.*}} 256.0 FLOP/B: memory-bound
// B200-NEXT: machine    b200 (sm_100a): 2.250 PFLOP/s dense f16 over 8.000 TB/s: balance 281.2 FLOP/B (sparse f16: 562.5)
func.func @n512(%q: tensor<512x4096xf16>) -> tensor<512x4096xf16> {
  %o = fa.attention query(%q) key(%q) value(%q) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<512x4096xf16>, tensor<512x4096xf16>, tensor<512x4096xf16>) -> tensor<512x4096xf16> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<512x4096xf16>
}

// Compute-bound at the dense rate, memory-bound at the sparse one.
// B200-LABEL: attention n1024.0
// B200: unfused {{.*}} 409.6 FLOP/B: compute-bound, at most 2.250 PFLOP/s
// SPARSE-LABEL: attention n1024.0
// SPARSE: unfused {{.*}} 409.6 FLOP/B: memory-bound
// SPARSE: machine    b200 (sm_100a): 4.500 PFLOP/s sparse f16 over 8.000 TB/s: balance 562.5 FLOP/B (dense f16: 281.2)
func.func @n1024(%q: tensor<1024x4096xf16>) -> tensor<1024x4096xf16> {
  %o = fa.attention query(%q) key(%q) value(%q) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<1024x4096xf16>, tensor<1024x4096xf16>, tensor<1024x4096xf16>) -> tensor<1024x4096xf16> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<1024x4096xf16>
}

// For long sequences the unfused intensity tends to d/2.
// A100-LABEL: attention long.0
// A100: unfused {{.*}} 32.0 FLOP/B: memory-bound
// A100-NEXT: fused {{.*}} 524288.0 FLOP/B: compute-bound
func.func @long(%q: tensor<1048576x64xf16>) -> tensor<1048576x64xf16> {
  %o = fa.attention query(%q) key(%q) value(%q) roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<1048576x64xf16>, tensor<1048576x64xf16>, tensor<1048576x64xf16>) -> tensor<1048576x64xf16> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o : tensor<1048576x64xf16>
}
