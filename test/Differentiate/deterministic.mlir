// RUN: fa-opt %s --fa-differentiate=function=f -o %t.mlir 2>/dev/null
// RUN: env OMP_NUM_THREADS=1 fa-run %t.mlir --function=f_vjp --random=7 --output=%t.1.npz
// RUN: env OMP_NUM_THREADS=2 fa-run %t.mlir --function=f_vjp --random=7 --output=%t.2.npz
// RUN: env OMP_NUM_THREADS=5 fa-run %t.mlir --function=f_vjp --random=7 --output=%t.3.npz
// RUN: %python -c "import numpy as n; a, b, c = (n.load('%t.%%d.npz' %% i) for i in (1, 2, 3)); assert len(a.files) == 5; assert all(a[k].tobytes() == b[k].tobytes() == c[k].tobytes() and a[k].any() for k in a.files)"
// REQUIRES: numpy

// G7: the same bits for any number of threads: gradients that are summed over groups, batch and queries too.
func.func @f(%q: tensor<2x3x2x70x16xf32>, %k: tensor<2x3x90x16xf32>, %v: tensor<2x3x90x16xf32>, %bias: tensor<3x1x90xf32>,
             %sink: tensor<3x2xf32>) -> tensor<2x3x2x70x16xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) extras(%bias) sink(%sink)
      roles <batch, batch, query, query, key, head_dim, value_dim>
      maps [affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>, affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>,
            affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>, affine_map<(b, h, g, m, n, d, e) -> (h, 0, n)>,
            affine_map<(b, h, g, m, n, d, e) -> (h, g)>, affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>] empty_rows <zero>
      : (tensor<2x3x2x70x16xf32>, tensor<2x3x90x16xf32>, tensor<2x3x90x16xf32>, tensor<3x1x90xf32>, tensor<3x2xf32>) -> tensor<2x3x2x70x16xf32> score {
  ^bb0(%s: f32, %b: index, %h: index, %g: index, %m: index, %n: index, %x: f32):
    %c = arith.constant 0.25 : f32
    %scaled = arith.mulf %s, %c : f32
    %r = arith.addf %scaled, %x : f32
    fa.yield %r : f32
  }
  return %o : tensor<2x3x2x70x16xf32>
}
