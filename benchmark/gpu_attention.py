#!/usr/bin/env python3
"""Checks and times the GPU kernels of a grid of attentions.

usage: gpu_attention.py compile --out=DIR [--build=build] [--jobs=2]
       gpu_attention.py values DIR [--library=build/lib/libFaRuntime.so] [--jobs=8] [--json=FILE]
       gpu_attention.py times DIR [--library=…] [--rounds=7] [--json=FILE]

`compile` needs the project's tools and no GPU: it writes one artifact for each head dim, type and mask, which
serves every length. `values` and `times` need a GPU, PyTorch and libFaRuntime.so, nothing else.
`values` compares every element with float64: fused <= 2 x unfused in the same types + slack, results poisoned
with NaN before, memory around them unchanged after, three launches equal bit for bit.
`times` goes through the kernels and PyTorch's FlashAttention-2 and cuDNN in turn, in a new order each round.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "test/Target/GPU/Inputs")]

HEAD_DIMS = [16, 40, 64, 80, 128, 160, 256]
LENGTHS = [1, 17, 128, 300, 1024, 4096]
RECTANGLES = [(1, 4096), (17, 300), (300, 128), (1025, 63)]  # queries, keys
DTYPES = ["f16", "bf16", "f32"]
MASKS = ["full", "causal", "bias", "gqa"]
SLACK = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-6}
TOKENS, WIDTH = 16384, 2048  # of the timed cells: batch x length, heads x head dim
TIMED = [(dim, length, mask, "bf16") for dim in (64, 128, 256) for mask in ("full", "causal")
         for length in (512, 1024, 2048, 4096, 8192, 16384)]
TIMED += [(dim, length, mask, "f32") for dim in (64, 128) for mask in ("full", "causal")
          for length in (1024, 4096)]


def artifact_name(mask, dtype, dim):
    return f"{mask}-{dtype}-d{dim}"


# --- compile ---------------------------------------------------------------------------------


def compile_one(job):
    """Writes one artifact; returns its name and what went wrong, if anything."""
    from cases import Case
    fa_compile, out, mask, dtype, dim = job
    case = Case(B=2, H=2, G=2 if mask == "gqa" else 1, D=dim, dtype=dtype,
                kind="causal" if mask == "gqa" else mask)
    path = os.path.join(out, artifact_name(mask, dtype, dim))
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(case.mlir())
    run = subprocess.run([fa_compile, path + ".mlir", "--machine=sm_80", "--quiet", "-o", path + ".fa"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return path, run.stdout if run.returncode else ""


def compile_all(options):
    os.makedirs(options.out, exist_ok=True)
    fa_compile = os.path.join(options.build, "bin/fa-compile")
    jobs = [(fa_compile, options.out, mask, dtype, dim)
            for mask in MASKS for dtype in DTYPES for dim in HEAD_DIMS]
    start, failures = time.time(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, error in pool.map(compile_one, jobs):
            if error:
                failures += 1
                print(f"{path}: {error}", file=sys.stderr)
    print(f"{len(jobs) - failures} of {len(jobs)} artifacts in {options.out}, {time.time() - start:.0f} s")
    return 1 if failures else 0


# --- operands and references -----------------------------------------------------------------


def torch_type(dtype):
    import torch
    return {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[dtype]


class Problem:
    """One attention on the GPU: torch operands as the artifact's arguments, in [B, H, (G,) N, D]."""

    def __init__(self, mask, dtype, dim, batch, heads, queries, keys, seed=0):
        import torch
        self.mask, self.dtype, self.dim = mask, dtype, dim
        generator = torch.Generator("cuda").manual_seed(seed)

        def normal(*shape, dtype=torch_type(dtype)):
            return torch.randn(*shape, generator=generator, device="cuda").to(dtype)

        group = [2] if mask == "gqa" else []
        self.q = normal(batch, heads, *group, queries, dim)
        self.k, self.v = normal(batch, heads, keys, dim), normal(batch, heads, keys, dim)
        self.bias = normal(heads, queries, keys, dtype=torch.float16) if mask == "bias" else None
        self.scale = dim ** -0.5

    def arguments(self):
        return [self.q, self.k, self.v] + ([self.bias] if self.mask == "bias" else [])

    def attend(self, precision):
        """Unfused, the scores and sums in `precision`, one (batch, head) at a time; as float64."""
        import torch
        out = torch.empty(self.q.shape, dtype=torch.float64, device="cuda")
        queries, keys = self.q.shape[-2], self.k.shape[-2]
        hidden = torch.ones(queries, keys, dtype=torch.bool, device="cuda").triu(1)
        for b in range(self.q.shape[0]):
            for h in range(self.q.shape[1]):
                q, k, v = (x[b, h].to(precision) for x in (self.q, self.k, self.v))
                s = (q @ k.T) * self.scale
                if self.mask in ("causal", "gqa"):
                    s.masked_fill_(hidden, float("-inf"))
                if self.mask == "bias":
                    s += self.bias[h].to(precision)
                o = torch.softmax(s, -1) @ v
                if precision != torch.float64:
                    o = o.to(torch_type(self.dtype))
                out[b, h] = o.double()
        return out


def as_operand(fa_runtime, tensor, dtype=None):
    import torch
    names = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
    return fa_runtime.Tensor(tensor.data_ptr(), dtype or names[tensor.dtype], tuple(tensor.shape),
                             tuple(tensor.stride()))


class Launcher:
    """A region bound to a problem's operands and to `out`."""

    def __init__(self, fa_runtime, region, problem, out):
        import torch
        self.bound = region.bind([as_operand(fa_runtime, x) for x in problem.arguments()],
                                 [as_operand(fa_runtime, out)])
        scratch = self.bound.scratch
        self.workspace = torch.empty(scratch.workspace_bytes, dtype=torch.uint8, device="cuda")
        self.state = torch.zeros(scratch.state_bytes, dtype=torch.uint8, device="cuda")
        self.keep = problem, out

    def __call__(self):
        import torch
        self.bound.launch(self.workspace.data_ptr(), self.state.data_ptr(),
                          torch.cuda.current_stream().cuda_stream)


# --- values ----------------------------------------------------------------------------------


def check(fa_runtime, region, mask, dtype, dim, queries, keys):
    """One row of the table: errors, verdict, and why."""
    import torch
    problem = Problem(mask, dtype, dim, 2, 2, queries, keys, seed=queries * 131 + keys)
    zone, marker = 512, 7.0
    memory = torch.full([problem.q.numel() + 2 * zone], marker, dtype=torch_type(dtype), device="cuda")
    out = memory[zone:-zone].view(problem.q.shape)
    launch, runs = Launcher(fa_runtime, region, problem, out), []
    for _ in range(3):
        out.fill_(float("nan"))
        launch()
        torch.cuda.synchronize()
        runs.append(out.clone())
    reference, unfused = problem.attend(torch.float64), problem.attend(torch.float32)
    largest = reference.abs().max()
    fused_error = ((runs[0].double() - reference).abs().max() / largest).item()
    unfused_error = ((unfused - reference).abs().max() / largest).item()
    bound = 2 * unfused_error + SLACK[dtype]
    wrong = []
    if not fused_error <= bound:  # also catches NaN
        wrong.append("error beyond the bound")
    if not all(torch.equal(run, runs[0]) for run in runs[1:]):
        wrong.append("launches differ")
    if not (bool((memory[:zone] == marker).all()) and bool((memory[-zone:] == marker).all())):
        wrong.append("wrote beyond the result")
    return {"mask": mask, "dtype": dtype, "dim": dim, "queries": queries, "keys": keys,
            "fused": fused_error, "unfused": unfused_error, "wrong": ", ".join(wrong)}


def check_artifact(job):
    """All lengths of one artifact, in a process of its own: a fault of the device ends with it."""
    import torch
    import fa_runtime
    library, folder, mask, dtype, dim = job
    torch.backends.cuda.matmul.allow_tf32 = False
    rows, start = [], time.time()
    failed = {"mask": mask, "dtype": dtype, "dim": dim, "queries": 0, "keys": 0}
    try:
        path = os.path.join(folder, artifact_name(mask, dtype, dim) + ".fa")
        region = fa_runtime.Artifact(fa_runtime.Library(library), path).region()
        loaded = time.time() - start
        for queries, keys in [(n, n) for n in LENGTHS] + RECTANGLES:
            failed.update(queries=queries, keys=keys)
            rows.append(check(fa_runtime, region, mask, dtype, dim, queries, keys))
            rows[-1].update(schedule=region.schedule, load_seconds=loaded)
    except Exception as exception:  # whatever it is belongs into the table
        rows.append({**failed, "wrong": f"{type(exception).__name__}: {exception}".split("\n")[0]})
    return rows


def check_isolated(job):
    """check_artifact in a fresh interpreter."""
    code = "import sys, json, gpu_attention as g; print(json.dumps(g.check_artifact(json.loads(sys.argv[1]))))"
    try:
        run = subprocess.run([sys.executable, "-c", code, json.dumps(job)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=240, cwd=HERE)
        return json.loads(run.stdout.strip().split("\n")[-1])
    except (subprocess.TimeoutExpired, ValueError) as exception:
        text = getattr(exception, "stderr", None) or (run.stderr if "run" in locals() else "")
        return [{"mask": job[2], "dtype": job[3], "dim": job[4], "queries": 0, "keys": 0,
                 "wrong": f"{type(exception).__name__}: {str(text)[-300:]}"}]


def check_all(options):
    jobs = [(os.path.abspath(options.library), os.path.abspath(options.folder), mask, dtype, dim)
            for dim in reversed(HEAD_DIMS) for mask in MASKS for dtype in DTYPES
            if not options.only or options.only in artifact_name(mask, dtype, dim)]
    rows, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(check_isolated, jobs):
            rows += result
            done += 1
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)} artifacts", end="", file=sys.stderr)
    wrong = [row for row in rows if row["wrong"]]
    for row in wrong:
        print(f"wrong: {row['mask']:7}{row['dtype']:5} D {row['dim']:3} {row['queries']} x {row['keys']}: "
              f"{row['wrong']} (fused {row.get('fused', 0):.2e}, unfused {row.get('unfused', 0):.2e})")
    for dtype in DTYPES:
        errors = [row["fused"] for row in rows if row["dtype"] == dtype and "fused" in row]
        if errors:
            print(f"{dtype}: {len(errors)} problems, largest error {max(errors):.2e}")
    print(f"{len(rows) - len(wrong)} of {len(rows)} right")
    write_json(options, {"rows": rows})
    return 1 if wrong or not rows else 0


# --- times -----------------------------------------------------------------------------------


def peers(problem):
    """PyTorch's kernels for the problem, by name; those that it has."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = {"FA2": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION,
                "efficient": SDPBackend.EFFICIENT_ATTENTION}
    if problem.dtype == "f32":
        backends = {"efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}
    else:
        del backends["efficient"]
    found = {}
    for name, backend in backends.items():
        def run(backend=backend):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(
                    problem.q, problem.k, problem.v, is_causal=problem.mask == "causal")
        try:
            run()
            found[name] = run
        except (RuntimeError, torch.OutOfMemoryError):
            torch.cuda.empty_cache()
    return found


def measure(call, repeats):
    """Milliseconds of one call: `repeats` of them between two events."""
    import torch
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / repeats


def time_cell(fa_runtime, library, options, dim, length, mask, dtype):
    import torch
    tokens = TOKENS if dtype != "f32" else TOKENS // 4
    problem = Problem(mask, dtype, dim, max(1, tokens // length), WIDTH // dim, length, length)
    out = torch.empty_like(problem.q)
    calls = {}
    folder, name = options.folder, artifact_name(mask, dtype, dim)
    for file in sorted(os.listdir(folder)):
        # Further schedules of the same attention are called NAME+what.fa.
        if file.endswith(".fa") and file[:-3].split("+")[0] == name:
            region = fa_runtime.Artifact(library, os.path.join(folder, file)).region()
            label = "fa-mlir" + file[len(name):-3]
            calls[label] = Launcher(fa_runtime, region, problem, out)
    ours = list(calls)
    calls.update(peers(problem))
    expected = calls["FA2"]() if "FA2" in calls else None
    for label in ours:
        out.fill_(float("nan"))
        calls[label]()
        if expected is not None:
            error = (out.float() - expected.float()).abs().max().item() / expected.abs().max().item()
            if not error < 2e-2:
                print(f"{name} at {length}: {label} differs from FA2 by {error:.1e}")
    repeats = {label: max(1, min(50, int(15 / max(measure(call, 2), 1e-3))))
               for label, call in calls.items()}
    samples = {label: [] for label in calls}
    for _ in range(options.rounds):
        order = list(calls)
        random.shuffle(order)
        for label in order:
            samples[label].append(measure(calls[label], repeats[label]))
    flops = 4 * problem.q.numel() * length * (0.5 if mask == "causal" else 1)
    return {"dim": dim, "length": length, "mask": mask, "dtype": dtype, "flops": flops,
            "milliseconds": samples}


def describe_machine():
    import torch
    query = "name,driver_version,clocks.sm,clocks.mem,power.draw,power.limit,temperature.gpu"
    smi = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
                         stdout=subprocess.PIPE, text=True).stdout.strip()
    return {"card": torch.cuda.get_device_name(), "nvidia-smi": f"{query}: {smi}",
            "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
            "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")}


def time_all(options):
    import torch
    import fa_runtime
    torch.backends.cuda.matmul.allow_tf32 = False
    library, rows = fa_runtime.Library(os.path.abspath(options.library)), []
    for dim, length, mask, dtype in TIMED:
        name = artifact_name(mask, dtype, dim)
        if options.only and options.only not in name:
            continue
        row = time_cell(fa_runtime, library, options, dim, length, mask, dtype)
        rows.append(row)
        rates = {label: row["flops"] / statistics.median(times) / 1e9
                 for label, times in row["milliseconds"].items()}
        spread = {label: max(times) / min(times) for label, times in row["milliseconds"].items()}
        print(f"{name:18} {length:6}  " + "  ".join(
            f"{label} {rate:.0f} ({spread[label]:.2f})" for label, rate in rates.items()), flush=True)
        write_json(options, {"machine": describe_machine(), "rows": rows})
    print("TFLOP/s: 4·B·H·N²·D (half of it for causal) over the median; in brackets slowest over fastest round")
    return 0


def write_json(options, content):
    if options.json:
        with open(options.json + ".new", "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
        os.replace(options.json + ".new", options.json)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("compile")
    one.add_argument("--out", required=True)
    one.add_argument("--build", default="build")
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    for name in ("values", "times"):
        one = commands.add_parser(name)
        one.add_argument("folder")
        one.add_argument("--library", default="build/lib/libFaRuntime.so")
        one.add_argument("--only", default="", help="only artifacts whose names hold this")
        one.add_argument("--json")
        one.add_argument("--jobs", type=int, default=8)
        one.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    return {"compile": compile_all, "values": check_all, "times": time_all}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
