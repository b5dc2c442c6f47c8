"""Runs a PTX kernel on the CPU, all threads of a block at once: values can be tested without a GPU.

Knows the instructions that the compiler emits, and stops at any other one. Copies started by
cp.async arrive when they are waited for, no earlier; shared memory starts as NaN; every access to
global memory outside of a tensor is an error. Threads run in lockstep by the smallest program
counter, so races between warps go unseen.
"""

import re

import numpy as np

U32, S32, F32, U64, S64 = np.uint32, np.int32, np.float32, np.uint64, np.int64
BITS = {"b8": np.uint8, "u8": np.uint8, "s8": np.int8, "b16": np.uint16, "u16": np.uint16,
        "s16": np.int16, "f16": np.float16, "b32": U32, "u32": U32, "s32": S32, "f32": F32,
        "b64": U64, "u64": U64, "s64": S64, "f64": np.float64}


def bf16_bits(x):
    """f32 -> bf16 bits, to nearest even."""
    u = np.ascontiguousarray(x, dtype=F32).view(U32)
    rounded = ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


def bf16_value(bits):
    return (bits.astype(U32) << 16).view(F32)


class Memory:
    """Tensors at addresses of their own, far apart."""

    def __init__(self):
        self.regions, self.next = [], 1 << 32

    def add(self, array):
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()
        self.regions.append((self.next, data))
        self.next += (data.size + (1 << 20)) & ~0xFFF
        return self.regions[-1]

    def bytes_at(self, addresses, width):
        """Index into the one region that the addresses lie in."""
        low, high = int(addresses.min()), int(addresses.max()) + width
        for base, data in self.regions:
            if base <= low and high <= base + data.size:
                index = (addresses - base).astype(np.int64)
                if (index % width).any() and width in (2, 4, 8, 16):
                    raise RuntimeError(f"misaligned access of {width} bytes")
                return data, index
        raise RuntimeError(f"access outside of all tensors: {low:#x}..{high:#x}")


class Kernel:
    def __init__(self, ptx, name=None):
        match = re.search(r"\.entry (\w+)\((.*?)\)\s*\.maxntid (\d+)", ptx, re.S)
        self.name, self.threads = match.group(1), int(match.group(3))
        self.params = re.findall(r"\.param \.(\w+)[^,\n]* (\w+)(?=,|\s*$)", match.group(2),
                                 re.M)
        body = ptx[match.end():]
        body = re.sub(r"//[^\n]*", "", body[body.index("{") + 1:])
        self.code, self.labels = [], {}
        for statement in re.findall(r"\$?\w+:|[^;]+;", body):
            statement = " ".join(statement.split())
            label = re.match(r"(\$\w+):\s*(.*)", statement)
            while label:
                self.labels[label.group(1)] = len(self.code)
                statement = label.group(2)
                label = re.match(r"(\$\w+):\s*(.*)", statement)
            if not statement or statement.startswith((".reg", "}")):
                continue
            statement = statement.rstrip(";")
            guard = re.match(r"@(!?)(%p\d+) (.*)", statement)
            predicate = (guard.group(2), guard.group(1) == "!") if guard else None
            opcode, _, rest = (guard.group(3) if guard else statement).partition(" ")
            operands = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+(?:\|[^,\s]+)?", rest)
            self.code.append((predicate, opcode, operands))

    def run(self, grid, arguments, memory, shared_bytes):
        for block in range(grid):
            Block(self, block, arguments, memory, shared_bytes).run()


class Block:
    def __init__(self, kernel, index, arguments, memory, shared_bytes):
        self.kernel, self.memory, self.count = kernel, memory, kernel.threads
        self.values = {name: value for (_, name), value in zip(kernel.params, arguments)}
        self.index, self.registers = index, {}
        self.shared = np.full(shared_bytes, 0xFF, np.uint8)
        self.copies, self.groups = [], []

    def get(self, operand, kind):
        """An operand's values for the active threads."""
        dtype = BITS[kind]
        if operand.startswith("%tid.x"):
            return self.active.astype(dtype)
        if operand.startswith("%ctaid.x"):
            return np.full(len(self.active), self.index, dtype)
        if operand.startswith("%"):
            value = self.registers[operand][self.active]
            return value.view(dtype) if value.dtype.itemsize == np.dtype(dtype).itemsize \
                else value.astype(np.dtype(f"u{np.dtype(dtype).itemsize}")).view(dtype)
        if operand.endswith("_shared"):
            return np.zeros(len(self.active), dtype)
        if operand.startswith("0f"):
            word = np.array([int(operand[2:], 16)], U32)
        elif operand.startswith("0x") and kind in ("b16", "f16"):
            word = np.array([int(operand, 16)], np.uint16)
        else:
            size = np.dtype(dtype).itemsize
            word = np.array([int(operand, 0) & ((1 << 8 * size) - 1)], np.dtype(f"u{size}"))
        return np.repeat(word.view(dtype), len(self.active))

    def put(self, name, value):
        if name == "_":
            return
        size = value.dtype.itemsize
        bits = value if value.dtype == bool else value.view(np.dtype(f"u{size}"))
        if name not in self.registers or self.registers[name].dtype != bits.dtype:
            self.registers[name] = np.zeros(self.count, bits.dtype)
        self.registers[name][self.active] = bits

    def predicate(self, name):
        return self.registers[name][self.active]

    def address(self, operand, kind="b64"):
        base, _, offset = operand.strip("[]").partition("+")
        offset = int(offset) if offset else 0
        if base.endswith("_shared"):
            return np.full(len(self.active), offset, np.int64)
        kind = "b32" if self.registers[base].dtype == U32 else "b64"
        return self.get(base, kind).astype(np.int64) + offset

    def place(self, space, addresses, width):
        if "shared" in space:
            if addresses.min() < 0 or addresses.max() + width > self.shared.size:
                raise RuntimeError(f"access outside of shared memory: {addresses.max()}")
            if (addresses % min(width, 16)).any():
                raise RuntimeError("misaligned access to shared memory")
            return self.shared, addresses
        return self.memory.bytes_at(addresses, width)

    def run(self):
        pc = np.zeros(self.count, np.int64)
        waiting = np.zeros(self.count, bool)
        end = len(self.kernel.code)
        while True:
            alive = pc < end
            if not alive.any():
                return
            if not (alive & ~waiting).any():
                waiting[:] = False
            current = pc[alive & ~waiting].min()
            self.active = np.nonzero(alive & ~waiting & (pc == current))[0]
            predicate, opcode, operands = self.kernel.code[current]
            everyone = self.active
            pc[everyone] = current + 1
            if predicate:
                taken = self.predicate(predicate[0]) ^ predicate[1]
                self.active = everyone[taken]
                if not len(self.active):
                    continue
            if opcode.startswith("bra"):
                pc[self.active] = self.kernel.labels[operands[0]]
            elif opcode == "ret":
                pc[self.active] = end
            elif opcode.startswith("bar"):
                if ".red.or" in opcode:
                    self.any_of(operands, alive)
                waiting[self.active] = True
            else:
                self.step(opcode.split("."), operands)

    def any_of(self, operands, alive):
        """A barrier that gives every thread whether a predicate holds in any."""
        if len(self.active) != alive.sum():
            raise RuntimeError("a reducing barrier that not all threads reach together")
        inverse = operands[-1].startswith("!")
        value = self.predicate(operands[-1].lstrip("!")) ^ inverse
        self.put(operands[0], np.full(len(self.active), value.any()))

    def step(self, op, args):
        name, kind = op[0], op[-1]
        with np.errstate(all="ignore"):
            getattr(self, "do_" + name)(op, kind, args)

    # Data movement.
    def do_ld(self, op, kind, args):
        if op[1] == "param":
            value = self.values[args[1].strip("[]")]
            return self.put(args[0], np.full(len(self.active), value, BITS[kind]))
        count = int(op[[x[:1] == "v" and x[1:].isdigit() for x in op].index(True)][1:]) \
            if any(x[:1] == "v" and x[1:].isdigit() for x in op) else 1
        size = np.dtype(BITS[kind]).itemsize
        data, at = self.place(op[1], self.address(args[1]), size * count)
        names = args[0].strip("{}").replace(" ", "").split(",")
        for i, register in enumerate(names):
            raw = data[(at + i * size)[:, None] + np.arange(size)].copy()
            value = raw.view(BITS[kind])[:, 0]
            if size == 1:
                value = value.astype(np.uint16 if kind != "s8" else np.int16)
            self.put(register, value)

    def do_st(self, op, kind, args):
        names = args[1].strip("{}").replace(" ", "").split(",")
        size = np.dtype(BITS[kind]).itemsize
        data, at = self.place(op[1], self.address(args[0]), size * len(names))
        for i, register in enumerate(names):
            raw = np.ascontiguousarray(self.get(register, kind)).view(np.uint8).reshape(-1, size)
            data[(at + i * size)[:, None] + np.arange(size)] = raw

    def do_cp(self, op, kind, args):
        if op[2] == "commit_group":
            self.groups.append(self.copies)
            self.copies = []
        elif op[2] == "wait_group":
            keep = int(args[0])
            while len(self.groups) > keep:
                for target, bytes_ in self.groups.pop(0):
                    self.shared[target[:, None] + np.arange(bytes_.shape[1])] = bytes_
        else:
            size = int(args[2])
            valid = self.get(args[3], "u32") if len(args) > 3 else np.full(len(self.active), size)
            _, target = self.place("shared", self.address(args[0]), size)
            source = self.address(args[1])
            bytes_ = np.zeros((len(self.active), size), np.uint8)
            some = valid > 0
            if some.any():
                whole = some & (valid == size)
                if (source[some] % size).any():
                    raise RuntimeError("misaligned copy")
                for mask, width in ((whole, size),):
                    if mask.any():
                        data, at = self.memory.bytes_at(source[mask], 1)
                        bytes_[mask] = data[at[:, None] + np.arange(width)]
                for i in np.nonzero(some & ~whole)[0]:
                    data, at = self.memory.bytes_at(source[i:i + 1], 1)
                    bytes_[i, : valid[i]] = data[at[0]: at[0] + valid[i]]
            self.copies.append((target, bytes_))

    def do_mov(self, op, kind, args):
        if args[0].startswith("{"):
            halves = self.get(args[1], kind)
            low, high = args[0].strip("{}").replace(" ", "").split(",")
            narrow = {"b32": np.uint16, "b64": U32}[kind]
            shift = np.array(16 if kind == "b32" else 32, halves.dtype)
            self.put(low, halves.astype(narrow))
            self.put(high, (halves >> shift).astype(narrow))
        elif args[1].startswith("{"):
            low, high = args[1].strip("{}").replace(" ", "").split(",")
            part = {"b32": "b16", "b64": "b32"}[kind]
            wide = BITS[kind]
            shift = np.array(16 if kind == "b32" else 32, wide)
            self.put(args[0], self.get(low, part).astype(wide)
                     | (self.get(high, part).astype(wide) << shift))
        elif kind == "pred":
            self.put(args[0], self.predicate(args[1]) if args[1].startswith("%")
                     else np.full(len(self.active), args[1] not in ("0", "false")))
        else:
            self.put(args[0], self.get(args[1], kind))

    def do_cvta(self, op, kind, args):
        self.put(args[0], self.get(args[1], kind))

    def do_cvt(self, op, kind, args):
        target, source = op[-2], op[-1]
        if target in ("f16x2", "bf16x2"):
            high, low = self.get(args[1], source), self.get(args[2], source)
            convert = bf16_bits if target == "bf16x2" else \
                lambda x: x.astype(np.float16).view(np.uint16)
            return self.put(args[0], convert(low).astype(U32) | (convert(high).astype(U32) << 16))
        if source == "bf16":
            return self.put(args[0], bf16_value(self.get(args[1], "b16")))
        if target == "bf16":
            return self.put(args[0], bf16_bits(self.get(args[1], source)))
        value = self.get(args[1], source)
        if "rni" in op or "rmi" in op or "rzi" in op or "rpi" in op:
            value = {"rni": np.rint, "rmi": np.floor, "rzi": np.trunc, "rpi": np.ceil}[
                next(x for x in op if x in ("rni", "rmi", "rzi", "rpi"))](value)
        self.put(args[0], value.astype(BITS[target]))

    def do_shfl(self, op, kind, args):
        target = args[0].split("|")[0]
        values = self.get(args[1], "b32")
        lanes = np.arange(self.count)
        offset = int(args[2])
        source = lanes ^ offset if op[2] == "bfly" else (lanes & ~31) + offset
        full = np.zeros(self.count, U32)
        full[self.active] = values
        self.put(target, full[source][self.active])

    def do_ldmatrix(self, op, kind, args):
        names = args[0].strip("{}").replace(" ", "").split(",")
        _, at = self.place("shared", self.address(args[1]), 16)
        everyone = self.active
        for warp in self.warps():
            rows = at[everyone // 32 == warp]
            rows = self.shared[rows[:, None] + np.arange(16)].copy()
            for i, register in enumerate(names):
                matrix = rows[8 * i: 8 * i + 8].view(np.uint16)
                if "trans" in op:
                    matrix = np.ascontiguousarray(matrix.T)
                words = matrix.copy().view(U32).reshape(-1)
                self.active = np.arange(warp * 32, warp * 32 + 32)
                self.put(register, words)
        self.active = everyone

    def warps(self):
        """The warps that are active, which are so as a whole."""
        warps, counts = np.unique(self.active // 32, return_counts=True)
        if (counts != 32).any():
            raise RuntimeError("a warp's instruction in divergent code")
        return warps

    def do_mma(self, op, kind, args):
        lists = [a.strip("{}").replace(" ", "").split(",") for a in args]
        deep = 16 if "m16n8k16" in op else 8
        element = op[-2]
        lane, everyone = np.arange(32), self.active
        for warp in self.warps():
            self.active = np.arange(warp * 32, warp * 32 + 32)
            a, b = np.zeros((16, deep)), np.zeros((deep, 8))
            c = np.zeros((16, 8), np.float64)
            for i, register in enumerate(lists[1]):
                row, half = lane // 4 + 8 * (i % 2), i // 2
                self.spread(a, register, element, row, lane % 4, half, False)
            for i, register in enumerate(lists[2]):
                self.spread(b, register, element, lane // 4, lane % 4, i, True)
            for i, register in enumerate(lists[3]):
                c[lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2] = self.get(register, "f32")
            d = (c + a @ b).astype(F32)
            for i, register in enumerate(lists[0]):
                self.put(register, d[lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2].copy())
        self.active = everyone

    def spread(self, matrix, register, element, outer, quad, half, transpose):
        word = self.get(register, "b32")
        if element == "tf32":
            value = (word & U32(0xFFFFE000)).view(F32)
            items = [(quad + 4 * half, value)]
        else:
            halves = [(word & 0xFFFF).astype(np.uint16), (word >> 16).astype(np.uint16)]
            values = [h.view(np.float16) if element == "f16" else bf16_value(h) for h in halves]
            items = [(2 * quad + 8 * half + i, v) for i, v in enumerate(values)]
        for inner, value in items:
            if transpose:
                matrix[inner, outer] = value
            else:
                matrix[outer, inner] = value

    # Arithmetic.
    def binary(self, op, kind, args, function):
        self.put(args[0], np.asarray(function(self.get(args[1], kind), self.get(args[2], kind)))
                 .astype(BITS[kind]))

    def do_add(self, op, kind, args):
        self.binary(op, kind, args, np.add)

    def do_sub(self, op, kind, args):
        self.binary(op, kind, args, np.subtract)

    def do_mul(self, op, kind, args):
        if "wide" in op:
            wide = {"s32": S64, "u32": U64, "s16": S32, "u16": U32}[kind]
            value = self.get(args[1], kind).astype(wide) * self.get(args[2], kind).astype(wide)
            return self.put(args[0], value)
        if "hi" in op:
            bits = 8 * np.dtype(BITS[kind]).itemsize
            wide = S64 if kind[0] == "s" else U64
            value = self.get(args[1], kind).astype(wide) * self.get(args[2], kind).astype(wide)
            return self.put(args[0], (value >> wide(bits)).astype(BITS[kind]))
        self.binary(op, kind, args, np.multiply)

    def do_mad(self, op, kind, args):
        if "wide" in op:
            wide = {"s32": S64, "u32": U64}[kind]
            long = {"s32": "s64", "u32": "u64"}[kind]
            value = self.get(args[1], kind).astype(wide) * self.get(args[2], kind).astype(wide)
            return self.put(args[0], value + self.get(args[3], long))
        self.put(args[0], self.get(args[1], kind) * self.get(args[2], kind)
                 + self.get(args[3], kind))

    def do_fma(self, op, kind, args):
        a, b, c = (self.get(x, kind).astype(np.float64) for x in args[1:])
        self.put(args[0], (a * b + c).astype(BITS[kind]))

    def do_div(self, op, kind, args):
        if kind[0] != "f":
            return self.binary(op, kind, args, lambda a, b: np.trunc(
                a.astype(np.float64) / b.astype(np.float64)))
        self.binary(op, kind, args, np.divide)

    def do_rem(self, op, kind, args):
        self.binary(op, kind, args, np.fmod)

    def do_min(self, op, kind, args):
        self.binary(op, kind, args, np.minimum if "NaN" in op or kind[0] != "f" else np.fmin)

    def do_max(self, op, kind, args):
        self.binary(op, kind, args, np.maximum if "NaN" in op or kind[0] != "f" else np.fmax)

    def do_and(self, op, kind, args):
        self.logic(op, kind, args, np.bitwise_and)

    def do_or(self, op, kind, args):
        self.logic(op, kind, args, np.bitwise_or)

    def do_xor(self, op, kind, args):
        self.logic(op, kind, args, np.bitwise_xor)

    def logic(self, op, kind, args, function):
        if kind == "pred":
            return self.put(args[0], function(self.predicate(args[1]), self.predicate(args[2])))
        self.binary(op, kind, args, function)

    def do_not(self, op, kind, args):
        self.put(args[0], ~(self.predicate(args[1]) if kind == "pred"
                            else self.get(args[1], kind)))

    def do_neg(self, op, kind, args):
        self.put(args[0], -self.get(args[1], kind))

    def do_abs(self, op, kind, args):
        self.put(args[0], np.abs(self.get(args[1], kind)))

    def do_shl(self, op, kind, args):
        self.put(args[0], self.get(args[1], kind) << self.get(args[2], "u32").astype(BITS[kind]))

    def do_shr(self, op, kind, args):
        self.put(args[0], self.get(args[1], kind) >> self.get(args[2], "u32").astype(BITS[kind]))

    def do_shf(self, op, kind, args):
        wide = (self.get(args[2], "u32").astype(U64) << U64(32)) | self.get(args[1], "u32")
        shift = self.get(args[3], "u32").astype(U64) & U64(31)
        result = (wide << shift) >> U64(32) if op[1] == "l" else wide >> shift
        self.put(args[0], result.astype(U32))

    def do_prmt(self, op, kind, args):
        wide = (self.get(args[2], "u32").astype(U64) << U64(32)) | self.get(args[1], "u32")
        selector, result = self.get(args[3], "u32"), np.zeros(len(self.active), U32)
        for i in range(4):
            index = ((selector >> U32(4 * i)) & U32(7)).astype(U64)
            byte = ((wide >> (index * U64(8))) & U64(255)).astype(U32)
            result |= byte << U32(8 * i)
        self.put(args[0], result)

    def do_bfe(self, op, kind, args):
        start, length = self.get(args[2], "u32"), self.get(args[3], "u32")
        self.put(args[0], (self.get(args[1], kind) >> start) & ((U32(1) << length) - U32(1)))

    def do_setp(self, op, kind, args):
        a, b = self.get(args[1], kind), self.get(args[2], kind)
        test = op[1]
        unordered = test in ("equ", "neu", "ltu", "leu", "gtu", "geu") and kind[0] == "f"
        compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
                   "gt": np.greater, "ge": np.greater_equal, "lo": np.less,
                   "hi": np.greater, "ls": np.less_equal, "hs": np.greater_equal}
        if test in ("num", "nan"):
            either = np.isnan(a) | np.isnan(b)
            return self.put(args[0], either if test == "nan" else ~either)
        result = compare[test[:2]](a, b)
        if kind[0] == "f":
            either = np.isnan(a) | np.isnan(b)
            result = result | either if unordered else result & ~either
        self.put(args[0], result)

    def do_selp(self, op, kind, args):
        choose = self.predicate(args[3])
        self.put(args[0], np.where(choose, self.get(args[1], kind), self.get(args[2], kind)))

    def do_ex2(self, op, kind, args):
        self.put(args[0], np.exp2(self.get(args[1], "f32").astype(np.float64)).astype(F32))

    def do_lg2(self, op, kind, args):
        self.put(args[0], np.log2(self.get(args[1], "f32").astype(np.float64)).astype(F32))

    def do_rcp(self, op, kind, args):
        self.put(args[0], (F32(1) / self.get(args[1], "f32")).astype(F32))

    def do_sqrt(self, op, kind, args):
        self.put(args[0], np.sqrt(self.get(args[1], kind)))

    def do_tanh(self, op, kind, args):
        self.put(args[0], np.tanh(self.get(args[1], "f32")))
