"""Doubles a matrix through libFaRuntime.so on the fake driver, whose device memory is host memory.

usage: runtime_library.py BENCHMARK_FOLDER LIBRARY ARTIFACT
"""

import ctypes
import sys

sys.path.insert(0, sys.argv[1])
import fa_runtime  # pylint: disable=wrong-import-position


def expect_failure(what, call):
    try:
        call()
    except fa_runtime.Failure as failure:
        print(f"{what}: {failure}")
    else:
        print(f"{what}: no error")


library = fa_runtime.Library(sys.argv[2])
expect_failure("no file", lambda: fa_runtime.Artifact(library, "nowhere.fa"))
expect_failure("no device", lambda: fa_runtime.Artifact(library, sys.argv[3], device=7))
artifact = fa_runtime.Artifact(library, sys.argv[3])
print("regions", artifact.region_names())
expect_failure("no region", lambda: artifact.region("F.9"))
region = artifact.region("F.0")
print("schedule", region.schedule)

ROWS = 5
x = (ctypes.c_float * (ROWS * 4))(*range(ROWS * 4))
y = (ctypes.c_float * (ROWS * 4))(*[float("nan")] * (ROWS * 4))


def tensor(array, shape, dtype="f32"):
    return fa_runtime.Tensor(ctypes.addressof(array), dtype, shape)


bound = region.bind([tensor(x, [ROWS, 4])], [tensor(y, [ROWS, 4])])
print("scratch", bound.scratch.workspace_bytes, bound.scratch.state_bytes)
workspace = ctypes.create_string_buffer(bound.scratch.workspace_bytes + 256)
state = ctypes.create_string_buffer(bound.scratch.state_bytes + 256)
for _ in range(2):
    bound.launch(ctypes.addressof(workspace), ctypes.addressof(state))
print("doubled", list(y) == [2.0 * value for value in x])

# Launches planned for one place in memory serve another one, and other sizes are planned anew.
for rows in (ROWS, 3):
    z = (ctypes.c_float * (ROWS * 4))(*[-1.0] * (ROWS * 4))
    region.bind([tensor(x, [rows, 4])], [tensor(z, [rows, 4])]).launch(
        ctypes.addressof(workspace), ctypes.addressof(state))
    print("doubled", rows, list(z) == [2.0 * value for value in x][: rows * 4] + [-1.0] * (ROWS - rows) * 4)

expect_failure("wrong type", lambda: region.bind([tensor(x, [ROWS, 4], "f16")], [tensor(y, [ROWS, 4])]))
expect_failure("wrong size", lambda: region.bind([tensor(x, [ROWS, 4])], [tensor(y, [4, 4])]))
expect_failure("too few", lambda: region.bind([], []))
expect_failure("no memory", lambda: region.bind([fa_runtime.Tensor(0, "f32", [ROWS, 4])],
                                                [tensor(y, [ROWS, 4])]).launch(1, 1))
artifact.close()
