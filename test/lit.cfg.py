"""How the lit tests run. Tools come from the PATH: ours from build/bin, then LLVM's.

Substitutions beyond lit's own:
  %fa_src      the checkout
  %fa_lib      build/lib (FAPlugin.so, libFaCompiler.so, libFaRuntime.so)
  %python      the python3 that CMake found
  %ptxas       NVIDIA's assembler, with the feature of that name
Features:
  ptxas        NVIDIA's assembler is where fa-compile looks for it (used where it is, needed nowhere)
  cuda         a CUDA driver answers and has a device
  cuda-sm80    and the first device's compute capability is at least 8.0
  numpy        python3 has NumPy
"""

import ctypes
import os
import shutil
import subprocess

import lit.formats


def cuda_capability():
    """Compute capability of device 0 as 10 * major + minor, or None without driver or device."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    if cuda.cuInit(0) != 0 or cuda.cuDeviceGet(ctypes.byref(device), 0) != 0:
        return None
    # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
    cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, device)
    cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
    return 10 * major.value + minor.value


config.name = "fa-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fa_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.fa_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.substitutions.append(("%fa_src", config.fa_source_dir))
config.substitutions.append(("%fa_lib", config.fa_library_dir))
config.substitutions.append(("%python", config.python))

# The PATH, then the folders of findAssembler (lib/Target/GPU/Emit/AssembleCubin.cpp).
cuda_folders = ["/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/lib/cuda/bin"]
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(cuda_folders))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
capability = cuda_capability()
if capability is not None:
    config.available_features.add("cuda")
    if capability >= 80:
        config.available_features.add("cuda-sm80")
if subprocess.call([config.python, "-c", "import numpy"], stderr=subprocess.DEVNULL) == 0:
    config.available_features.add("numpy")
