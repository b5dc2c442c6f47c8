"""Checks the sources against the tables below: who may include whom, which words belong where.

usage: layering.py CHECKOUT
The tables are the documentation; docs/Overview.md shows the same picture.
"""

import collections
import os
import re
import sys

# Folder (of lib/ and include/fa/) -> folders whose headers it may include, besides its own.
# A folder not named here belongs to the longest one that it lies in.
STAGES = ["Normalize", "Raise", "Differentiate", "Tile"]
MAY_INCLUDE = {
    "Dialect": [],
    "Machine": [],
    "Normalize": ["Dialect"],
    "Raise": ["Dialect", "Normalize"],
    "Differentiate": ["Dialect"],
    # Tiled and untiled gradients differentiate regions by the same scalar rules.
    "Tile": ["Dialect", "Differentiate"],
    "Outline": ["Dialect"],
    "Report": ["Dialect", "Machine"],
    "Reference": ["Dialect", "Differentiate"],
    "Target/CPU": ["Dialect", "Machine"],
    "Target/GPU": ["Dialect", "Machine", "Runtime"],
    "Target/GPU/Sm80": ["Dialect", "Machine", "Target/GPU"],
    "Target/GPU/Sm90": ["Dialect", "Machine", "Target/GPU"],
    "Pipeline": STAGES + ["Dialect", "Machine", "Report", "Reference", "Target"],
    "Registration": STAGES
    + ["Dialect", "Machine", "Outline", "Report", "Target", "Reference", "Pipeline"],
    "Compiler": STAGES
    + ["Dialect", "Machine", "Outline", "Target", "Reference", "Pipeline", "Registration", "Runtime"],
    "Runtime": [],
    "CAPI": ["Compiler", "Runtime", "Registration"],
}

# Folders that must stay free of a group of words. Words of a chip are looked for in
# the text, words of attention in identifiers (isCausal); comments are left aside.
CHIP_WORDS = re.compile(r"\bsm_\d+|wgmma|cp\.async|\btma\b", re.IGNORECASE)
FREE_OF_CHIPS = STAGES + ["Dialect", "Report", "Reference", "Target/CPU", "Target/GPU"]
ATTENTION_WORDS = set("attention causal softmax bias head heads logit logits".split())
FREE_OF_ATTENTION = ["Target/GPU"]
# A schedule is chosen for attention on a chip: these files may know both.
EXEMPT = re.compile(r"ChooseSchedule\w*\.(cpp|h)$")

BAD_NAMES = re.compile(r"(Utils?|Helpers?|Common|Misc|Manager)\.(cpp|h|td|py)$", re.IGNORECASE)
MAX_LINES = 500

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
SOURCE = (".cpp", ".h", ".td", ".def")

errors = []


def owner(folder):
    """The folder of MAY_INCLUDE that `folder` lies in, or None."""
    while folder:
        if folder in MAY_INCLUDE:
            return folder
        folder = os.path.dirname(folder)
    return None


def folder_of(path):
    """The project folder of a file in lib/ or include/fa/: lib/Tile/X.cpp -> Tile."""
    for root in ("lib/", "include/fa/"):
        if path.startswith(root):
            inner = path[len(root) :]
            return owner(os.path.dirname(inner)) or owner(os.path.splitext(inner)[0])
    return None


def check_includes(path, text, me):
    for include in INCLUDE.findall(text):
        if include.startswith("mlir/InitAll") and me != "Registration":
            errors.append(f"{path}: only Registration and tools/ include {include}")
        if me == "Runtime" and include.startswith(("mlir/", "llvm/", "mlir-c/")):
            errors.append(f"{path}: lib/Runtime knows no MLIR and no LLVM, but includes {include}")
        if not include.startswith("fa/"):
            continue
        other = folder_of("include/" + include)
        allowed = other == me or other in MAY_INCLUDE[me]
        allowed = allowed or other is not None and other.split("/")[0] in MAY_INCLUDE[me]
        if not allowed:
            errors.append(f"{path}: {me} may not include {include}")


def check_words(path, text, me):
    if EXEMPT.search(path):
        return
    code = INCLUDE.sub("", COMMENT.sub("", text))
    if me in FREE_OF_CHIPS:
        found = CHIP_WORDS.search(code)
        if found:
            errors.append(f"{path}: '{found.group()}' belongs to Machine or Target/GPU/Sm*")
    if me in FREE_OF_ATTENTION:
        for word in re.findall(r"[A-Z]?[a-z]+", code):
            if word.lower() in ATTENTION_WORDS:
                errors.append(f"{path}: '{word}': Target/GPU compiles tile programs, not attention")
                break


def check_library_file(path, text):
    me = folder_of(path)
    if me is None:
        errors.append(f"{path}: in no folder of the table in test/layering.py")
        return
    check_includes(path, text, me)
    check_words(path, text, me)
    if "cl::opt" in text:
        errors.append(f"{path}: options of a library are pass options, not cl::opt")


def check_cmake(path, text):
    if path.startswith("cmake/"):
        return
    for call in re.findall(r"target_link_libraries\(([^)]*)\)", text):
        if {"MLIR", "LLVM"} & set(call.split()):
            errors.append(f"{path}: only cmake/AddFa.cmake links MLIR and LLVM")


def source_files(root):
    for top in ("cmake", "include", "lib", "tools", "test", "python", "benchmark"):
        for directory, folders, files in os.walk(os.path.join(root, top)):
            folders[:] = [f for f in folders if f not in ("__pycache__", "Inputs")]
            for name in files:
                yield os.path.relpath(os.path.join(directory, name), root)


def main():
    root = sys.argv[1]
    lengths = collections.Counter()
    for path in sorted(source_files(root)):
        is_source = path.endswith(SOURCE + (".py", ".sh"))
        is_cmake = path.endswith(("CMakeLists.txt", ".cmake"))
        is_test = path.endswith((".mlir", ".test")) and path.startswith("test/")
        if not is_source and not is_cmake and not is_test:
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        if is_cmake:
            check_cmake(path, text)
            continue
        lengths[path] = text.count("\n")
        if lengths[path] > MAX_LINES:
            errors.append(f"{path}: {lengths[path]} lines, more than {MAX_LINES}")
        if BAD_NAMES.search(path):
            errors.append(f"{path}: name the file after what it does")
        if path.endswith(SOURCE) and path.startswith(("lib/", "include/fa/")):
            check_library_file(path, text)

    print("The ten longest files:")
    for path, lines in lengths.most_common(10):
        print(f"{lines:5} {path}")
    for error in errors:
        print("error:", error)
    print(f"{len(lengths)} files, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
