"""Calls libFaRuntime.so (fa-c/Runtime.h) by ctypes: kernels of an artifact on the caller's stream and memory."""

import ctypes

DTYPES = {"i1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "f16": 6, "bf16": 7, "f32": 8, "f64": 9}
ABI_VERSION = 1


class Tensor(ctypes.Structure):
    """FaTensor: `address` of the first element, `dtype` as IR names it, strides in elements (None: dense)."""

    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]

    def __init__(self, address, dtype, shape, strides=None):
        sizes = ctypes.c_int64 * len(shape)
        super().__init__(address, DTYPES[dtype], len(shape), sizes(*shape),
                         None if strides is None else sizes(*strides))


class Scratch(ctypes.Structure):
    """FaScratch."""

    _fields_ = [("workspace_bytes", ctypes.c_int64), ("state_bytes", ctypes.c_int64)]


class Failure(Exception):
    """What the library says when a call fails."""


class Library:
    """The loaded library; `path` is build/lib/libFaRuntime.so."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        self.calls.faRuntimeFreeString.argtypes = [ctypes.c_void_p]
        self.calls.faArtifactClose.argtypes = [ctypes.c_void_p]
        self.calls.faArtifactRegionName.restype = ctypes.c_char_p
        self.calls.faRegionSchedule.restype = ctypes.c_char_p
        version = self.calls.faRuntimeAbiVersion()
        if version != ABI_VERSION:
            raise Failure(f"{path} has interface version {version}, expected {ABI_VERSION}")

    def check(self, call, *arguments):
        error = ctypes.c_void_p()
        if getattr(self.calls, call)(*arguments, ctypes.byref(error)):
            text = ctypes.cast(error, ctypes.c_char_p).value.decode()
            self.calls.faRuntimeFreeString(error)
            raise Failure(text)


class Artifact:
    """The artifact in a file, on a device."""

    def __init__(self, library, path, device=0):
        self.library, self.handle = library, ctypes.c_void_p()
        library.check("faArtifactOpen", path.encode(), device, ctypes.byref(self.handle))

    def close(self):
        """Frees the artifact and its regions."""
        self.library.calls.faArtifactClose(self.handle)
        self.handle = None

    def region_names(self):
        calls = self.library.calls
        return [calls.faArtifactRegionName(self.handle, i).decode()
                for i in range(calls.faArtifactNumRegions(self.handle))]

    def region(self, name=None):
        """The region of that name, its kernels loaded; without a name the only one."""
        region = ctypes.c_void_p()
        self.library.check("faArtifactRegion", self.handle, name and name.encode(),
                           ctypes.byref(region))
        return Region(self, region)


class Region:
    """A fused region. Keeps its artifact open."""

    def __init__(self, artifact, handle):
        self.artifact, self.library, self.handle = artifact, artifact.library, handle
        self.schedule = self.library.calls.faRegionSchedule(handle).decode()

    def bind(self, arguments, results):
        """The region on these Tensors, ready to be launched many times."""
        return Bound(self, arguments, results)


class Bound:
    """A region with its operands."""

    def __init__(self, region, arguments, results):
        self.library, self.handle = region.library, region.handle
        self.operands = ((Tensor * len(arguments))(*arguments), len(arguments),
                         (Tensor * len(results))(*results), len(results))
        self.keep = region, arguments, results
        self.scratch = Scratch()
        self.library.check("faRegionScratch", self.handle, *self.operands,
                           ctypes.byref(self.scratch))

    def launch(self, workspace=0, state=0, stream=0):
        """Enqueues the kernels; addresses and the stream as integers."""
        self.library.check("faRegionRun", self.handle, *self.operands, ctypes.c_void_p(workspace),
                           ctypes.c_void_p(state), ctypes.c_void_p(stream))
