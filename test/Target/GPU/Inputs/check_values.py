"""Compiles attention of many shapes and runs the kernels on the CPU, instruction by instruction.

usage: check_values.py [NAME...]
Prints one line for each case; exits with 1 if a result is off.
"""

import sys
import tempfile

import numpy as np

from cases import Case, load
from emulate_ptx import Kernel, Memory

CASES = {
    "whole": Case(M=128, N=128, tile=(64, 64)),
    "ragged": Case(B=2, M=70, N=100, tile=(64, 64)),
    "two-fragments": Case(M=128, N=192, tile=(128, 64), warps=4),
    "static": Case(M=100, N=130, dynamic=False),
    "causal": Case(M=130, N=130, kind="causal", lse=True, tile=(64, 64)),
    "window": Case(M=200, N=200, kind="window", tile=(64, 64)),
    "one-stage": Case(M=64, N=170, tile=(64, 64), stages=1),
    "three-stages": Case(M=64, N=170, tile=(64, 64), stages=3),
    "d8": Case(M=17, N=33, D=8),
    "d16": Case(M=33, N=65, D=16),
    "d40": Case(M=64, N=70, D=40),
    "d80-bnhd": Case(H=2, M=64, N=70, D=80, layout="bnhd"),
    "d111": Case(M=20, N=70, D=111),
    "d256": Case(M=64, N=64, D=256),
    "groups": Case(H=2, G=2, M=64, N=70, D=32),
    "one-key": Case(M=1, N=1),
    "transposed-key": Case(M=64, N=70, layout="kt"),
    "transposed-result": Case(M=70, N=70, D=40, layout="ot"),
    "unaligned": Case(M=70, N=70, kind="causal", unaligned=True, tile=(64, 64)),
    "unaligned-f32": Case(M=40, N=40, D=24, dtype="f32", unaligned=True),
    "few-rows": Case(M=5, N=70, H=2, dynamic=False, kind="bias", tile=(8, 64)),
    "bias": Case(H=2, M=64, N=70, kind="bias"),
    "padding": Case(B=2, M=64, N=70, kind="padding"),
    "keep": Case(B=2, M=64, N=70, kind="keep"),
    "slope": Case(H=2, M=64, N=70, kind="slope"),
    "softcap": Case(M=64, N=70, kind="softcap"),
    "large": Case(M=64, N=200, large=20.0, tile=(64, 64)),
    "bf16": Case(M=64, N=70, dtype="bf16"),
    "f32": Case(M=64, N=70, dtype="f32", lse=True),
    "f32-dims-differ": Case(M=64, N=70, D=20, E=36, dtype="f32"),
    "f32-transposed-key": Case(M=64, N=70, D=36, layout="kt", dtype="f32"),
    # Infinities and NaN in V count where the key does.
    "specials-causal": Case(M=70, N=70, D=24, kind="causal", specials=6, tile=(64, 32)),
    "specials-keep": Case(B=2, M=33, N=70, D=16, kind="keep", specials=40, tile=(32, 32)),
    "specials-bf16": Case(M=130, N=70, D=16, dtype="bf16", kind="window", specials=9,
                          tile=(128, 32), warps=4),
    "specials-f32": Case(M=40, N=70, D=20, dtype="f32", kind="causal", specials=9),
    "specials-full": Case(M=33, N=70, D=16, specials=3),
    "specials-full-f32": Case(M=33, N=70, D=16, dtype="f32", specials=3),
    "special-keys": Case(M=70, N=70, D=16, kind="causal", key_specials=2, tile=(32, 32)),
    "special-keys-f32": Case(M=70, N=70, D=16, dtype="f32", kind="causal", key_specials=2),
}
# Of the largest value of the reference: rounding of the result, and of P for 16-bit types.
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 2e-6}


def run(case, folder):
    """The results of one case, in the reference's order."""
    ptx, parameters, shared, rows = case.compile(folder)
    stored, values = case.operands()
    memory, arrays, regions = Memory(), [], []
    for name in case.inputs:
        arrays.append(stored[name])
    for name in case.outputs:
        wide = case.element(name) == "f32"
        arrays.append(np.full(case.shape(name), 0xFFFFFFFF if wide else 0xFFFF,
                              np.uint32 if wide else np.uint16))
    for array in arrays:
        regions.append(memory.add(array))
    arguments = []
    for parameter in parameters:
        kind, operand, *dim = parameter.split()
        base, shape = regions[int(operand)][0], arrays[int(operand)].shape
        arguments.append(base if kind == "pointer" else shape[int(dim[0])] if kind == "dim"
                         else int(np.prod(shape[int(dim[0]) + 1:], dtype=np.int64)))
    grid = case.B * case.H * case.G * -(-case.M // rows)
    Kernel(ptx).run(grid, arguments, memory, shared)
    results = {}
    for i, name in enumerate(case.outputs):
        raw = regions[len(case.inputs) + i][1]
        results[name] = case.ordered(name, load(raw, case.element(name), case.shape(name)))
    return results, case.reference(values)


def compare(result, reference):
    """The largest error, of the largest finite value; infinities and NaN must be where they belong."""
    finite = np.isfinite(reference)
    if not np.array_equal(result[~finite], reference[~finite], equal_nan=True):
        return np.inf
    if not finite.any():
        return 0.0
    return np.abs(result[finite] - reference[finite]).max() / np.abs(reference[finite]).max()


def main(names):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or CASES:
            case = CASES[name]
            results, reference = run(case, folder)
            worst = 0.0
            for key, result in results.items():
                error = compare(result, reference[key])
                limit = TOLERANCE[case.dtype] if key == "o" else 1e-5
                # A comparison with NaN is false.
                worst = max(worst, error / limit if error <= limit else np.inf)
            failed += not worst <= 1
            print(f"{name}: {'ok' if worst <= 1 else 'WRONG'} ({worst:.2f} of the tolerance)",
                  flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
