"""Writes an .npz file without NumPy: make_npz.py OUT KEY=DESCR:SHAPE:VALUE…

Each array is filled with one value: arg0=<f4:2x3:1.5. A DESCR that Python's struct does not know, as
|V2, takes the value as the bits of a 16-bit integer.
"""

import struct
import sys
import zipfile

CODES = {"f2": "e", "f4": "f", "f8": "d", "b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H",
         "V2": "H", "i4": "i", "i8": "q"}

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for word in sys.argv[2:]:
        key, rest = word.split("=", 1)
        descr, shape, value = rest.split(":")
        sizes = tuple(int(size) for size in shape.split("x")) if shape else ()
        count = 1
        for size in sizes:
            count *= size
        code = CODES[descr[1:]]
        number = float(value) if code in "efd" else int(value)
        header = repr({"descr": descr, "fortran_order": False, "shape": sizes})
        header = header.ljust(128 - 10 - 1) + "\n"
        with archive.open(key + ".npy", "w") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            file.write(struct.pack("<%d%s" % (count, code), *[number] * count))
