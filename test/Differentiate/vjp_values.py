"""Differentiates functions with attention by fa-opt and compares F_vjp, fused and unfused, with
central differences in f64.

usage: vjp_values.py    (with fa-opt and fa-run in the PATH)
Prints the failures and "N functions, F failed"; exits 1 if one failed.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

TOLERANCE = 1e-7  # of the largest element

PACKED = """
// One tensor of q, k, v; sliced, moved, scaled; a causal mask; the product moved back.
func.func @f(%qkv: tensor<2x6x3x4xf64>) -> tensor<6x2x4xf64> {
  %zero = arith.constant 0.0 : f64
  %ninf = arith.constant 0xFFF0000000000000 : f64
  %half = arith.constant dense<0.5> : tensor<2x6x4xf64>
  %q1 = tensor.extract_slice %qkv[0, 0, 0, 0] [2, 6, 1, 4] [1, 1, 1, 1] : tensor<2x6x3x4xf64> to tensor<2x6x4xf64>
  %q = arith.mulf %q1, %half : tensor<2x6x4xf64>
  %k = tensor.extract_slice %qkv[0, 0, 1, 0] [2, 6, 1, 4] [1, 1, 1, 1] : tensor<2x6x3x4xf64> to tensor<2x6x4xf64>
  %v = tensor.extract_slice %qkv[0, 0, 2, 0] [2, 6, 1, 4] [1, 1, 1, 1] : tensor<2x6x3x4xf64> to tensor<2x6x4xf64>
  %empty_t = tensor.empty() : tensor<2x4x6xf64>
  %kt = linalg.transpose ins(%k : tensor<2x6x4xf64>) outs(%empty_t : tensor<2x4x6xf64>) permutation = [0, 2, 1]
  %empty_s = tensor.empty() : tensor<2x6x6xf64>
  %fill_s = linalg.fill ins(%zero : f64) outs(%empty_s : tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x4xf64>, tensor<2x4x6xf64>) outs(%fill_s : tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
  %masked = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x6x6xf64>) outs(%empty_s : tensor<2x6x6xf64>) {
  ^bb0(%x: f64, %out: f64):
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %keep = arith.cmpi sge, %m, %n : index
    %r = arith.select %keep, %x, %ninf : f64
    linalg.yield %r : f64
  } -> tensor<2x6x6xf64>
  %p = linalg.softmax dimension(2) ins(%masked : tensor<2x6x6xf64>) outs(%empty_s : tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
  %empty_o = tensor.empty() : tensor<2x6x4xf64>
  %fill_o = linalg.fill ins(%zero : f64) outs(%empty_o : tensor<2x6x4xf64>) -> tensor<2x6x4xf64>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf64>, tensor<2x6x4xf64>) outs(%fill_o : tensor<2x6x4xf64>) -> tensor<2x6x4xf64>
  %empty_r = tensor.empty() : tensor<6x2x4xf64>
  %r = linalg.transpose ins(%o : tensor<2x6x4xf64>) outs(%empty_r : tensor<6x2x4xf64>) permutation = [1, 0, 2]
  return %r : tensor<6x2x4xf64>
}
"""

MAPS = """
#q = affine_map<(b, g, m, n, d, e) -> (b, g, m, d)>
#k = affine_map<(b, g, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, g, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, g, m, n, d, e) -> (b, g, m, e)>
#row = affine_map<(b, g, m, n, d, e) -> (b, g, m)>
#bias = affine_map<(b, g, m, n, d, e) -> (b, g, 0, n)>
#sink = affine_map<(b, g, m, n, d, e) -> (b, g)>
"""

GROUPED = MAPS + """
// Grouped queries out of one dimension, a broadcast bias that is scaled, a sink, LSE as a result.
func.func @f(%flat: tensor<2x6x5x4xf64>, %k: tensor<2x7x4xf64>, %v: tensor<2x7x3xf64>, %bias: tensor<2x3x1x7xf64>,
             %sink: tensor<6xf64>) -> (tensor<2x6x5x3xf64>, tensor<2x3x2x5xf64>) {
  %q = tensor.expand_shape %flat [[0], [1, 2], [3], [4]] output_shape [2, 3, 2, 5, 4] : tensor<2x6x5x4xf64> into tensor<2x3x2x5x4xf64>
  %two = arith.constant dense<2.0> : tensor<2x3x1x7xf64>
  %scaled = arith.mulf %bias, %two : tensor<2x3x1x7xf64>
  %sinks = tensor.expand_shape %sink [[0, 1]] output_shape [3, 2] : tensor<6xf64> into tensor<3x2xf64>
  %o:2 = fa.attention query(%q) key(%k) value(%v) extras(%scaled) sink(%sinks) results(lse)
      roles <batch, query, query, query, key, head_dim, value_dim>
      maps [affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>, affine_map<(b, h, g, m, n, d, e) -> (b, n, d)>,
            affine_map<(b, h, g, m, n, d, e) -> (b, n, e)>, affine_map<(b, h, g, m, n, d, e) -> (b, h, 0, n)>,
            affine_map<(b, h, g, m, n, d, e) -> (h, g)>, affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>,
            affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>] empty_rows <zero>
      : (tensor<2x3x2x5x4xf64>, tensor<2x7x4xf64>, tensor<2x7x3xf64>, tensor<2x3x1x7xf64>, tensor<3x2xf64>)
        -> (tensor<2x3x2x5x3xf64>, tensor<2x3x2x5xf64>) score {
  ^bb0(%s: f64, %b: index, %h: index, %g: index, %m: index, %n: index, %x: f64):
    %t = math.tanh %s : f64
    %r = arith.addf %t, %x : f64
    fa.yield %r : f64
  }
  %out = tensor.collapse_shape %o#0 [[0], [1, 2], [3], [4]] : tensor<2x3x2x5x3xf64> into tensor<2x6x5x3xf64>
  return %out, %o#1 : tensor<2x6x5x3xf64>, tensor<2x3x2x5xf64>
}
"""

SIMPLE = """      roles <query, key, head_dim, value_dim>
      maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
            affine_map<(m, n, d, e) -> (m, e)>] empty_rows <nan>
      : (tensor<5x4xf64>, tensor<5x4xf64>, tensor<5x4xf64>) -> tensor<5x4xf64> score {
  ^bb0(%s: f64, %m: index, %n: index):
    fa.yield %s : f64
  }
"""

CHAIN = """
// Attention of attention; x is query, key and value of both; y is inserted and broadcast.
func.func @f(%x: tensor<5x4xf64>, %y: tensor<4xf64>) -> (tensor<5x4xf64>, tensor<5x4xf64>) {
  %a = fa.attention query(%x) key(%x) value(%x)
""" + SIMPLE + """  %empty = tensor.empty() : tensor<5x4xf64>
  %rows = linalg.broadcast ins(%y : tensor<4xf64>) outs(%empty : tensor<5x4xf64>) dimensions = [0]
  %sum = linalg.add ins(%a, %rows : tensor<5x4xf64>, tensor<5x4xf64>) outs(%empty : tensor<5x4xf64>) -> tensor<5x4xf64>
  %narrow = tensor.expand_shape %y [[0, 1]] output_shape [1, 4] : tensor<4xf64> into tensor<1x4xf64>
  %k = tensor.insert_slice %narrow into %sum[2, 0] [1, 4] [1, 1] : tensor<1x4xf64> into tensor<5x4xf64>
  %b = fa.attention query(%a) key(%k) value(%x)
""" + SIMPLE + """  return %b, %k : tensor<5x4xf64>, tensor<5x4xf64>
}
"""


def softmax(s, sink=None):
    """Weights and LSE over the last axis."""
    top = s.max(-1, keepdims=True)
    total = np.exp(s - top).sum(-1, keepdims=True) + (0 if sink is None else np.exp(sink - top))
    return np.exp(s - top) / total, (top + np.log(total))[..., 0]


def packed(qkv):
    q, k, v = qkv[:, :, 0] * 0.5, qkv[:, :, 1], qkv[:, :, 2]
    m, n = np.indices((6, 6))
    p, _ = softmax(np.where(m >= n, q @ k.transpose(0, 2, 1), -np.inf))
    return [(p @ v).transpose(1, 0, 2)]


def grouped(flat, k, v, bias, sink):
    q = flat.reshape(2, 3, 2, 5, 4)
    s = np.tanh(np.einsum("bhgmd,bnd->bhgmn", q, k)) + 2 * bias[:, :, :, None]
    p, lse = softmax(s, sink.reshape(1, 3, 2, 1, 1))
    return [np.einsum("bhgmn,bne->bhgme", p, v).reshape(2, 6, 5, 3), lse]


def chain(x, y):
    attention = lambda q, k, v: softmax(q @ k.T)[0] @ v
    a = attention(x, x, x)
    k = a + y
    k[2] = y
    return [attention(a, k, x), k]


FUNCTIONS = {
    "packed": (PACKED, packed, [(2, 6, 3, 4)], 1),
    "grouped": (GROUPED, grouped, [(2, 6, 5, 4), (2, 7, 4), (2, 7, 3), (2, 3, 1, 7), (6,)], 1),
    "chain": (CHAIN, chain, [(5, 4), (4,)], 2),
}


def differentiate(loss, arrays, number, h=2e-4):
    """Central differences of 4th order."""
    gradient = np.zeros(arrays[number].shape)
    for index in np.ndindex(gradient.shape):
        def at(step):
            moved = [array.copy() for array in arrays]
            moved[number][index] += step
            return loss(moved)

        gradient[index] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    return gradient


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def call(folder, ir, function, arrays, *options):
    inputs, outputs = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(inputs, **{f"arg{i}": array for i, array in enumerate(arrays)})
    run(["fa-run", ir, f"--function={function}", f"--inputs={inputs}", f"--output={outputs}", *options])
    with np.load(outputs) as results:
        return [results[f"res{i}"] for i in range(len(results.files))]


def check(name, source, function, shapes, num_attention):
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape) for shape in shapes]
    results = function(*arrays)
    cotangents = [random.standard_normal(result.shape) for result in results]
    loss = lambda moved: sum((c * r).sum() for c, r in zip(cotangents, function(*moved)))
    wanted = [differentiate(loss, arrays, i) for i in range(len(arrays))]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        ir = os.path.join(folder, "f.mlir")
        with open(ir, "w", encoding="utf-8") as file:
            file.write(source)
        for fuse in ("true", "false"):
            out = os.path.join(folder, f"{fuse}.mlir")
            run(["fa-opt", ir, f"--fa-differentiate=function=f fuse={fuse}", "-o", out])
            options = ["--tile=3x2"] if fuse == "true" else ["--no-fuse"]
            forward = call(folder, out, "f_fwd", arrays, *options)
            if len(forward) != len(results) + 2 * num_attention:
                failures.append(f"{name}, fuse={fuse}: f_fwd has {len(forward)} results")
            for i, (value, reference) in enumerate(zip(forward, results)):
                if not np.abs(value - reference).max() <= 1e-12 * np.abs(reference).max():
                    failures.append(f"{name}, fuse={fuse}: result {i} of f_fwd differs")
            saved = forward[len(results):]
            gradients = call(folder, out, "f_vjp", arrays + saved + cotangents, *options)
            for i, (value, reference) in enumerate(zip(gradients, wanted)):
                error, scale = np.abs(value - reference).max(), np.abs(reference).max()
                if not error <= TOLERANCE * scale:
                    failures.append(f"{name}, fuse={fuse}: gradient {i} differs by {error:.2e} of {scale:.2e}")
    return failures


def main():
    failures = []
    for name, case in FUNCTIONS.items():
        try:
            failures += check(name, *case)
        except RuntimeError as error:
            failures.append(f"{name}: {error}")
    for failure in failures:
        print(failure)
    print(f"{len(FUNCTIONS)} functions, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
