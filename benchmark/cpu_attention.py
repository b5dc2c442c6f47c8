#!/usr/bin/env python3
"""Times attention on the CPU: fused by this project, unfused through upstream passes, and PyTorch.

usage: cpu_attention.py [--build=build] [--llvm=/usr/lib/llvm-22/bin] [--rounds=7] [--json=FILE]
Run it with a Python that has NumPy; PyTorch is compared with where it can be imported. All three get
two threads and the same input in one process; rounds go through them in turn, so that other load on
the machine hits them alike. Prints medians of wall time, ratios, and processor seconds of the best
round, which other load disturbs least. Values are checked against each other first.
The unfused program is the same IR through the fixed list of passes below (unfused_schedule.mlir).
"""

import argparse
import ctypes
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

THREADS = 2
HERE = os.path.dirname(os.path.abspath(__file__))
UNFUSED_PASSES = [
    f"--transform-preload-library=transform-library-paths={HERE}/unfused_schedule.mlir",
    "--transform-interpreter",
    "--canonicalize",
    "--cse",
    "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
    "--canonicalize",
    "--scf-forall-to-parallel",
    "--lower-vector-multi-reduction",
    "--convert-linalg-to-loops",
    "--test-math-polynomial-approximation",
    "--convert-scf-to-openmp",
    "--canonicalize",
    "--convert-vector-to-scf=full-unroll=true",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--arith-expand=include-bf16",
    "--convert-vector-to-llvm=vector-contract-lowering=outerproduct",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]


def write_ir(kind, heads, length, depth, causal):
    """softmax(Q·Kᵀ/√d)·V on linalg, with sums in f32."""
    tensor = f"tensor<{heads}x{length}x{depth}x{kind}>"
    scores, rows = f"tensor<{heads}x{length}x{length}xf32>", f"tensor<{heads}x{length}xf32>"
    wide = f"tensor<{heads}x{length}x{depth}xf32>"
    extend = lambda name: f"%{name}w = arith.extf %{name} : bf16 to f32" if kind == "bf16" else ""
    use = lambda name: f"%{name}w" if kind == "bf16" else f"%{name}"
    mask = """%i = linalg.index 1 : index
      %j = linalg.index 2 : index
      %keep = arith.cmpi sge, %i, %j : index
      %r = arith.select %keep, %x, %ninf : f32"""
    narrow = f"""%narrow = tensor.empty() : {tensor}
    %res = linalg.generic {{indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"], kind = "map"}}
        ins(%o : {wide}) outs(%narrow : {tensor}) {{
    ^bb0(%a: f32, %b: bf16):
      %t = arith.truncf %a : f32 to bf16
      linalg.yield %t : bf16
    }} -> {tensor}"""
    return f"""
#full = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>
#hmd = affine_map<(h, m, n, d) -> (h, m, d)>
#hnd = affine_map<(h, m, n, d) -> (h, n, d)>
#hmn = affine_map<(h, m, n, d) -> (h, m, n)>
#pv_p = affine_map<(h, m, e, n) -> (h, m, n)>
#pv_v = affine_map<(h, m, e, n) -> (h, n, e)>
#pv_o = affine_map<(h, m, e, n) -> (h, m, e)>
func.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}) -> {tensor} attributes {{llvm.emit_c_interface}} {{
    %zero = arith.constant 0.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %scale = arith.constant {1 / depth ** 0.5!r} : f32
    %se = tensor.empty() : {scores}
    %re = tensor.empty() : {rows}
    %oe = tensor.empty() : {wide}
    %sz = linalg.fill ins(%zero : f32) outs(%se : {scores}) -> {scores}
    %rz = linalg.fill ins(%zero : f32) outs(%re : {rows}) -> {rows}
    %rn = linalg.fill ins(%ninf : f32) outs(%re : {rows}) -> {rows}
    %oz = linalg.fill ins(%zero : f32) outs(%oe : {wide}) -> {wide}
    %s = linalg.generic {{indexing_maps = [#hmd, #hnd, #hmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = "product"}}
        ins(%q, %k : {tensor}, {tensor}) outs(%sz : {scores}) {{
    ^bb0(%a: {kind}, %b: {kind}, %c: f32):
      {extend("a")}
      {extend("b")}
      %p = arith.mulf {use("a")}, {use("b")} : f32
      %t = arith.addf %c, %p : f32
      linalg.yield %t : f32
    }} -> {scores}
    %masked = linalg.generic {{indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"], kind = "map"}}
        ins(%s : {scores}) outs(%se : {scores}) {{
    ^bb0(%a: f32, %b: f32):
      %x = arith.mulf %a, %scale : f32
      {mask if causal else ""}
      linalg.yield {"%r" if causal else "%x"} : f32
    }} -> {scores}
    %max = linalg.generic {{indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"], kind = "reduction"}}
        ins(%masked : {scores}) outs(%rn : {rows}) {{
    ^bb0(%a: f32, %b: f32):
      %t = arith.maximumf %a, %b : f32
      linalg.yield %t : f32
    }} -> {rows}
    %e = linalg.generic {{indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"], kind = "map"}}
        ins(%masked, %max : {scores}, {rows}) outs(%se : {scores}) {{
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      %t = math.exp %d : f32
      linalg.yield %t : f32
    }} -> {scores}
    %sum = linalg.generic {{indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"], kind = "reduction"}}
        ins(%e : {scores}) outs(%rz : {rows}) {{
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      linalg.yield %t : f32
    }} -> {rows}
    %p = linalg.generic {{indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"], kind = "map"}}
        ins(%e, %sum : {scores}, {rows}) outs(%se : {scores}) {{
    ^bb0(%a: f32, %b: f32, %c: f32):
      %t = arith.divf %a, %b : f32
      linalg.yield %t : f32
    }} -> {scores}
    %o = linalg.generic {{indexing_maps = [#pv_p, #pv_v, #pv_o], iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = "product"}}
        ins(%p, %v : {scores}, {tensor}) outs(%oz : {wide}) {{
    ^bb0(%a: f32, %b: {kind}, %c: f32):
      {extend("b")}
      %t = arith.mulf %a, {use("b")} : f32
      %u = arith.addf %c, %t : f32
      linalg.yield %u : f32
    }} -> {wide}
    {narrow if kind == "bf16" else ""}
    return {"%res" if kind == "bf16" else "%o"} : {tensor}
}}
"""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[:2])} …: {done.stderr[:2000]}")


def build_library(passes, tool, ir, llvm, folder, name):
    """A shared library from IR, by LLVM's own tools."""
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(ir)
    run([tool, path + ".mlir", *passes, "-o", path + ".llvm.mlir"])
    run([f"{llvm}/mlir-translate", "--mlir-to-llvmir", path + ".llvm.mlir", "-o", path + ".ll"])
    run([f"{llvm}/clang", "-O3", "-march=native", "-fno-math-errno", "-Wno-override-module", "-fPIC",
         "-shared", path + ".ll", "-o", path + ".so", "-lm"])
    return ctypes.CDLL(path + ".so")


class Descriptor(ctypes.Structure):
    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * 3),
                ("strides", ctypes.c_int64 * 3)]


def describe(array):
    strides = [s // array.itemsize for s in array.strides]
    return Descriptor(array.ctypes.data, array.ctypes.data, 0, (ctypes.c_int64 * 3)(*array.shape),
                      (ctypes.c_int64 * 3)(*strides))


def make_call(library, arrays):
    """A function that runs the library's attention and returns a copy of the result if asked."""
    descriptors = [describe(array) for array in arrays]
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]

    def call(wants_result=False):
        result = Descriptor()
        library._mlir_ciface_attention(ctypes.byref(result), *map(ctypes.byref, descriptors))
        copy = None
        if wants_result:
            data = ctypes.string_at(result.aligned, arrays[0].nbytes)
            copy = np.frombuffer(data, arrays[0].dtype).reshape(arrays[0].shape)
        free(result.allocated)
        return copy

    return call


def to_bf16(array):
    bits = array.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(array):
    return (array.astype(np.uint32) << 16).view(np.float32)


def make_torch_call(kind, arrays, causal):
    try:
        import torch
    except ImportError:
        return None, None
    torch.set_num_threads(THREADS)
    tensors = [torch.from_numpy(a.view(np.int16) if kind == "bf16" else a) for a in arrays]
    if kind == "bf16":
        tensors = [t.view(torch.bfloat16) for t in tensors]
    tensors = [t.unsqueeze(0) for t in tensors]

    def call(wants_result=False):
        out = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)
        return out[0].float().numpy() if wants_result else None

    return call, torch.__version__


def measure(calls, rounds):
    """name -> wall times and processor times of each round, in turn."""
    wall = {name: [] for name in calls}
    processor = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
            start = time.perf_counter()
            call()
            wall[name].append(time.perf_counter() - start)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_utime - used
            processor[name].append(max(used, 1e-6))
    return wall, processor


def compare(kind, depth, causal, options, folder):
    heads, length = options.heads, options.length
    random = np.random.default_rng(0)
    plain = [random.standard_normal((heads, length, depth)).astype(np.float32) for _ in range(3)]
    arrays = [to_bf16(a) for a in plain] if kind == "bf16" else plain
    ir = write_ir(kind, heads, length, depth, causal)
    name = f"{kind}_{depth}_{causal}"
    fused = ["--fuse-attention=to=loops require=1", "--fa-cpu-to-llvm"]
    calls = {"fused": make_call(build_library(fused, f"{options.build}/bin/fa-opt", ir, options.llvm,
                                              folder, name + "_fused"), arrays)}
    if not options.no_unfused:
        calls["unfused"] = make_call(
            build_library(UNFUSED_PASSES, f"{options.llvm}/mlir-opt", ir, options.llvm, folder,
                          name + "_unfused"), arrays)
    torch_call, version = make_torch_call(kind, arrays, causal)
    if torch_call:
        calls["torch"] = torch_call
    results = {}
    for who, call in calls.items():
        result = call(True)
        results[who] = from_bf16(result) if result.dtype == np.uint16 else result
    for who, result in results.items():
        error = np.abs(result - results["fused"]).max() / np.abs(results["fused"]).max()
        if error > (2e-2 if kind == "bf16" else 2e-5):
            sys.exit(f"{name}: {who} differs from fused by {error}")
    wall, processor = measure(calls, options.rounds)
    flops = 4 * heads * length * length * depth * (0.5 if causal else 1)
    row = {"type": kind, "head_dim": depth, "causal": causal, "torch_version": version,
           "flops": flops}
    for who in calls:
        row[who] = {"wall_median_s": statistics.median(wall[who]), "wall_min_s": min(wall[who]),
                    "wall_max_s": max(wall[who]), "processor_min_s": min(processor[who])}
    return row


def print_row(row):
    text = f"{row['type']:5} d{row['head_dim']:<4}{'causal' if row['causal'] else 'full':7}"
    fused = row["fused"]
    text += f" fused {fused['wall_median_s'] * 1e3:7.1f} ms"
    text += f" {row['flops'] / fused['processor_min_s'] / 1e9:6.0f} GFLOP/s per core"
    for who in ("unfused", "torch"):
        if who in row:
            other = row[who]
            text += (f" | {who} {other['wall_median_s'] * 1e3:7.1f} ms, ratio "
                     f"{other['wall_median_s'] / fused['wall_median_s']:.2f} wall, "
                     f"{other['processor_min_s'] / fused['processor_min_s']:.2f} processor")
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--no-unfused", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(THREADS)
    os.environ["OMP_WAIT_POLICY"] = "passive"  # waiting is not work
    for library in ("libomp.so.5", "libmlir_c_runner_utils.so"):
        try:
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            ctypes.CDLL(os.path.join(options.llvm, "..", "lib", library), mode=ctypes.RTLD_GLOBAL)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("f32", "bf16"):
            for depth in (64, 128):
                for causal in (False, True):
                    rows.append(compare(kind, depth, causal, options, folder))
                    print_row(rows[-1])
    if options.json:
        load = os.getloadavg()
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(),
                       "threads": THREADS, "load_average": load, "rounds": options.rounds,
                       "heads": options.heads, "length": options.length, "rows": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
