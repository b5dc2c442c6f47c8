"""Runs fa.attention with known inputs through fa-run and compares with a reference in f64.

usage: attention_values.py [--fa-run=PATH] [--tile=MxN] [--shapes] [--no-fuse] [--filter=TEXT] [--jobs=2]
Prints the failures and "N cases, F failed"; exits 1 if one failed.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import numpy as np

import attention_cases

DIMS = "b, h, g, m, n, d, e"
LAYOUTS = {  # query, key, value, output
    "bhsd": ("b, h, g, m, d", "b, h, n, d", "b, h, n, e", "b, h, g, m, e"),
    "bshd": ("b, m, h, g, d", "b, n, h, d", "b, n, h, e", "b, m, h, g, e"),
    "transposed": ("b, h, g, m, d", "b, h, d, n", "b, h, e, n", "e, b, h, g, m"),
    "units": ("m, b, h, d, g", "n, b, h, d", "n, h, e, b", "m, h, e, b, g"),
}
STORED = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
STORED.update({"i1": np.bool_, "i32": np.int32, "i64": np.int64})


def encode(array, kind):
    if kind != "bf16":
        return np.asarray(array).astype(STORED[kind])
    bits = np.asarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def decode(array, kind):
    if kind == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array if kind.startswith("i") else array.astype(np.float64)


def names(dims):
    return [name.strip() for name in dims.split(",")] if dims else []


def write_ir(case, operands, results, sizes, accumulation):
    """The function as text; operands and results are (dims, element type)."""
    dynamic = case.get("dynamic", False)

    def type_of(dims, kind):
        is_open = lambda name: dynamic == "all" or (dynamic and name in "bmn")
        shape = ["?" if is_open(name) else str(sizes[name]) for name in names(dims)]
        return "tensor<" + "x".join(shape + [kind]) + ">"

    operand_types = [type_of(*operand) for operand in operands]
    result_types = [type_of(*result) for result in results]
    extras = case.get("extras", [])
    text = ", ".join(f"%a{i}: {t}" for i, t in enumerate(operand_types))
    text = f"func.func @f({text}) -> ({', '.join(result_types)}) {{\n"
    text += f"  %r:{len(results)} = fa.attention query(%a0) key(%a1) value(%a2)"
    if extras:
        text += f" extras({', '.join(f'%a{3 + i}' for i in range(len(extras)))})"
    if case.get("sink"):
        text += f" sink(%a{3 + len(extras)})"
    asked = [name for name in ("lse", "row_max") if case.get(name)]
    if asked:
        text += f" results({', '.join(asked)})"
    maps = [f"affine_map<({DIMS}) -> ({dims})>" for dims, _ in operands + results]
    text += " roles <batch, batch, query, query, key, head_dim, value_dim>"
    text += f" maps [{', '.join(maps)}] empty_rows <{case.get('empty', 'nan')}>"
    result_text = result_types[0] if len(results) == 1 else f"({', '.join(result_types)})"
    text += f" : ({', '.join(operand_types)}) -> {result_text}"
    arguments = f"%s: {accumulation}, %b: index, %h: index, %g: index, %m: index, %n: index"
    arguments += "".join(f", %x{i}: {extra[1]}" for i, extra in enumerate(extras))
    infinity = "0xFFF0000000000000" if accumulation == "f64" else "0xFF800000"
    for region, key in (("score", "region"), ("probability", "probability")):
        body = case.get(key, "fa.yield %s : $A" if key == "region" else None)
        if body:
            body = body.replace("$NINF", infinity).replace("$A", accumulation)
            text += f" {region} {{\n^bb0({arguments}):\n{body}\n}}"
    values = ", ".join(f"%r#{i}" for i in range(len(results)))
    return text + f"\n  return {values} : {', '.join(result_types)}\n}}\n"


def evaluate(case, operands, results, arrays):
    """The results in f64, by docs/Semantics.md."""
    letters = [dims.replace(", ", "") for dims, _ in operands]
    q, k, v = arrays[:3]
    extras = arrays[3 : 3 + len(case.get("extras", []))]
    s = np.einsum(f"{letters[0]},{letters[1]}->bhgmn", q, k)
    positions = np.indices(s.shape)
    if "score" in case:
        s = case["score"](s, *positions, *extras)
    row_max = s.max(-1, initial=-np.inf)
    sink = arrays[-1][None, :, :, None] if case.get("sink") else None
    if sink is not None:
        row_max = np.maximum(row_max, sink)
    safe = np.where(np.isneginf(row_max), 0, row_max)
    p = np.exp(s - safe[..., None])
    total = p.sum(-1) + (0 if sink is None else np.exp(sink - safe))
    weights = p / total[..., None]
    if "weigh" in case:
        weights = case["weigh"](weights, *positions, *extras)
    values = np.einsum(f"{letters[2]}->bhne", v)
    out = np.zeros(s.shape[:-1] + values.shape[-1:])
    for n in range(s.shape[-1]):
        term = weights[..., n, None] * values[:, :, None, None, n, :]
        out += np.where(np.isneginf(s[..., n, None]), 0, term)
    lse = safe + np.log(total)
    empty = np.isneginf(row_max)
    is_nan = case.get("empty", "nan") == "nan" and s.shape[-1] > 0
    out[empty] = np.nan if is_nan else 0
    lse[empty] = np.nan if is_nan else -np.inf
    wanted = [np.einsum(f"bhgme->{results[0][0].replace(', ', '')}", out)]
    return wanted + [x for x, name in ((lse, "lse"), (row_max, "row_max")) if case.get(name)]


def check(fa_run, tile, no_fuse, name, case):
    """None, or why the case failed."""
    sizes = {key: case.get(key.upper(), default) for key, default in
             (("b", 1), ("h", 2), ("g", 1), ("m", 7), ("n", 11), ("d", 4))}
    sizes["e"] = case.get("E", sizes["d"])
    kind = case.get("kind", "f32")
    accumulation = "f64" if kind == "f64" else "f32"
    layout = LAYOUTS[case.get("layout", "bhsd")]
    operands = [(dims, kind) for dims in layout[:3]]
    operands += [(dims, extra_kind) for dims, extra_kind, _ in case.get("extras", [])]
    operands += [("h, g", accumulation)] if case.get("sink") else []
    rows = ("b, h, g, m", accumulation)
    results = [(layout[3], kind)] + [rows for key in ("lse", "row_max") if case.get(key)]

    random = np.random.default_rng(0)
    shape = lambda dims: [sizes[key] for key in names(dims)]
    arrays = [random.standard_normal(shape(dims)) * case.get("factor", 1) for dims, _ in operands[:3]]
    for _, _, extra in case.get("extras", []):
        arrays.append(extra(random) if callable(extra) else extra)
    if case.get("sink"):
        arrays.append(random.standard_normal(shape(operands[-1][0])))
    if "change" in case:
        case["change"](arrays)
    stored = [encode(array, operand[1]) for array, operand in zip(arrays, operands)]
    read = [decode(array, operand[1]) for array, operand in zip(stored, operands)]
    with np.errstate(all="ignore"):
        wanted = evaluate(case, operands, results, read)

    with tempfile.TemporaryDirectory() as folder:
        ir, npz = os.path.join(folder, "f.mlir"), os.path.join(folder, "f.npz")
        with open(ir, "w", encoding="utf-8") as file:
            file.write(write_ir(case, operands, results, sizes, accumulation))
        contents = {f"arg{i}": array for i, array in enumerate(stored)}
        contents.update({f"ref{i}": array for i, array in enumerate(wanted)})
        np.savez(npz, **contents)
        command = [fa_run, ir, f"--inputs={npz}", f"--expect={npz}"] + ([f"--tile={tile}"] if tile else [])
        command += ["--no-fuse"] if no_fuse else []
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or (not no_fuse and "1 region fused" not in done.stdout):
        return f"{name}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fa-run", default="fa-run")
    parser.add_argument("--tile", default="")
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--no-fuse", action="store_true")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cases = attention_cases.list_shapes() if options.shapes else attention_cases.list_cases()
    # Unfused code multiplies weights of 0 by whatever is there.
    skipped = ("f3_",) if options.no_fuse else ("-",)
    cases = [(name, case) for name, case in cases if options.filter in name and not name.startswith(skipped)]
    run = lambda item: check(options.fa_run, options.tile, options.no_fuse, *item)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [failure for failure in pool.map(run, cases) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(cases)} cases, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
