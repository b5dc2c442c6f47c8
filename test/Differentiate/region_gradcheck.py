"""Gradients through random score and probability regions, against central differences in f64.

usage: region_gradcheck.py [--fa-run=PATH] [--seeds=100] [--first=0] [--jobs=2]
Region `seed` has one op of OPS by turns, so that each is tried with every order of the others.
Prints the failures and "N regions, F failed"; exits 1 if one failed.
"""

import argparse
import concurrent.futures
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

M, N, D, E = 4, 5, 2, 3
TOLERANCE = 1e-7  # of the largest element; central differences of 4th order have about 1e-10
erf = np.vectorize(math.erf)


class Code:
    """A region under construction: MLIR text and NumPy functions side by side."""

    def __init__(self, arguments):
        self.lines, self.steps, self.values = [], [], list(arguments)
        self.count = 0

    def emit(self, text, function, *operands):
        """`text` with {0}, {1}, … for operands; `function` of their arrays."""
        name = f"%t{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text.format(*operands)}")
        self.steps.append((name, function, operands))
        self.values.append(name)
        return name

    def constant(self, value):
        return self.emit(f"arith.constant {float(value)!r} : f64", lambda: np.float64(value))

    def unary(self, op, function, a):
        return self.emit(op + " {0} : f64", function, a)

    def binary(self, op, function, a, b):
        return self.emit(op + " {0}, {1} : f64", function, a, b)

    # Arguments that keep an op inside its domain.
    def positive(self, a):
        return self.binary("arith.addf", np.add, self.binary("arith.mulf", np.multiply, a, a), self.constant(0.5))

    def bounded(self, a):
        return self.binary("arith.mulf", np.multiply, self.unary("math.tanh", np.tanh, a), self.constant(0.9))

    def above_one(self, a):
        return self.binary("arith.addf", np.add, self.positive(a), self.constant(0.75))

    def compare(self, a, b):
        return self.emit("arith.cmpf olt, {0}, {1} : f64", np.less, a, b)


def wrap(op, function, prepare=None):
    return lambda c, a, b: c.unary(op, function, getattr(c, prepare)(a) if prepare else a)


def pair(op, function, second=None):
    return lambda c, a, b: c.binary(op, function, a, getattr(c, second)(b) if second else b)


def fpowi(c, a, b):
    exponent = c.emit("arith.constant 3 : i32", lambda: 3)
    return c.emit("math.fpowi {0}, {1} : f64, i32", lambda x, n: x**n, c.bounded(a), exponent)


def choice(c, a, b):
    return c.emit("arith.select {0}, {1}, {2} : f64", np.where, c.compare(a, b), a, b)


def floor(c, a, b):
    return c.binary("arith.addf", np.add, c.unary("math.floor", np.floor, a), b)


def through_integer(c, a, b):
    scaled = c.binary("arith.mulf", np.multiply, a, c.constant(3.0))
    integer = c.emit("arith.fptosi {0} : f64 to i32", np.trunc, scaled)
    back = c.emit("arith.sitofp {0} : i32 to f64", lambda x: x, integer)
    return c.binary("arith.addf", np.add, back, b)


OPS = {
    "addf": pair("arith.addf", np.add),
    "subf": pair("arith.subf", np.subtract),
    "mulf": pair("arith.mulf", np.multiply),
    "divf": pair("arith.divf", np.divide, "positive"),
    "remf": pair("arith.remf", np.fmod, "positive"),
    "negf": wrap("arith.negf", np.negative),
    "maximumf": pair("arith.maximumf", np.maximum),
    "minimumf": pair("arith.minimumf", np.minimum),
    "maxnumf": pair("arith.maxnumf", np.maximum),
    "minnumf": pair("arith.minnumf", np.minimum),
    "select": choice,
    "absf": wrap("math.absf", np.abs),
    "copysign": pair("math.copysign", np.copysign),
    "fma": lambda c, a, b: c.emit("math.fma {0}, {1}, {0} : f64", lambda x, y: x * y + x, a, b),
    "clampf": lambda c, a, b: c.emit("math.clampf {0} to [{1}, {2}] : f64", lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi), a, c.bounded(b), c.above_one(b)),
    "sqrt": wrap("math.sqrt", np.sqrt, "positive"),
    "rsqrt": wrap("math.rsqrt", lambda x: 1 / np.sqrt(x), "positive"),
    "cbrt": wrap("math.cbrt", np.cbrt, "positive"),
    "exp": wrap("math.exp", np.exp, "bounded"),
    "exp2": wrap("math.exp2", np.exp2, "bounded"),
    "expm1": wrap("math.expm1", np.expm1, "bounded"),
    "log": wrap("math.log", np.log, "positive"),
    "log2": wrap("math.log2", np.log2, "positive"),
    "log10": wrap("math.log10", np.log10, "positive"),
    "log1p": wrap("math.log1p", np.log1p, "positive"),
    "powf": lambda c, a, b: c.binary("math.powf", np.power, c.positive(a), c.bounded(b)),
    "fpowi": fpowi,
    "sin": wrap("math.sin", np.sin),
    "cos": wrap("math.cos", np.cos),
    "tan": wrap("math.tan", np.tan, "bounded"),
    "asin": wrap("math.asin", np.arcsin, "bounded"),
    "acos": wrap("math.acos", np.arccos, "bounded"),
    "atan": wrap("math.atan", np.arctan),
    "atan2": pair("math.atan2", np.arctan2, "positive"),
    "sinh": wrap("math.sinh", np.sinh, "bounded"),
    "cosh": wrap("math.cosh", np.cosh, "bounded"),
    "tanh": wrap("math.tanh", np.tanh),
    "asinh": wrap("math.asinh", np.arcsinh),
    "acosh": wrap("math.acosh", np.arccosh, "above_one"),
    "atanh": wrap("math.atanh", np.arctanh, "bounded"),
    "erf": wrap("math.erf", erf),
    "erfc": wrap("math.erfc", lambda x: 1 - erf(x)),
    "floor": floor,
    "fptosi": through_integer,
}


def make_region(random, first, inputs, forced):
    """Random ops on `inputs`, the op `forced` on `first` among them; the values stay small."""
    code = Code(inputs)
    kinds = list(OPS)
    value = OPS[forced](code, first, inputs[random.integers(len(inputs))])
    for _ in range(random.integers(2, 6)):
        pool = inputs + [value]
        a, b = pool[random.integers(len(pool))], pool[random.integers(len(pool))]
        term = OPS[kinds[random.integers(len(kinds))]](code, a, b)
        term = code.bounded(term)
        value = code.binary("arith.addf", np.add, code.bounded(value), term)
    return code, value


def run_region(code, result, arguments):
    values = dict(arguments)
    for name, function, operands in code.steps:
        values[name] = function(*[values[operand] for operand in operands])
    return values[result]


class Case:
    def __init__(self, seed):
        random = np.random.default_rng(seed)
        forced = list(OPS)[seed % len(OPS)]
        self.name = f"seed {seed} ({forced})"
        self.has_mask, self.has_sink = seed % 3 == 0, seed % 4 == 0
        self.has_probability = seed % 2 == 0
        self.score = make_region(random, "%s", ["%s", "%x0", "%x1"], forced)
        self.factor = make_region(random, "%x0", ["%x0", "%x1"], forced)
        shapes = {"q": (M, D), "k": (N, D), "v": (N, E), "x0": (N,), "x1": (), "d_out": (M, E), "d_lse": (M,)}
        self.arrays = {name: random.standard_normal(shape) for name, shape in shapes.items()}
        self.arrays["sink"] = random.standard_normal(()) if self.has_sink else None

    def forward(self, q, k, v, x0, x1, sink):
        s = q @ k.T
        m, n = np.indices(s.shape)
        scores = run_region(*self.score, {"%s": s, "%x0": x0, "%x1": x1})
        scores = np.broadcast_to(scores, s.shape) + 0.5 * s
        if self.has_mask:
            scores = np.where(n <= m + 1, scores, -np.inf)
        top = scores.max(-1)
        total = np.exp(scores - top[:, None]).sum(-1) + (0 if sink is None else np.exp(sink - top))
        lse = top + np.log(total)
        p = np.exp(scores - lse[:, None])
        if self.has_probability:
            p = p * run_region(*self.factor, {"%x0": x0, "%x1": x1})
        return p @ v, lse

    def loss(self, **changed):
        arrays = {name: changed.get(name, self.arrays[name]) for name in ("q", "k", "v", "x0", "x1", "sink")}
        out, lse = self.forward(**arrays)
        return (out * self.arrays["d_out"]).sum() + (lse * self.arrays["d_lse"]).sum()

    def differentiate(self, name, h=2e-4):
        """Central differences of 4th order."""
        base = self.arrays[name]
        gradient = np.zeros(base.shape)
        for index in np.ndindex(base.shape):
            def at(step):
                moved = base.copy()
                moved[index] += step
                return self.loss(**{name: moved})

            gradient[index] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        return gradient

    def write_ir(self):
        maps = {"q": "m, d", "k": "n, d", "v": "n, e", "x0": "n", "x1": "", "sink": "", "o": "m, e", "l": "m"}
        types = {"q": f"{M}x{D}x", "k": f"{N}x{D}x", "v": f"{N}x{E}x", "x0": f"{N}x", "x1": "", "sink": "", "o": f"{M}x{E}x", "l": f"{M}x"}
        order = ["q", "k", "v", "x0", "x1"] + (["sink"] if self.has_sink else []) + ["o", "l", "o", "l"]
        operand_types = [f"tensor<{types[name]}f64>" for name in order]
        results = operand_types[: 6 if self.has_sink else 5]
        text = ", ".join(f"%a{i}: {t}" for i, t in enumerate(operand_types))
        text = f"func.func @f({text}) -> ({', '.join(results)}) {{\n  %g:{len(results)} = fa.attention_backward"
        text += " query(%a0) key(%a1) value(%a2) extras(%a3, %a4)" + (" sink(%a5)" if self.has_sink else "")
        i = len(results)
        text += f" output(%a{i}) lse(%a{i + 1}) d_output(%a{i + 2}) d_lse(%a{i + 3})"
        text += f" gradients(query, key, value, extra 0, extra 1{', sink' if self.has_sink else ''})"
        text += " roles <query, key, head_dim, value_dim> maps ["
        text += ", ".join(f"affine_map<(m, n, d, e) -> ({maps[name]})>" for name in order)
        text += f"] : ({', '.join(operand_types)}) -> ({', '.join(results)}) score {{\n"
        text += "^bb0(%s: f64, %m: index, %n: index, %x0: f64, %x1: f64):\n" + "\n".join(self.score[0].lines)
        text += "\n%half = arith.constant 0.5 : f64\n%part = arith.mulf %s, %half : f64\n"
        text += f"%whole = arith.addf {self.score[1]}, %part : f64\n"
        if self.has_mask:
            text += "%one = arith.constant 1 : index\n%last = arith.addi %m, %one : index\n"
            text += "%keep = arith.cmpi sle, %n, %last : index\n%none = arith.constant 0xFFF0000000000000 : f64\n"
            text += "%r = arith.select %keep, %whole, %none : f64\nfa.yield %r : f64\n}"
        else:
            text += "fa.yield %whole : f64\n}"
        if self.has_probability:
            text += " probability {\n^bb0(%p: f64, %m: index, %n: index, %x0: f64, %x1: f64):\n"
            text += "\n".join(self.factor[0].lines)
            text += f"\n%r = arith.mulf %p, {self.factor[1]} : f64\nfa.yield %r : f64\n}}"
        names = ", ".join(f"%g#{i}" for i in range(len(results)))
        return text + f"\n  return {names} : {', '.join(results)}\n}}\n"

    def check(self, fa_run):
        """None, or why the case failed."""
        inputs = ["q", "k", "v", "x0", "x1"] + (["sink"] if self.has_sink else [])
        arrays = [self.arrays[name] for name in inputs]
        arrays += self.forward(*arrays[:5], self.arrays["sink"])
        arrays += [self.arrays["d_out"], self.arrays["d_lse"]]
        wanted = [self.differentiate(name) for name in inputs]
        with tempfile.TemporaryDirectory() as folder:
            ir, npz, out = (os.path.join(folder, name) for name in ("f.mlir", "in.npz", "out.npz"))
            with open(ir, "w", encoding="utf-8") as file:
                file.write(self.write_ir())
            np.savez(npz, **{f"arg{i}": np.asarray(array) for i, array in enumerate(arrays)})
            command = [fa_run, ir, f"--inputs={npz}", f"--output={out}", "--tile=3x2"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                return f"{self.name}: exit {done.returncode}\n{done.stdout}{done.stderr}"
            with np.load(out) as results:
                got = [results[f"res{i}"] for i in range(len(wanted))]
        for name, value, reference in zip(inputs, got, wanted):
            scale = max(1, np.abs(reference).max())
            error = np.abs(value - reference).max()
            if not error <= TOLERANCE * scale:
                return f"{self.name}: gradient of {name} differs by {error:.2e} of {scale:.2e}\n{self.write_ir()}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fa-run", default="fa-run")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    run = lambda seed: Case(seed).check(options.fa_run)
    seeds = range(options.first, options.first + options.seeds)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [failure for failure in pool.map(run, seeds) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(seeds)} regions, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
