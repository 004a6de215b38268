"""The micro-kernel for products whose contracted dimension is contiguous in both operands, or becomes so in B
(`column_packing.py`): vectors along it, summed at the end. C[r, n] = sum_k A(r, k) * B(n, k).

Complex numbers have two sums each: of products of real with real and imaginary with imaginary parts, which alternate
and whose difference is the real part, and of products with the other one's parts exchanged, which add up to the
imaginary part.

Bytes are multiplied by dot-product instructions where there are any, which take one operand unsigned and one signed. Of
two signed ones A's sign bits are flipped, which adds 128 to each element, of two unsigned ones B's, which subtracts
128: the sums of the other operand, also by such instructions, undo that."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

from hlo.lowering.balanced_tree import in_pairs
from hlo.lowering.vector.contraction.column_packing import column_bytes, pack_columns
from hlo.lowering.vector.contraction.function_text import (
    NOINLINE,
    POINTER,
    FunctionText,
    byte_size,
    dot_product,
    part_of,
    vector_type,
)
from hlo.lowering.vector.contraction.micro_kernel import Pointers, TileWriter, shuffled
from hlo.lowering.vector.contraction.nest import Code, Inner, Loop, Nest, Place
from hlo.lowering.vector.contraction.problem import Dim, Problem
from hlo.lowering.vector.contraction.schedule import ContractionSchedule
from hlo.lowering.vector.region.blocked_sums import BLOCK

ARGUMENTS = [("a", POINTER), ("b", POINTER), ("c", POINTER)]


def dot_kernel(name: str, p: Problem, m: Dim, n: Dim, lanes: int, word: int) -> FunctionText:
    """`p`: whose last contracted dimension is contiguous; `m`, `n`: its rows and columns here; `word`: elements that an
    instruction adds up."""
    f = FunctionText(name, ARGUMENTS, NOINLINE)
    writer = _Writer(f, p, m, n, lanes, word)
    count = m.size * n.size * p.parts
    streams = 4 if count <= 2 else 2 if count <= 6 else 1
    outer = [(d.size, d.a, d.b) for d in p.k[:-1]]
    totals = writer.walk(outer, [f.zero(writer.vector)] * (writer.count * streams), "%a", "%b")
    writer.store([writer.total(totals[position :: writer.count]) for position in range(writer.count)])
    return f


class _Writer(TileWriter):
    """`count`: the sums of one walk: of products, then those of the elements of A's rows, or B's columns, that undo flipped signs."""

    def __init__(self, f: FunctionText, p: Problem, m: Dim, n: Dim, lanes: int, word: int):
        super().__init__(f, lanes, p.a_type, p.b_type, p.c_type)
        self.vector = vector_type(lanes, p.c_type)
        self.p, self.m, self.n, self.word = p, m, n, word
        same = word > 1 and p.a_extend == p.b_extend
        self.flips_a, self.flips_b = (same and p.a_extend == f"arith.ext{sign}" for sign in ("si", "ui"))
        self.count = m.size * n.size * p.parts + n.size * self.flips_a + m.size * self.flips_b

    def along(self, sums: list[str], at: Pointers) -> list[str]:
        """The contiguous part: some independent sums of each element, of blocks where they are long, and what is left, masked."""
        (a, b), f, depth, count, width = at, self.f, self.p.k[-1].size, self.count, self.lanes * self.word
        streams = len(sums) // count
        step = width * streams
        main = depth // step * step

        def body(k: str | int, sums: list[str]) -> list[str]:
            out = list(sums)
            for s in range(streams):
                self._step(out, s * count, f.add(k, s * width), a, b, None)
            return out

        sums = list(sums)
        for k in range(main, depth, width):
            left = depth - k
            parts = self.p.parts
            self._step(sums, 0, k, a, b, f.mask(width * parts, left * parts) if left < width else None)
        carried, block = [(t, self.vector) for t in sums], BLOCK * step
        whole = main // block * block if main > 2 * block and "f" in self.c_type else 0
        if main > whole:
            sums = f.fold(whole, main, step, carried, body)
        if not whole:
            return sums

        def one(first: str | int, sums: list[str]) -> list[str]:
            begun = [(f.zero(self.vector), self.vector)] * len(sums)
            made = f.fold(0, block, step, begun, lambda k, sums: body(f.add(first, k), sums))
            return [f.op(f"arith.addf {x}, {y} : {self.vector}") for x, y in zip(sums, made)]

        return f.fold(0, whole, block, [(t, self.vector) for t in sums], one)

    def _step(self, sums: list[str], at: int, k: str | int, a: str, b: str, mask: str | None) -> None:
        """Adds products to the sums from number `at` on."""
        p, f = self.p, self.f
        a_here, b_here = f.offset(a, k, p.a_type), f.offset(b, k, p.b_type)
        rows, columns = (
            [self._load(f.offset(here, i * stride, kind), kind, extend, mask) for i in range(size)]
            for here, size, stride, kind, extend in (
                (a_here, self.m.size, self.m.a, p.a_type, p.a_extend),
                (b_here, self.n.size, self.n.b, p.b_type, p.b_extend),
            )
        )
        pairs = [*product(map(self._flipped, rows) if self.flips_a else rows, columns)]
        if self.flips_a:
            pairs += product([self._all(1)], columns)
        elif self.flips_b:
            pairs = [*product(rows, map(self._flipped, columns)), *product(rows, [self._all(1)])]
        elif p.parts > 1 and len(rows) < len(columns):
            pairs += product(map(self._exchanged, rows), columns)
        elif p.parts > 1:
            pairs += product(rows, map(self._exchanged, columns))
        for number, (x, y) in enumerate(pairs, at):
            sums[number] = self._multiply_add(x, y, sums[number])

    def _load(self, pointer: str, kind: str, extend: str, mask: str | None) -> str:
        if self.word == 1:
            return self.load_extended(pointer, kind, extend, mask)
        return self.f.load_vector(pointer, self.lanes * self.word, kind, mask)

    def _all(self, number: int) -> str:
        return self.f.constant(f"dense<{number}>", f"vector<{self.lanes * self.word}x{self.p.a_type}>")

    def _flipped(self, x: str) -> str:
        return self.f.op(f"arith.xori {x}, {self._all(-128)} : vector<{self.lanes * self.word}x{self.p.a_type}>")

    def _exchanged(self, x: str) -> str:
        """Each number's parts in the other order."""
        return shuffled(self.f, x, [lane ^ 1 for lane in range(2 * self.lanes)], self.vector)

    def _multiply_add(self, x: str, y: str, total: str) -> str:
        if self.word == 1:
            return self.multiply_add(x, y, total)
        first_is_signed = self.p.a_extend == "arith.extsi" and not self.flips_a
        return dot_product(self.f, self.lanes, self.p.a_type, total, *((y, x) if first_is_signed else (x, y)))

    def total(self, sums: list[str]) -> str:
        """What the streams of a walk have summed."""
        add = "arith.addf" if "f" in self.c_type else "arith.addi"
        return in_pairs(sums, lambda x, y: self.f.op(f"{add} {x}, {y} : {self.vector}"))

    def store(self, sums: list[str]) -> None:
        if self.p.parts > 1:
            return self._store_complex(sums)
        f, products = self.f, self.m.size * self.n.size
        times = f.constant("dense<128>", self.vector) if self.count > products else ""
        flipped = [f.op(f"arith.muli {total}, {times} : {self.vector}") for total in sums[products:]]
        places = list(product(range(self.m.size), range(self.n.size)))
        totals = sums[:products]
        if flipped:
            undo, other = ("arith.subi", 1) if self.flips_a else ("arith.addi", 0)
            pairs = zip(totals, places)
            totals = [f.op(f"{undo} {total}, {flipped[place[other]]} : {self.vector}") for total, place in pairs]
        offsets = [row * self.m.c + column * self.n.c for row, column in places]
        for first in range(0, products, self.lanes):
            chunk = slice(first, first + self.lanes)
            self._store_lanes(self._summed(totals[chunk]), offsets[chunk])
        return None

    def _summed(self, vectors: list[str]) -> str:
        """A vector whose lanes are the totals of so many vectors, one of each. In each round a vector has a lane of one
        beside a lane of the other, and what they are to be added to."""
        f, lanes, distance = self.f, range(self.lanes), 1
        add = "arith.addf" if "f" in self.c_type else "arith.addi"

        def shuffled(x: str, y: str, order: list[int]) -> str:
            return f.op(f"vector.shuffle {x}, {y} {order} : {self.vector}, {self.vector}")

        def joined(x: str, y: str | None) -> str:
            y, own = y or x, [lane if y is None else lane + self.lanes * bool(lane & distance) for lane in lanes]
            one = x if y == x else shuffled(x, y, own)
            other = shuffled(x, y, [number ^ distance for number in own])
            return f.fenced(f.op(f"{add} {one}, {other} : {self.vector}"), self.vector)

        while distance < self.lanes:
            pairs = [vectors[n : n + 2] for n in range(0, len(vectors), 2)]
            vectors = [joined(pair[0], pair[1] if len(pair) > 1 else None) for pair in pairs]
            distance *= 2
        return vectors[0]

    def _store_lanes(self, value: str, offsets: list[int]) -> None:
        """The first lanes of a vector at offsets in C: those that follow each other are stored together, by powers of two."""
        f, kind, lane = self.f, self.c_type, 0
        while lane < len(offsets):
            run = next(
                (n for n in range(1, len(offsets) - lane) if offsets[lane + n] != offsets[lane] + n),
                len(offsets) - lane,
            )
            size = 1 << (run.bit_length() - 1)
            pointer = f.offset("%c", offsets[lane], kind)
            if size == 1:
                one = f.op(f"vector.extract {value}[{lane}] : {kind} from {self.vector}")
                f.store(one, pointer, kind, byte_size(kind))
            elif size == self.lanes:
                f.store_vector(value, pointer, size, kind)
            else:
                order = list(range(lane, lane + size))
                part = f.op(f"vector.shuffle {value}, {value} {order} : {self.vector}, {self.vector}")
                f.store_vector(part, pointer, size, kind)
            lane += size

    def _store_complex(self, sums: list[str]) -> None:
        f, kind, part, products = self.f, self.c_type, part_of(self.c_type), self.m.size * self.n.size
        signs = f.constant(f"dense<{[1.0, -1.0] * self.lanes}>", self.vector)
        for position, (row, column) in enumerate(product(range(self.m.size), range(self.n.size))):
            equal, other = sums[position], sums[products + position]
            place = f.offset("%c", row * self.m.c + column * self.n.c, kind)
            for number, total in enumerate((f.op(f"arith.mulf {equal}, {signs} : {self.vector}"), other)):
                total = f.op(f"vector.reduction <add>, {total} fastmath<reassoc> : {self.vector} into {part}")
                f.store(total, f.offset(place, number, part), part, byte_size(part))


# The loops around it


class DotNest(Nest):
    """Vectors along the contracted dimension."""

    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        super().__init__(name, plan, code, plan.unroll_n)
        self.kernels: dict[tuple[int, int], FunctionText] = {}

    def loops(self) -> list[Loop]:
        outer = [loop for _, loop in self.outer_loops()]
        outer = [self.part, *outer, *(partial(self.own_range, role) for role in ("m", "n"))]
        if self.plan.pack_b != "columns":
            return [*outer, partial(self.tiles, "n"), partial(self.tiles, "m")]
        # There are few columns: rows of A stay in the first cache for all of them.
        tiles = [partial(self.overlapping_tiles, role) for role in ("m", "n")]
        return [self._pack_columns, *outer, *tiles]

    def _pack_columns(self, f: FunctionText, at: Place, inner: Inner) -> None:
        plan = self.plan
        columns = f.offset("%scratch", self.code.scratch, "i8")
        self.code.scratch += column_bytes(plan.problem, plan.vector)
        pack_columns(f, plan.problem, plan.vector, at.b, columns)
        inner(f, replace(at, b=columns))

    def kernel_call(self, f: FunctionText, at: Place) -> None:
        here = self.moved(f, self.moved(f, at, self.lane, at.n.at), self.row, at.m.at)
        f.call(self._kernel(at.m.size, at.n.size), here.a, here.b, here.c)

    def _kernel(self, rows: int, columns: int) -> FunctionText:
        """The micro-kernel of the tiles of a size, made when it is first asked for."""
        if (rows, columns) not in self.kernels:
            m, n, plan = replace(self.row, size=rows), replace(self.lane, size=columns), self.plan
            made = dot_kernel(f"{self.name}.dots_{rows}x{columns}", self.problem, m, n, plan.vector, plan.word)
            self.kernels[rows, columns] = made
            self.code.functions.append(made)
        return self.kernels[rows, columns]
