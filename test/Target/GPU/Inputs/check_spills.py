"""Assembles the default schedules with ptxas: no register may live in memory, no warning.

usage: check_spills.py PTXAS [all]
"""

import subprocess
import sys
import tempfile

from cases import Case


def main(ptxas, dims, dtypes):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for dtype in dtypes:
            for d in dims:
                for kind in ("full", "causal", "bias"):
                    Case(M=1024, N=1024, D=d, dtype=dtype, kind=kind).compile(folder)
                    text = subprocess.run(
                        [ptxas, "-v", "-arch=sm_80", f"{folder}/case.ptx", "-o", "/dev/null"],
                        check=True, stderr=subprocess.PIPE, text=True).stderr
                    clean = " 0 bytes spill stores, 0 bytes spill loads" in text \
                        and "warning" not in text
                    failed += not clean
                    if not clean:
                        print(f"{dtype}, dim {d}, {kind}:\n{text}")
    print(f"{failed} kernels with spills or warnings")
    return failed


if __name__ == "__main__":
    EVERY = "all" in sys.argv
    sys.exit(1 if main(sys.argv[1], (16, 40, 64, 80, 128, 160, 256) if EVERY else (64, 128, 256),
                       ("f16", "bf16", "f32") if EVERY else ("f16", "f32")) else 0)
