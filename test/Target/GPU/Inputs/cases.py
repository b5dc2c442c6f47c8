"""Attention of many shapes as MLIR text, with random operands and a float64 reference."""

import math
import re
import subprocess

import numpy as np

from emulate_ptx import bf16_bits, bf16_value

EXTRAS = {"bias": ["bias"], "padding": ["padding"], "keep": ["keep"], "slope": ["slope"]}
NINF = "%ninf = arith.constant 0xFF800000 : f32"
REGIONS = {
    "full": [],
    "causal": [NINF, "%keep = arith.cmpi sge, %m, %n : index",
               "%y = arith.select %keep, %x, %ninf : f32"],
    "window": [NINF, "%w = arith.constant 40 : index", "%far = arith.subi %m, %n : index",
               "%past = arith.cmpi sge, %m, %n : index",
               "%near = arith.cmpi slt, %far, %w : index",
               "%keep = arith.andi %past, %near : i1",
               "%y = arith.select %keep, %x, %ninf : f32"],
    "softcap": ["%i = arith.constant 0.05 : f32", "%cap = arith.constant 20.0 : f32",
                "%u = arith.mulf %x, %i : f32", "%t = math.tanh %u : f32",
                "%y = arith.mulf %t, %cap : f32"],
    "slope": ["%far = arith.subi %n, %m : index", "%j = arith.index_cast %far : index to i32",
              "%f = arith.sitofp %j : i32 to f32", "%t = arith.mulf %f, %e : f32",
              "%y = arith.addf %x, %t : f32"],
    "bias": ["%w = arith.extf %e : f16 to f32", "%y = arith.addf %x, %w : f32"],
    "padding": ["%y = arith.addf %x, %e : f32"],
    "keep": [NINF, "%y = arith.select %e, %x, %ninf : f32"],
}
ROLES = {"b": "batch", "h": "batch", "g": "query", "m": "query", "n": "key", "d": "head_dim",
         "e": "value_dim"}


class Case:
    """One attention: B batches, H key heads, G query heads for each, M queries, N keys; `specials`
    elements of V and `key_specials` of K are infinite or NaN."""

    def __init__(self, B=1, H=1, G=1, M=64, N=64, D=64, E=None, dtype="f16", kind="full",
                 layout="bhnd", dynamic=True, lse=False, tile=None, stages=0, warps=0, seed=0,
                 large=1.0, unaligned=False, specials=0, key_specials=0):
        self.__dict__.update(locals())
        self.sizes = dict(b=B, h=H, g=G, m=M, n=N, d=D, e=E or D)
        self.loops = "bhgmnde" if G > 1 else "bhmnde"
        self.inputs = ["q", "k", "v"] + EXTRAS.get(kind, [])
        self.outputs = ["o"] + (["lse"] if lse else [])
        self.scale = 1 / math.sqrt(D)

    def dims(self, name):
        """The loops that index an operand, in its order."""
        group = "g" if self.G > 1 else ""
        rows = f"bmh{group}" if self.layout == "bnhd" else f"bh{group}m"
        keys = "bnh" if self.layout == "bnhd" else "bhn"
        return {"q": rows + "d", "k": "bhdn" if self.layout == "kt" else keys + "d",
                "v": keys + "e",
                "o": f"bh{group}em" if self.layout == "ot" else rows + "e",
                "lse": rows, "bias": f"h{group}mn",
                "padding": "bn", "keep": "bn", "slope": "h"}[name]

    def element(self, name):
        return {"lse": "f32", "bias": "f16", "padding": "f32", "keep": "i1",
                "slope": "f32"}.get(name, self.dtype)

    def shape(self, name):
        return tuple(self.sizes[loop] for loop in self.dims(name))

    def type(self, name):
        sizes = ["?" if self.dynamic and loop in "bhgmn" else str(self.sizes[loop])
                 for loop in self.dims(name)]
        return "tensor<" + "x".join(sizes + [self.element(name)]) + ">"

    def mlir(self):
        def maps(name):
            return f"affine_map<({', '.join(self.loops)}) -> ({', '.join(self.dims(name))})>"

        body = [f"%c = arith.constant {self.scale:e} : f32", "%x = arith.mulf %s, %c : f32"]
        body += REGIONS[self.kind]
        indices = "".join(f", %{loop}: index" for loop in self.loops if loop in "bhgmn")
        extra = "".join(f", %e: {self.element(name)}" for name in self.inputs[3:])
        types = ", ".join(self.type(name) for name in self.outputs)
        count = len(self.outputs)
        schedule = "" if not self.tile else \
            f"\n    schedule <query_tile = {self.tile[0]}, key_tile = {self.tile[1]}>"
        extras = f" extras(%{self.inputs[3]})" if len(self.inputs) > 3 else ""
        return f"""func.func @attention({', '.join(f'%{x}: {self.type(x)}' for x in self.inputs)})
    -> ({types}) {{
  %r:{count} = fa.attention query(%q) key(%k) value(%v){extras}{' results(lse)' * self.lse}
    roles <{', '.join(ROLES[x] for x in self.loops)}>
    maps [{', '.join(maps(x) for x in self.inputs + self.outputs)}] empty_rows <nan>{schedule}
    : ({', '.join(self.type(x) for x in self.inputs)}) -> ({types}) score {{
  ^bb0(%s: f32{indices}{extra}):
    {chr(10).join('    ' + line for line in body).strip()}
    fa.yield {'%y' if REGIONS[self.kind] else '%x'} : f32
  }}
  return {', '.join(f'%r#{i}' for i in range(count))} : {types}
}}
"""

    def operands(self):
        """Random inputs as the kernel stores them, and their values."""
        random, stored, values = np.random.default_rng(self.seed), {}, {}
        for name in self.inputs:
            x = random.standard_normal(self.shape(name)).astype(np.float32)
            if name == "q":
                x *= self.large
            count = {"v": self.specials, "k": self.key_specials}.get(name, 0)
            where = random.choice(x.size, count, replace=False)
            x.reshape(-1)[where] = random.choice([np.inf, -np.inf, np.nan], count)
            if name in ("padding", "keep"):
                keep = random.random(self.shape(name)) < 0.7
                keep[..., 0] = True
                x = keep if name == "keep" else np.where(keep, 0, -np.inf).astype(np.float32)
            stored[name], values[name] = store(x, self.element(name))
        return stored, values

    def reference(self, values):
        """O and LSE in float64, dims (b, h, g, m, e)."""
        def get(name, order):
            have = self.dims(name)
            x = values[name].astype(np.float64).transpose([have.index(l) for l in order if l in have])
            return x if self.G > 1 or "g" not in order else np.expand_dims(x, order.index("g"))

        s = np.einsum("bhgmd,bhnd->bhgmn", get("q", "bhgmd"), get("k", "bhnd")) * self.scale
        m, n = np.arange(self.M)[:, None], np.arange(self.N)[None]
        if self.kind == "causal":
            s = np.where(m >= n, s, -np.inf)
        elif self.kind == "window":
            s = np.where((m >= n) & (m - n < 40), s, -np.inf)
        elif self.kind == "softcap":
            s = np.tanh(s * 0.05) * 20
        elif self.kind == "slope":
            s = s + (n - m) * values["slope"].astype(np.float64)[None, :, None, None, None]
        elif self.kind == "bias":
            s = s + get("bias", "hgmn")[None]
        elif self.kind == "padding":
            s = s + values["padding"].astype(np.float64)[:, None, None, None]
        elif self.kind == "keep":
            s = np.where(values["keep"][:, None, None, None] != 0, s, -np.inf)
        top = s.max(-1, keepdims=True)
        p = np.exp(s - top)
        total = p.sum(-1, keepdims=True)
        return {"o": weigh(p / total, get("v", "bhne")), "lse": (top + np.log(total))[..., 0]}

    def ordered(self, name, x):
        """A result with dims in the reference's order."""
        have = self.dims(name)
        x = x.transpose([have.index(l) for l in "bhgme" if l in have])
        return x if self.G > 1 else np.expand_dims(x, 2)

    def compile(self, folder, fa_opt="fa-opt"):
        """PTX, parameter list and shared memory of the kernel; the query tile."""
        source = f"{folder}/case.mlir"
        with open(source, "w") as file:
            file.write(self.mlir())
        chosen = subprocess.run([fa_opt, source, "-fa-sm80-choose-schedule"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        rows = int(re.search(r"query_tile = (\d+)", chosen).group(1))
        warps, stages = (re.search(name + r" = (\d+)", chosen) for name in ("warps", "stages"))
        options = f"warps={self.warps or (warps and warps.group(1)) or 0} " \
                  f"stages={self.stages or (stages and stages.group(1)) or 0} " \
                  f"unaligned={int(self.unaligned)}"
        kernel = subprocess.run(
            [fa_opt, "-", "-fa-tile", "-cse",
             f"-fa-gpu-emit=ptx={folder}/case.ptx {options}"],
            check=True, input=chosen, stdout=subprocess.PIPE, text=True).stdout
        parameters = re.findall(r'"([^"]*)"', re.search(r"fa.parameters = \[(.*?)\]", kernel).group(1))
        shared = int(re.search(r"fa.shared_bytes = (\d+)", kernel).group(1))
        with open(f"{folder}/case.ptx") as file:
            return file.read(), parameters, shared, rows


def weigh(p, v):
    """P·V, where a key of weight 0 contributes nothing whatever V holds there."""
    def sum_over_keys(p, v):
        return np.einsum("bhgmn,bhne->bhgme", p, v.astype(np.float64))

    used, o = (p > 0).astype(np.float64), sum_over_keys(p, np.where(np.isfinite(v), v, 0))
    for infinity in (np.inf, -np.inf):
        reached = sum_over_keys(used, np.isnan(v) | (v == infinity)) > 0
        o = o + np.where(reached, infinity, 0)
    return o


def store(x, element):
    """A tensor as it stands in memory, and the values that it has there."""
    if element == "i1":
        return x.astype(np.uint8), x
    if element == "f16":
        return x.astype(np.float16), x.astype(np.float16).astype(np.float32)
    if element == "bf16":
        bits = bf16_bits(x)
        return bits, bf16_value(bits.reshape(-1)).reshape(x.shape)
    return x.astype(np.float32), x


def load(raw, element, shape):
    raw = raw.view({"f16": np.float16, "bf16": np.uint16, "f32": np.float32}[element])
    return (bf16_value(raw) if element == "bf16" else raw.astype(np.float32)).reshape(shape)
