"""The cases of attention_values.py: regions, shapes, masks. Labels are those of docs/Semantics.md."""

import numpy as np

NINF = -np.inf
LOWEST = float(np.finfo(np.float32).min)


def select(condition, masked="%ninf", kept="%s"):
    """A score region that keeps scores where the i1 %keep holds."""
    return f"""%ninf = arith.constant $NINF : $A
{condition}
%r = arith.select %keep, {kept}, {masked} : $A
fa.yield %r : $A"""


CAUSAL = select("%keep = arith.cmpi sge, %m, %n : index")
WINDOW = select(
    """%w = arith.constant 4 : index
%d = arith.subi %m, %n : index
%near = arith.cmpi slt, %d, %w : index
%past = arith.cmpi sge, %m, %n : index
%keep = arith.andi %near, %past : i1"""
)
LENGTH = select(
    """%j = arith.index_cast %n : index to i32
%keep = arith.cmpi slt, %j, %x0 : i32"""
)
PREFIX = select(
    """%j = arith.index_cast %n : index to i64
%early = arith.cmpi slt, %j, %x0 : i64
%past = arith.cmpi uge, %m, %n : index
%keep = arith.ori %early, %past : i1"""
)
ADDITIVE = """%ninf = arith.constant $NINF : $A
%zero = arith.constant 0.0 : $A
%keep = arith.cmpi sge, %m, %n : index
%mask = arith.select %keep, %zero, %ninf : $A
%r = arith.addf %s, %mask : $A
fa.yield %r : $A"""
BIAS = "%r = arith.addf %s, %x0 : $A\nfa.yield %r : $A"
BF16_BIAS = "%e = arith.extf %x0 : bf16 to $A\n%r = arith.addf %s, %e : $A\nfa.yield %r : $A"
BOOLEAN = select("%keep = arith.ori %x0, %x0 : i1")
SCALE = "%r = arith.mulf %s, %x0 : $A\nfa.yield %r : $A"


def shifted(offset):
    """Keys up to m + offset; in i32, with the select turned round."""
    return f"""%ninf = arith.constant $NINF : $A
%offset = arith.constant {offset} : i32
%i = arith.index_cast %m : index to i32
%j = arith.index_cast %n : index to i32
%last = arith.addi %i, %offset : i32
%drop = arith.cmpi sgt, %j, %last : i32
%r = arith.select %drop, %ninf, %s : $A
fa.yield %r : $A"""


def causal(s, b, h, g, m, n, *extras):
    return np.where(m >= n, s, NINF)


def finite(value):
    return dict(
        region=CAUSAL.replace("$NINF", repr(value)),
        score=lambda s, b, h, g, m, n: np.where(m >= n, s, np.float64(np.float32(value))),
    )


def poison(operand, where, value):
    def change(arrays):
        arrays[operand][..., where, :] = value

    return change


C = dict(region=CAUSAL, score=causal)
BAND = dict(region=WINDOW, score=lambda s, b, h, g, m, n: np.where((m >= n) & (m - n < 4), s, NINF))
LENGTHS = dict(region=LENGTH, score=lambda s, b, h, g, m, n, x: np.where(n < x[b], s, NINF), B=3)


def cut(offset, **more):
    score = lambda s, b, h, g, m, n: np.where(n > m + offset, NINF, s)
    return dict(region=shifted(offset), score=score, M=13, N=17, lse=True, row_max=True, **more)


def lengths(*values, **more):
    return dict(LENGTHS, extras=[("b", "i32", np.array(values, np.int32))], lse=True, **more)


def random_extra(dims, kind, shape, make=lambda r, shape: r.standard_normal(shape)):
    return [(dims, kind, lambda r: make(r, shape))]


def list_cases():
    """(name, keyword arguments of attention_values.check)"""
    cases = {
        "plain": {},
        "causal": dict(C, M=13, N=13),
        "causal_wide": dict(C, M=5, N=23),
        "causal_tall": dict(C, M=23, N=5),
        "causal_bottom_right": cut(4),
        "one_key": dict(N=1, M=9),
        "one_row": dict(M=1, N=17),
        "r4_no_keys_nan": dict(N=0, M=4, lse=True),
        "r4_no_keys_zero": dict(N=0, M=4, lse=True, empty="zero"),
        "no_rows": dict(M=0),
        "no_batch": dict(B=0),
        "no_head_dim": dict(D=0, E=3),
        "no_value_dim": dict(E=0),
        "window": dict(BAND, M=29, N=31),
        "r2_empty_rows_zero": cut(-6, empty="zero"),
        "r3_empty_rows_nan": cut(-6, empty="nan"),
        "r7_lowest": dict(finite(LOWEST), M=13, N=13),
        "r7_minus_1e4": dict(finite(-1.0e4), M=13, N=13),
        "r7_all_lowest": dict(
            region=f"%r = arith.constant {LOWEST!r} : $A\nfa.yield %r : $A",
            score=lambda s, *i: np.full_like(s, LOWEST),
        ),
        "k1_lengths": lengths(0, 4, 11),
        "k2_lengths_extreme": lengths(-(2**31), 2**31 - 1, 6, N=40, M=23, empty="zero", dynamic=True),
        "k1_prefix": dict(
            region=PREFIX,
            score=lambda s, b, h, g, m, n, x: np.where((n < x) | (m >= n), s, NINF),
            extras=[("", "i64", np.array(7, np.int64))],
            M=19,
            N=23,
        ),
        "bias_bf16": dict(
            region=BF16_BIAS,
            score=lambda s, b, h, g, m, n, x: s + x[h, m, n],
            extras=random_extra("h, m, n", "bf16", (2, 7, 11)),
        ),
        "bias_transposed": dict(
            region=BIAS,
            score=lambda s, b, h, g, m, n, x: s + x[n, m],
            extras=random_extra("n, m", "f32", (11, 7)),
        ),
        "f4_bias_rows": dict(
            region=BIAS,
            score=lambda s, b, h, g, m, n, x: s + x[m],
            extras=[("m", "f32", np.array([0, 1, NINF, 2, 3, NINF, 1], np.float32))],
            lse=True,
        ),
        "boolean_mask": dict(
            region=BOOLEAN,
            score=lambda s, b, h, g, m, n, x: np.where(x[m, n], s, NINF),
            extras=random_extra("m, n", "i1", (7, 11), lambda r, shape: r.random(shape) < 0.3),
            lse=True,
        ),
        "f4_additive": dict(region=ADDITIVE, score=causal, M=13, N=13),
        "r5_sink": dict(C, sink=True, lse=True, G=2, M=13, N=13, row_max=True),
        "r5_sink_alone": cut(-6, sink=True),
        "probability": dict(
            C,
            M=13,
            N=13,
            extras=random_extra("m, n", "f32", (13, 13), lambda r, s: r.integers(0, 3, s)),
            probability=SCALE,
            weigh=lambda w, b, h, g, m, n, x: w * x[m, n],
        ),
        "bshd": dict(C, layout="bshd", G=2, M=9, N=13, D=5, E=6),
        "transposed": dict(C, layout="transposed", G=2, M=9, N=13, D=5, E=6),
        "units": dict(layout="units", M=1, N=13, D=5, E=6),
        "units_one_tile": dict(C, layout="units", M=3, N=1, D=5, E=6, lse=True),
        "grouped_heads": dict(G=3, M=4, N=9),
        "dynamic": dict(C, dynamic=True, M=13, N=17),
        "dynamic_head_dim": dict(C, dynamic="all", M=13, N=17, G=2),
        "f3_nan_k": dict(C, M=13, N=13, change=poison(1, -1, np.nan)),
        "f3_nan_v": dict(C, M=13, N=13, change=poison(2, -1, np.nan)),
        "f3_inf_v": dict(C, M=13, N=13, change=poison(2, 3, np.inf)),
        "f5_nan_v": dict(M=13, N=13, change=poison(2, -1, np.nan)),
        "f5_nan_q": dict(C, M=13, N=13, change=poison(0, 3, np.nan)),
        "large_scores": dict(factor=100.0, M=9, N=23),
    }
    for kind in ("f16", "bf16", "f64"):
        cases[kind] = dict(C, kind=kind, M=13, N=13, lse=True)
        cases[kind + "_prime"] = dict(kind=kind, M=17, N=37, D=13)
    return list(cases.items())


def list_shapes():
    """Shapes for the default schedule: whole and ragged tiles, every small head dim by turns."""
    cases = []
    for d in (1, 2, 3, 5, 7, 8, 13, 16, 17, 24, 31, 33, 40):
        kind = "bf16" if d % 3 == 0 else "f32"
        cases.append((f"d{d}", dict(C, D=d, M=37, N=41, kind=kind)))
    for m, n in ((64, 64), (65, 129), (128, 100), (97, 101)):
        cases.append((f"tiles_{m}x{n}", dict(C, M=m, N=n, D=64, E=80, kind="f32", lse=True)))
        cases.append((f"tiles_{m}x{n}_bf16", dict(M=m, N=n, D=64, kind="bf16")))
    return cases
