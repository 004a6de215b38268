"""The micro-kernel: a tile of C in registers, one walk along the contracted dimensions.

    C[r, v] (+)= sum_k A(r, k) * B(k, v)      r < rows, v < vectors, each v a vector of lanes

Packed panels, operands in place, transposed ones and the pixels of a convolution differ in strides only, which are
arguments: contractions of many shapes share a kernel, which is made once a machine (`routines.py`). A is broadcast; in
`a_is_vector` kernels (lanes along a batch dimension) it is loaded as vectors too.

Complex numbers are multiplied where they are, real and imaginary parts side by side: a row of A is two, of real parts and of imaginary
ones, B and C have twice the columns. One shuffle of each vector of sums makes the products of complex numbers of them:

    real = sum_k a.re * (b.re, b.im)        C = real + (-1, 1) * turned, its neighbours exchanged
    turned = sum_k a.im * (b.re, b.im)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.loop_list import walk
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText, byte_size, dot_product

ARGUMENTS = [
    *(("a", POINTER), ("b", POINTER), ("c", POINTER), ("depth", "i64"), ("first", "i1"), ("columns", "i64")),
    *(("a_row", "i64"), ("a_depth", "i64"), ("b_depth", "i64"), ("c_row", "i64")),
]
"""`depth`: the iterations of the contracted loop that is cut in blocks, else of the innermost. `a_row` to `c_row`: strides in elements, as
`Tile` has them."""

TOGETHER = 2
"""Steps along the contracted dimension that a loop takes at once where rows of A lie anywhere, each contiguous: the
pointers to them move half as often."""

BYTES_WITH_MASKS = 64
"""Of vectors whose stores with a mask are one instruction, as fast as others."""

Pointers = tuple[str, str]
"""Where A and B are."""
Inner = Callable[[list[str], Pointers], list[str]]


@dataclass(frozen=True)
class Tile:
    """What a micro-kernel is made from. Strides in elements; those of complex numbers, their vectors and columns are counted in parts."""

    rows: int
    vectors: int
    lanes: int
    a_type: str
    b_type: str
    c_type: str
    a_row: int = 0
    """The stride from one row of A to the next, where rows lie side by side, or the code is that of one shape. 0: the argument."""
    a_depth: int = 0
    """The stride along the contracted dimension, where A is contiguous along it, or the code is that of one shape. 0: the argument."""
    b_depth: int = 0
    """The stride of B along it. 0: the argument."""
    a_extend: str = ""
    b_extend: str = ""
    group: int = 1
    """Elements along the contracted dimension that one instruction takes (packed next to each other)."""
    header: int = 0
    """The words in front of B's panel: what is to be added to each column."""
    outer: tuple[tuple[int, int, int], ...] = ()
    """Contracted dimensions outside the innermost: (size, stride in A, stride in B). Size 0: the argument `depth`."""
    depth: int = 0
    """The size of the innermost one. 0: the argument."""
    a_is_vector: bool = False
    columns: int = 0
    """How many of C are stored."""
    masked: bool = False
    """The last columns: no more are read of B."""
    b_padded: bool = False
    """B may be read past `columns` (a packed panel)."""
    accumulates: bool = False
    """The walk is cut in blocks: C is read unless `first`."""
    ahead: int = 0
    """Tiles along B's rows that are fetched ahead."""
    complex: bool = False
    """Whether elements are pairs of a real and an imaginary part, of the types that are given."""
    half_word: bool = False
    """The last word of a row of A, which is read where it is, may have one element only: of bf16, which are two a word."""

    @property
    def width(self) -> int:
        return self.vectors * self.lanes

    @property
    def parts(self) -> int:
        """Rows of sums for each row of C."""
        return 2 if self.complex else 1


def micro_kernel(name: str, tile: Tile) -> FunctionText:
    """A function of ARGUMENTS."""
    f = FunctionText(name, ARGUMENTS)
    writer = _Writer(f, tile)
    writer.store(writer.walk(tile.outer, writer.initial(), "%a", writer.panel()))
    return f


class TileWriter:
    """What micro-kernels have in common: `lanes` sums are a vector, `extend` is the op from the type of an operand's
    elements to that of sums."""

    def __init__(self, f: FunctionText, lanes: int, a_type: str, b_type: str, c_type: str):
        self.f, self.lanes, self.a_type, self.b_type, self.c_type = f, lanes, a_type, b_type, c_type
        self.vector = f"vector<{lanes}x{c_type}>"

    def load(self, pointer: str, element: str, mask: str | None) -> str:
        """A vector of an operand's elements."""
        return self.f.load_vector(pointer, self.lanes, element, mask)

    def load_extended(self, pointer: str, element: str, extend: str, mask: str | None) -> str:
        return self.f.extended(self.load(pointer, element, mask), self.lanes, element, extend, self.c_type)

    def multiply_add(self, x: str, y: str, total: str) -> str:
        if "f" in self.c_type:
            return self.f.op(f"vector.fma {x}, {y}, {total} : {self.vector}")
        return self.f.op(f"arith.addi {self.f.op(f'arith.muli {x}, {y} : {self.vector}')}, {total} : {self.vector}")

    def walk(self, outer: Sequence[tuple[int, int, int]], sums: list[str], a: str, b: str) -> list[str]:
        """The contracted loops, outermost first: (size, stride in A, stride in B) of all but those that `along` writes.
        The sums behind them."""
        return walk([partial(self._loop, loop) for loop in outer], self.along, sums, (a, b))

    def _loop(self, loop: tuple[int, int, int], sums: list[str], at: Pointers, inner: Inner) -> list[str]:
        f, (size, a_stride, b_stride) = self.f, loop

        def body(_: str | int, values: list[str]) -> list[str]:
            *sums, a, b = values
            return [*inner(sums, (a, b)), f.offset(a, a_stride, self.a_type), f.offset(b, b_stride, self.b_type)]

        carried = [*((total, self.vector) for total in sums), *((pointer, POINTER) for pointer in at)]
        return f.fold(0, size or "%depth", 1, carried, body)[:-2]

    def along(self, sums: list[str], at: Pointers) -> list[str]:
        raise NotImplementedError


class _Writer(TileWriter):
    def __init__(self, f: FunctionText, tile: Tile):
        super().__init__(f, tile.lanes, tile.a_type, tile.b_type, tile.c_type)
        self.tile = tile
        self.masks = self._masks() if tile.masked else [None] * tile.vectors

    def _masks(self) -> list[str | None]:
        """Only the last vector of the columns that are left over is not full."""
        return [None] * (self.tile.vectors - 1) + [self.f.mask(self.tile.lanes, self._last_columns())]

    def _last_columns(self) -> str | int:
        """How many columns the last vector has."""
        return self.f.sub("%columns", (self.tile.vectors - 1) * self.tile.lanes)

    def initial(self) -> list[str]:
        """Sums before the walk. What C holds is fetched meanwhile and added at the end: waiting for it takes no time of its own."""
        tile, f = self.tile, self.f
        sums = [f.zero(self.vector)] * (tile.rows * tile.parts * tile.vectors)
        if tile.header:
            sums = [f.load(f.offset("%b", v * tile.lanes, tile.c_type), self.vector, 4) for v in range(tile.vectors)]
            sums *= tile.rows
        for row in range(tile.rows if tile.accumulates else 0):
            f.prefetch(f.offset("%c", f.mul("%c_row", row), tile.c_type), write=True)
        return sums

    def panel(self) -> str:
        """Where the words of B begin."""
        return self.f.offset("%b", self.tile.header, self.tile.c_type)

    def _read_c(self) -> list[str]:
        return [self.load(p, self.c_type, self.masks[v]) for p, v in self._c_pointers()]

    def _c_pointers(self) -> list[tuple[str, int]]:
        tile, f = self.tile, self.f
        rows = [f.offset("%c", f.mul("%c_row", row), tile.c_type) for row in range(tile.rows)]
        return [(f.offset(row, v * tile.lanes, tile.c_type), v) for row in rows for v in range(tile.vectors)]

    def along(self, sums: list[str], at: Pointers) -> list[str]:
        f, tile, (a, b) = self.f, self.tile, at
        depth: str | int = tile.depth or "%depth"
        elements = depth
        if tile.group > 1:
            depth = f.quotient(depth if tile.half_word else f.add(depth, tile.group - 1), tile.group)
        products = self._products if tile.group == 1 else self._dot_products

        starts, offsets = self._starts(a), self._offsets()
        types = [*(self.vector for _ in sums), *("i64" for _ in offsets), POINTER]

        def steps(count: int) -> Callable[[str | int, list[str]], list[str]]:
            def body(_: str | int, values: list[str]) -> list[str]:
                totals, (*at, b) = values[: len(sums)], values[len(sums) :]
                for step in range(count):
                    rows = [f.offset(row, step * tile.a_depth, tile.a_type) for row in self._rows(starts, at)]
                    totals = products(totals, rows, b)
                    b = f.offset(b, tile.b_depth or "%b_depth", tile.b_type)
                return [*totals, *(f.i64(f.add(offset, count * tile.a_depth or "%a_depth")) for offset in at), b]

            return body

        values = [*sums, *offsets, b]
        done: str | int = 0
        if tile.a_depth and not tile.a_row:
            done = f.mul(f.quotient(depth, TOGETHER), TOGETHER)
            values = f.fold(0, done, TOGETHER, list(zip(values, types)), steps(TOGETHER))
        values = f.fold(done, depth, 1, list(zip(values, types)), steps(1))
        if tile.half_word:
            return self._with_half_word(f.compare("slt", f.mul(depth, tile.group), elements), values, starts)
        return values[: len(sums)]

    def _with_half_word(self, is_left: str, values: list[str], starts: list[str]) -> list[str]:
        """The sums, with the products of elements that are no whole word."""
        count = self.tile.rows * self.tile.vectors
        sums, (*offsets, b) = values[:count], values[count:]
        last = lambda: self._dot_products(sums, self._rows(starts, offsets), b, is_half=True)
        return self.f.choose(is_left, last, lambda: sums, self.vector)

    def _starts(self, a: str) -> list[str]:
        """Where rows of A begin, as far as registers need to hold it: each pair of rows, or the first one."""
        rows = range(0, 1 if self.tile.a_row else self.tile.rows, 2)
        return [self.f.offset(a, self.f.mul("%a_row", row), self.tile.a_type) for row in rows]

    def _offsets(self) -> list[str]:
        """What the walk along A carries: how far it is from the start of a pair to the first and to the second row."""
        is_pair = not self.tile.a_row and self.tile.rows > 1
        return [self.f.i64(0), *["%a_row"] * is_pair]

    def _rows(self, starts: list[str], offsets: list[str]) -> list[str]:
        """A pointer to each row."""
        f, tile = self.f, self.tile
        if tile.a_row:
            here = f.offset(starts[0], offsets[0], tile.a_type)
            return [f.offset(here, row * tile.a_row, tile.a_type) for row in range(tile.rows)]
        return [f.offset(starts[row // 2], offsets[row % 2], tile.a_type) for row in range(tile.rows)]

    def _products(self, totals: list[str], rows: list[str], b: str) -> list[str]:
        """One k: all products of a column of A with a row of B."""
        f, tile = self.f, self.tile
        for v in range(tile.vectors if tile.ahead else 0):
            f.prefetch(f.offset(b, tile.ahead * tile.width + v * tile.lanes, tile.b_type))
        pointers = [f.offset(b, v * tile.lanes, tile.b_type) for v in range(tile.vectors)]
        masks = [None] * tile.vectors if tile.b_padded else self.masks
        bs = [self.load_extended(one, tile.b_type, tile.b_extend, mask) for one, mask in zip(pointers, masks)]
        new: list[str] = []
        for pointer in rows:
            for left in self._a_parts(pointer):
                new += [self.multiply_add(*pair, totals[len(new) + v]) for v, pair in enumerate(zip(left, bs))]
        return new

    def _dot_products(self, totals: list[str], rows: list[str], b: str, is_half: bool = False) -> list[str]:
        """One word of each row of A with the words of a row of B. `is_half`: A has an element of it only."""
        f, tile = self.f, self.tile
        width = tile.lanes * tile.group
        kind = f"vector<{width}x{tile.b_type}>"
        bs = [f.load_vector(f.offset(b, v * width, tile.b_type), width, tile.b_type) for v in range(tile.vectors)]
        new = []
        for row, pointer in enumerate(rows):
            word = f.load(pointer, "i16" if is_half else "i32", byte_size(tile.a_type))
            word = f.op(f"arith.extui {word} : i16 to i32") if is_half else word
            wide = f.op(f"vector.broadcast {word} : i32 to vector<{tile.lanes}xi32>")
            left = f.op(f"vector.bitcast {wide} : vector<{tile.lanes}xi32> to {kind}")
            for v in range(tile.vectors):
                new.append(dot_product(f, tile.lanes, tile.b_type, totals[row * tile.vectors + v], left, bs[v]))
        return new

    def _a_parts(self, pointer: str) -> list[list[str]]:
        """A's part of each vector, for each row of sums."""
        f, tile = self.f, self.tile
        if not tile.complex:
            return [self._a_vectors(pointer)]
        if not tile.a_is_vector:
            return [self._a_vectors(f.offset(pointer, part, tile.a_type)) for part in range(2)]
        orders = [[lane - lane % 2 + part for lane in range(tile.lanes)] for part in range(2)]
        numbers = self._a_vectors(pointer)
        return [[shuffled(f, one, order, self.vector) for one in numbers] for order in orders]

    def _a_vectors(self, pointer: str) -> list[str]:
        """A's part of each vector: its own lanes, or one element for all."""
        f, tile = self.f, self.tile
        if tile.a_is_vector:
            pointers = [f.offset(pointer, v * tile.lanes, tile.a_type) for v in range(tile.vectors)]
            return [self.load_extended(p, tile.a_type, tile.a_extend, mask) for p, mask in zip(pointers, self.masks)]
        scalar = f.load(pointer, tile.a_type, byte_size(tile.a_type))
        if tile.a_extend:
            scalar = f.op(f"{tile.a_extend} {scalar} : {tile.a_type} to {tile.c_type}")
        return [f.op(f"vector.broadcast {scalar} : {tile.c_type} to {self.vector}")] * tile.vectors

    def store(self, values: list[str]) -> None:
        tile, f = self.tile, self.f
        values = self._complex_products(values) if tile.complex else values
        if tile.accumulates:
            values = f.choose("%first", lambda: values, lambda: self._added_to_c(values), self.vector)
        last: list[tuple[str, str]] = []
        for value, (pointer, v) in zip(values, self._c_pointers()):
            if self.masks[v] is None or self._has_masked_stores():
                f.store_vector(value, pointer, tile.lanes, tile.c_type, self.masks[v])
            else:
                last.append((value, pointer))
        if last:
            self._store_first([value for value, _ in last], [pointer for _, pointer in last])

    def _has_masked_stores(self) -> bool:
        """Vectors of 512 bits have them. AVX2 has them for words, but Zen 3 makes tens of micro-operations of one;
        elsewhere each lane is a branch."""
        return self.tile.lanes * byte_size(self.c_type) == BYTES_WITH_MASKS

    def _store_first(self, values: list[str], pointers: list[str]) -> None:
        """Stores the first lanes of vectors, as many as the last columns are: by powers of two, each under a branch for all rows."""
        f, size, left = self.f, self.tile.lanes, self.f.i64(self._last_columns())
        with f.when(self._has_bit(left, size)):
            for value, pointer in zip(values, pointers):
                f.store_vector(value, pointer, size, self.c_type)
        while size > 1:
            half = size // 2
            done = f.op(f"arith.andi {left}, {f.i64(-size)} : i64")
            here = [f.offset(pointer, done, self.c_type) for pointer in pointers]
            values = self._store_half(self._has_bit(left, half), values, here, half)
            size = half

    def _store_half(self, condition: str, values: list[str], pointers: list[str], half: int) -> list[str]:
        """Stores the lower halves of vectors if the condition is true; the halves that the lanes left over are in."""
        f, kind = self.f, f"vector<{2 * half}x{self.c_type}>"

        def halves(start: int) -> list[str]:
            lanes = list(range(start, start + half))
            return [f.op(f"vector.shuffle {value}, {value} {lanes} : {kind}, {kind}") for value in values]

        def store() -> list[str]:
            for value, pointer in zip(halves(0), pointers):
                f.store_vector(value, pointer, half, self.c_type)
            return halves(half)

        return f.choose(condition, store, lambda: halves(0), f"vector<{half}x{self.c_type}>")

    def _has_bit(self, number: str, bit: int) -> str:
        return self.f.compare("ne", self.f.op(f"arith.andi {number}, {self.f.i64(bit)} : i64"), 0)

    def _complex_products(self, sums: list[str]) -> list[str]:
        """Of the sums of products with real and with imaginary parts of A's rows."""
        tile, f = self.tile, self.f
        signs = f.constant(f"dense<{[-1.0, 1.0] * (tile.lanes // 2)}>", self.vector)
        exchanged, out = [lane ^ 1 for lane in range(tile.lanes)], []
        for row in range(tile.rows):
            first = row * 2 * tile.vectors
            for real, turned in zip(sums[first:], sums[first + tile.vectors : first + 2 * tile.vectors]):
                out.append(self.multiply_add(shuffled(f, turned, exchanged, self.vector), signs, real))
        return out

    def _added_to_c(self, values: list[str]) -> list[str]:
        add = "arith.addf" if "f" in self.c_type else "arith.addi"
        return [self.f.op(f"{add} {x}, {y} : {self.vector}") for x, y in zip(self._read_c(), values)]


def shuffled(f: FunctionText, value: str, order: Sequence[int], kind: str) -> str:
    """The elements of a vector in another order."""
    return f.op(f"vector.shuffle {value}, {value} {list(order)} : {kind}, {kind}")
