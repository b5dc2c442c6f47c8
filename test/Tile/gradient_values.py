"""Runs fa.attention_backward with known inputs through fa-run and compares with a reference in f64.

usage: gradient_values.py [--fa-run=PATH] [--tile=MxN] [--shapes] [--no-fuse] [--filter=TEXT] [--jobs=2]
The reference differentiates regions by complex steps, so it shares no rule with the compiler.
Prints the failures and "N cases, F failed"; exits 1 if one failed.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import numpy as np

import gradient_cases
from attention_values import LAYOUTS, decode, encode, names

DIMS = "b, h, g, m, n, d, e"
STEP = 1e-30


def write_ir(case, operands, results, sizes, accumulation, wrt):
    """The function as text; operands and results are (dims, element type)."""
    dynamic = case.get("dynamic", False)

    def type_of(dims, kind):
        is_open = lambda name: dynamic == "all" or (dynamic and name in "bmn")
        shape = ["1" if name == "0" else "?" if is_open(name) else str(sizes[name]) for name in names(dims)]
        return "tensor<" + "x".join(shape + [kind]) + ">"

    operand_types = [type_of(*operand) for operand in operands]
    result_types = [type_of(*result) for result in results]
    extras = case.get("extras", [])
    text = ", ".join(f"%a{i}: {t}" for i, t in enumerate(operand_types))
    text = f"func.func @f({text}) -> ({', '.join(result_types)}) {{\n"
    text += f"  %r:{len(results)} = fa.attention_backward query(%a0) key(%a1) value(%a2)"
    number = 3 + len(extras)
    if extras:
        text += f" extras({', '.join(f'%a{3 + i}' for i in range(len(extras)))})"
    if case.get("sink"):
        text += f" sink(%a{number})"
        number += 1
    text += f" output(%a{number}) lse(%a{number + 1}) d_output(%a{number + 2})"
    if case.get("d_lse"):
        text += f" d_lse(%a{number + 3})"
    text += f" gradients({', '.join(wrt)})"
    maps = [f"affine_map<({DIMS}) -> ({dims})>" for dims, _ in operands]
    text += f" roles <batch, batch, query, query, key, head_dim, value_dim> maps [{', '.join(maps)}]"
    text += f" : ({', '.join(operand_types)}) -> ({', '.join(result_types)})"
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


def expand(array, dims):
    """An operand with its dimensions in the order b, h, g, m, n, broadcast."""
    letters = names(dims)
    kept = array.reshape([size for size, name in zip(array.shape, letters) if name != "0"])
    letters = [name for name in letters if name != "0"]
    order = [letters.index(name) for name in "bhgmn" if name in letters]
    return kept.transpose(order).reshape([kept.shape[letters.index(n)] if n in letters else 1 for n in "bhgmn"])


def reduce_to(array, dims, letters="bhgmn"):
    """Sums over what `dims` does not have."""
    wanted = [name for name in names(dims) if name != "0"]
    summed = np.einsum(f"{letters}->{''.join(wanted)}", array)
    return summed.reshape([1 if name == "0" else array.shape[letters.index(name)] for name in names(dims)])


def derivative(function, arguments, number):
    """∂function/∂arguments[number] for every element."""
    changed = list(arguments)
    changed[number] = changed[number] + STEP * 1j
    return np.imag(function(*changed)) / STEP


def scores_of(case, q, k, extras):
    s = np.einsum("bhgmd,bhnd->bhgmn", q, k)
    positions = np.indices(s.shape)
    function = lambda s, *x: case["score"](s, *positions, *x) if "score" in case else s
    weigh = lambda w, *x: case["weigh"](w, *positions, *x) if "weigh" in case else w
    return s, function, weigh


def forward(case, q, k, v, extras, sink):
    """O and LSE; rows without keys as the case says."""
    s, function, weigh = scores_of(case, q, k, extras)
    scores = np.broadcast_to(function(s, *extras), s.shape)
    row_max = scores.max(-1, initial=-np.inf)
    if sink is not None:
        row_max = np.maximum(row_max, sink)
    safe = np.where(np.isneginf(row_max), 0, row_max)
    total = np.exp(scores - safe[..., None]).sum(-1) + (0 if sink is None else np.exp(sink - safe))
    lse = safe + np.log(total)
    p = np.where(np.isneginf(scores), 0, np.exp(scores - np.where(np.isneginf(lse), 0, lse)[..., None]))
    values = np.where(np.isneginf(scores)[..., None], 0, v[:, :, None, None])
    out = (weigh(p, *extras)[..., None] * values).sum(-2)
    if case.get("empty") == "nan":
        out[np.isneginf(row_max)] = lse[np.isneginf(row_max)] = np.nan
    return out, lse


def backward(case, q, k, v, extras, sink, out, lse, d_out, d_lse):
    """The gradients in f64, by docs/Semantics.md: of query, key, value, extras, sink."""
    s, function, weigh = scores_of(case, q, k, extras)
    scores = np.broadcast_to(function(s, *extras), s.shape)
    p = np.where(np.isneginf(scores), 0, np.exp(scores - lse[..., None]))
    delta = (d_out * out).sum(-1) - (0 if d_lse is None else d_lse)
    zero_at = lambda array: np.where(p == 0, 0, array)
    d_weight = np.einsum("bhgme,bhne->bhgmn", d_out, v)
    d_p = d_weight * derivative(weigh, [p, *extras], 0)
    seed = p * (d_p - delta[..., None])
    ds = zero_at(seed * derivative(function, [s, *extras], 0))
    product = lambda text, a, b, mask: np.einsum(text, a, np.nan_to_num(b, nan=0, posinf=0, neginf=0) if mask else b)
    gradients = [
        product("bhgmn,bhnd->bhgmd", ds, k, True),
        np.einsum("bhgmn,bhgmd->bhnd", ds, q),
        np.einsum("bhgmn,bhgme->bhne", np.where(p == 0, 0, weigh(p, *extras)), d_out),
    ]
    for i in range(len(extras)):
        gradient = seed * derivative(function, [s, *extras], 1 + i)
        gradient = gradient + d_weight * derivative(weigh, [p, *extras], 1 + i)
        gradients.append(zero_at(np.broadcast_to(gradient, s.shape)))
    if sink is not None:
        gradients.append(np.where(np.isneginf(sink), 0, -np.exp(sink - lse) * delta))
    return gradients


def check(options, name, case):
    """None, or why the case failed."""
    sizes = {key: case.get(key.upper(), default) for key, default in
             (("b", 1), ("h", 2), ("g", 1), ("m", 7), ("n", 11), ("d", 4))}
    sizes["e"] = case.get("E", sizes["d"])
    kind = case.get("kind", "f32")
    accumulation = "f64" if kind == "f64" else "f32"
    layout = LAYOUTS[case.get("layout", "bhsd")]
    rows = ("b, h, g, m", accumulation)
    extras = case.get("extras", [])
    operands = [(dims, kind) for dims in layout[:3]] + [(dims, extra_kind) for dims, extra_kind, _ in extras]
    operands += [(case.get("sink"), accumulation)] if case.get("sink") else []
    operands += [(layout[3], kind), rows, (layout[3], kind)] + ([rows] if case.get("d_lse") else [])
    wrt = case.get("wrt", ["query", "key", "value"])
    positions = {"query": 0, "key": 1, "value": 2, "sink": 3 + len(extras)}
    numbers = [positions[w] if w in positions else 3 + int(w.split()[1]) for w in wrt]
    results = [operands[number] for number in numbers]

    random = np.random.default_rng(0)
    shape = lambda dims: [1 if key == "0" else sizes[key] for key in names(dims)]
    arrays = [random.standard_normal(shape(dims)) * case.get("factor", 1) for dims, _ in operands[:3]]
    for _, _, extra in extras:
        arrays.append(extra(random) if callable(extra) else extra)
    if case.get("sink"):
        arrays.append(random.standard_normal(shape(case["sink"])))
    if "change" in case:
        case["change"](arrays)
    stored = [encode(array, operand[1]) for array, operand in zip(arrays, operands)]
    read = [decode(array, operand[1]) for array, operand in zip(stored, operands)]
    letters = [dims.replace(", ", "") for dims, _ in operands]
    canonical = ["bhgmd", "bhnd", "bhne"]
    q, k, v = (np.einsum(f"{letters[i]}->{canonical[i]}", read[i]) for i in range(3))
    wide = [expand(read[3 + i], operands[3 + i][0]) for i in range(len(extras))]
    sink = expand(read[3 + len(extras)], case["sink"])[..., 0] if case.get("sink") else None
    with np.errstate(all="ignore"):
        out, lse = forward(case, q, k, v, wide, sink)
        d_out = random.standard_normal(out.shape)
        d_lse = random.standard_normal(lse.shape) if case.get("d_lse") else None
        for array, operand in zip([np.einsum(f"bhgme->{layout[3].replace(', ', '')}", out), lse,
                                   np.einsum(f"bhgme->{layout[3].replace(', ', '')}", d_out)] +
                                  ([d_lse] if d_lse is not None else []), operands[len(stored):]):
            stored.append(encode(array, operand[1]))
        # The op's operands are the rounded ones.
        back = lambda array: np.einsum(f"{layout[3].replace(', ', '')}->bhgme", array)
        out, d_out = back(decode(stored[len(arrays)], kind)), back(decode(stored[len(arrays) + 2], kind))
        lse = decode(stored[len(arrays) + 1], accumulation)
        gradients = backward(case, q, k, v, wide, sink, out, lse, d_out, d_lse)
    wanted = []
    if case.get("is_zero"):  # exactly; the reference's own rounding would be larger
        gradients = [np.zeros_like(gradient) for gradient in gradients]
    for number in numbers:
        if number < 3:
            wanted.append(np.einsum(f"{canonical[number]}->{letters[number]}", gradients[number]))
        else:
            dims = "bhgm" if number == positions["sink"] and case.get("sink") else "bhgmn"
            wanted.append(reduce_to(gradients[number], operands[number][0], dims))

    with tempfile.TemporaryDirectory() as folder:
        ir, npz = os.path.join(folder, "f.mlir"), os.path.join(folder, "f.npz")
        with open(ir, "w", encoding="utf-8") as file:
            file.write(write_ir(case, operands, results, sizes, accumulation, wrt))
        contents = {f"arg{i}": array for i, array in enumerate(stored)}
        contents.update({f"ref{i}": array for i, array in enumerate(wanted)})
        np.savez(npz, **contents)
        command = [options.fa_run, ir, f"--inputs={npz}", f"--expect={npz}"]
        command += [f"--tile={options.tile}"] if options.tile else []
        command += ["--no-fuse"] if options.no_fuse else []
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or (not options.no_fuse and "1 region fused" not in done.stdout):
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
    cases = gradient_cases.list_shapes() if options.shapes else gradient_cases.list_cases()
    # Unfused code multiplies weights of 0 by whatever is there.
    skipped = ("g3_nan", "g3_inf") if options.no_fuse else ("-",)
    cases = [(name, case) for name, case in cases if options.filter in name and not name.startswith(skipped)]
    run = lambda item: check(options, *item)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [failure for failure in pool.map(run, cases) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(cases)} cases, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
