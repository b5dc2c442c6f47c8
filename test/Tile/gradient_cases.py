"""The cases of gradient_values.py. Labels are those of docs/Semantics.md, probe numbers in comments."""

import numpy as np

from attention_cases import BIAS, BF16_BIAS, CAUSAL, NINF, SCALE, WINDOW, LENGTH, BOOLEAN, LOWEST
from attention_cases import ADDITIVE, poison, random_extra, shifted

ALL = ["query", "key", "value"]


def causal(s, b, h, g, m, n, *extras):
    return np.where(m >= n, s, NINF)


C = dict(region=CAUSAL, score=causal)


def cut(offset, **more):
    score = lambda s, b, h, g, m, n: np.where(n > m + offset, NINF, s)
    return dict(region=shifted(offset), score=score, **{**dict(M=13, N=17), **more})


def bias(dims, shape, kind="f32", **more):
    region = BF16_BIAS if kind == "bf16" else BIAS
    return dict(
        region=region,
        score=lambda s, b, h, g, m, n, x: s + x,
        extras=random_extra(dims, kind, shape),
        wrt=ALL + ["extra 0"],
        **more,
    )


SOFTCAP = """%scaled = arith.divf %s, %x0 : $A
%t = math.tanh %scaled : $A
%r = arith.mulf %t, %x0 : $A
fa.yield %r : $A"""
ALIBI = """%i = arith.index_cast %m : index to i32
%j = arith.index_cast %n : index to i32
%d = arith.subi %j, %i : i32
%f = arith.sitofp %d : i32 to $A
%p = arith.mulf %f, %x0 : $A
%a = arith.addf %s, %p : $A
%ninf = arith.constant $NINF : $A
%keep = arith.cmpi sge, %m, %n : index
%r = arith.select %keep, %a, %ninf : $A
fa.yield %r : $A"""
DOCUMENTS = """%ninf = arith.constant $NINF : $A
%keep = arith.cmpi eq, %x0, %x1 : i32
%r = arith.select %keep, %s, %ninf : $A
fa.yield %r : $A"""


def list_cases():
    """(name, keyword arguments of gradient_values.check)"""
    documents = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], np.int32)
    cases = {
        "plain": {},  # 31
        "causal": dict(C, M=13, N=13),
        "causal_wide": dict(C, M=5, N=23),
        "causal_tall": dict(C, M=23, N=5),
        "causal_bottom_right": cut(4),  # 4
        "window": dict(region=WINDOW, score=lambda s, b, h, g, m, n: np.where((m >= n) & (m - n < 4), s, NINF), M=29, N=31),
        "one_key": dict(N=1, M=9),  # 10
        "one_row": dict(M=1, N=17),
        "one_by_one": dict(M=1, N=1, D=16),  # 10
        "no_keys": dict(N=0, M=4),
        "no_rows": dict(M=0),
        "no_batch": dict(B=0),
        "no_head_dim": dict(D=0, E=3, wrt=["value"]),
        "g3_empty_rows_zero": cut(-6, empty="zero"),  # 1, 3
        "g3_empty_rows_nan": cut(-6, empty="nan"),
        "g3_boolean_mask": dict(
            region=BOOLEAN,
            score=lambda s, b, h, g, m, n, x: np.where(x != 0, s, NINF),
            extras=random_extra("m, n", "i1", (7, 11), lambda r, shape: r.random(shape) < 0.3),
            empty="zero",
        ),
        "g3_nan_k": dict(C, M=12, N=13, change=poison(1, -1, np.nan)),  # 6
        "g3_nan_v": dict(C, M=12, N=13, change=poison(2, -1, np.nan)),
        "g3_inf_v": dict(C, M=12, N=13, change=poison(2, -1, np.inf)),
        "r7_lowest": dict(  # 2
            region=CAUSAL.replace("$NINF", repr(LOWEST)),
            score=lambda s, b, h, g, m, n: np.where(m >= n, s, np.float64(np.float32(LOWEST))),
            M=13,
            N=13,
        ),
        "g4_lse_far_below_zero": far_below_zero(13, 8),  # 8
        "k1_lengths": dict(
            region=LENGTH,
            score=lambda s, b, h, g, m, n, x: np.where(n < np.real(x), s, NINF),
            extras=[("b", "i32", np.array([0, 4, 11], np.int32))],
            B=3,
        ),
        "documents": dict(
            region=DOCUMENTS,
            score=lambda s, b, h, g, m, n, x, y: np.where(x == y, s, NINF),
            extras=[("m", "i32", documents), ("n", "i32", documents)],
            M=13,
            N=13,
        ),
        "bias_hmn": bias("h, m, n", (2, 7, 11)),  # 26
        "bias_bmn": bias("b, m, n", (2, 7, 11), B=2),
        "bias_b_n": bias("b, 0, 0, n", (2, 1, 1, 11), B=2),
        "bias_m": bias("m", (7,)),
        "bias_scalar": bias("0, 0", (1, 1)),
        "bias_rank0": bias("", ()),
        "bias_transposed": bias("n, m", (11, 7)),
        "bias_bf16": bias("h, m, n", (2, 7, 11), kind="bf16"),
        "bias_only": dict(bias("h, m, n", (2, 7, 11)), wrt=["extra 0"]),
        "bias_additive_inf": dict(
            region=BIAS,
            score=lambda s, b, h, g, m, n, x: s + x,
            extras=[("m", "f32", np.array([0, 1, NINF, 2, 3, NINF, 1], np.float32))],
            empty="zero",
        ),
        "learned_scale": dict(  # 26
            region=SCALE,
            score=lambda s, b, h, g, m, n, x: s * x,
            extras=random_extra("h", "f32", (2,)),
            wrt=ALL + ["extra 0"],
        ),
        "softcap": dict(
            region=SOFTCAP,
            score=lambda s, b, h, g, m, n, x: np.tanh(s / x) * x,
            extras=[("", "f32", np.array(2.5, np.float32))],
            wrt=ALL + ["extra 0"],
        ),
        "alibi": dict(
            region=ALIBI,
            score=lambda s, b, h, g, m, n, x: np.where(m >= n, s + (n - m) * x, NINF),
            extras=random_extra("h", "f32", (2,)),
            wrt=ALL + ["extra 0"],
            M=13,
            N=13,
        ),
        "additive": dict(region=ADDITIVE, score=causal, M=13, N=13),
        "sink": dict(C, sink="h, g", G=2, M=13, N=13, wrt=ALL + ["sink"]),
        "sink_d_lse": dict(C, sink="h, g", G=2, M=13, N=13, wrt=ALL + ["sink"], d_lse=True),
        "sink_alone": cut(-6, sink="h, g", wrt=ALL + ["sink"]),
        "sink_only": dict(sink="h, g", wrt=["sink"]),
        "sink_per_row": dict(sink="b, m", wrt=["sink", ]),
        "d_lse": dict(C, M=13, N=13, d_lse=True),
        "dropout": dict(  # 28
            C,
            M=13,
            N=13,
            score=causal,
            extras=random_extra("m, n", "f32", (13, 13), lambda r, s: r.integers(0, 3, s)),
            probability=SCALE,
            weigh=lambda w, b, h, g, m, n, x: w * x,
            wrt=ALL + ["extra 0"],
        ),
        "dropout_all": dict(
            extras=random_extra("m, n", "f32", (7, 11), lambda r, s: np.zeros(s)),
            probability=SCALE,
            weigh=lambda w, b, h, g, m, n, x: w * x,
        ),
        "bshd": dict(C, layout="bshd", G=2, M=9, N=13, D=5, E=6),
        "transposed": dict(C, layout="transposed", G=2, M=9, N=13, D=5, E=6),
        "units": dict(layout="units", M=1, N=13, D=5, E=6),
        "units_one_tile": dict(C, layout="units", M=3, N=1, D=5, E=6, d_lse=True),
        "grouped_heads": dict(G=3, M=4, N=9),  # 24
        "only_query": dict(C, M=13, N=13, wrt=["query"]),
        "only_key": dict(C, M=13, N=13, wrt=["key"]),
        "only_value": dict(C, M=13, N=13, wrt=["value"], G=2),
        "key_value": dict(C, M=13, N=13, wrt=["key", "value"], G=2),
        "dynamic": dict(C, dynamic=True, M=13, N=17),
        "dynamic_head_dim": dict(C, dynamic="all", M=13, N=17, G=2),
        "large_scores": dict(factor=5.0, M=9, N=23, kind="f64"),
        "all_ones": dict(M=16, N=7, D=8, change=lambda arrays: [a.fill(1) for a in arrays]),  # 11
        "all_1000": dict(  # 16
            kind="f16", D=32, M=8, N=8, change=lambda a: [x.fill(1000) for x in a], wrt=ALL[:2], is_zero=True
        ),
    }
    for kind in ("f16", "bf16", "f64"):
        cases[kind] = dict(C, kind=kind, M=13, N=13)
        cases[kind + "_prime"] = dict(kind=kind, M=17, N=37, D=13)
    return list(cases.items())


def far_below_zero(length, d):
    """All scores are about −120, so LSE is below what exp can take (probe 8)."""

    def change(arrays):
        for array in arrays[:2]:
            array *= 0.1
        arrays[0][..., 0] = 1
        arrays[1][..., 0] = -120 * np.sqrt(d)

    scale = 1 / np.sqrt(d)
    region = f"%c = arith.constant {scale!r} : $A\n%x = arith.mulf %s, %c : $A\n" + CAUSAL.replace("select %keep, %s", "select %keep, %x")
    score = lambda s, b, h, g, m, n: np.where(m >= n, s * np.float32(scale), NINF)
    return dict(region=region, score=score, kind="bf16", M=length, N=length, D=d, H=1, change=change)


def list_shapes():
    """Shapes for the default schedule: whole and ragged tiles, every small head dim by turns."""
    cases = []
    for d in (1, 2, 3, 5, 7, 8, 13, 16, 17, 24, 31, 33, 40):
        kind = "bf16" if d % 3 == 0 else "f32"
        cases.append((f"d{d}", dict(C, D=d, M=37, N=41, kind=kind)))
    for length, d in ((64, 64), (192, 32), (320, 64), (704, 64)):
        cases.append((f"g4_far_below_zero_{length}x{d}", far_below_zero(length, d)))
    for m, n in ((64, 64), (65, 129), (128, 100), (97, 101)):
        cases.append((f"tiles_{m}x{n}", dict(C, M=m, N=n, D=64, E=80, kind="f32")))
        cases.append((f"tiles_{m}x{n}_bf16", dict(M=m, N=n, D=64, kind="bf16", G=2)))
    return cases
