"""Compares docs/generated with what mlir-tblgen wrote during the build, or copies it there.

usage: generated_docs.py FOLDER BUILT=NAME… [--update]
"""

import os
import sys


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        # Some generators end lines with spaces.
        return "\n".join(line.rstrip() for line in file.read().splitlines()) + "\n"


def main():
    update = "--update" in sys.argv
    folder, *pairs = [a for a in sys.argv[1:] if a != "--update"]
    stale = []
    expected = set()
    for pair in pairs:
        built, name = pair.split("=")
        expected.add(name)
        path = os.path.join(folder, name)
        text = read(built)
        if text == read(path):
            continue
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            stale.append(name)
    for name in sorted(set(os.listdir(folder)) - expected):
        if update:
            os.remove(os.path.join(folder, name))
        else:
            stale.append(name)
    for name in stale:
        print(f"error: docs/generated/{name} is stale: run `make docs` and commit the result")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
