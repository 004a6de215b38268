"""The schedule of a contraction: what is decided about it, as data. It walks the problem's loops, or what they become where B is packed from a
table of offsets; the walk along the contracted dimensions may be cut in blocks."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import fields, replace
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.schedule import attribute_of, read_fields
from hlo.lowering.target import DOTS, TILE_ROWS, Target
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import ONE, Dim, Problem, count, merge, whole

MOST_DOT_ROWS, MOST_DOT_COLUMNS = 4, 4
"""The most rows and columns of a tile of `dot_kernel.py`."""
MOST_TILES = 2
"""Tile registers along the rows, and along the columns, of what `matrix_kernel.py` computes at once: four of sums and two of each operand are all
that there are."""


def most_dot_columns(rows: int, p: Problem) -> int:
    """Of such a tile with so many rows: it has two sums for a product of complex numbers."""
    return min(MOST_DOT_COLUMNS, MOST_DOT_ROWS * MOST_DOT_COLUMNS // (rows * p.parts))


def fitting_rows(vectors: int, registers: int, parts: int) -> int:
    """Of a tile of so many vectors: its sums, the vectors of B and a broadcast fit in the registers. A row of complex numbers has two of sums."""
    return (registers - 1 - vectors) // vectors // parts


def fits_dots(rows: int, columns: int, registers: int) -> bool:
    """Whether sums of a tile of packed columns, and the vectors that it multiplies, fit in the registers."""
    return rows * columns + rows + columns <= registers


TOGETHER, TOGETHER_PACKED = 1 << 20, 1 << 14
"""Multiplications of a block, and elements of B in it, from which on threads pack it together: they wait for each other before and after, which takes a
few microseconds."""
WORD = 4
"""Bytes that dot products take of each row at once."""
PAIR = 2
"""Elements of 16 bits, or bytes that are extended to them, of such a word."""


DOT_ROWS = {2: 13, 4: 4, 32: 8, 64: 8}
"""By the elements that a dot product takes: rows of A from which on packing B for it is profitable."""
PAIR_ROWS = 6
"""The same for pairs of i16. On an EPYC (Zen 3) 6 to 12 rows take 0.6 to 0.9 of the time of vectors of i32 where B is,
3 rows as long or longer."""


@functools.lru_cache(1 << 8)
def gathered(p: Problem) -> Problem:
    """The loops where B is packed by panels from any offsets: neighbouring loops of n are one where C is one walk along them, neighbouring
    contracted ones where A is. Their strides in B are 0; `table_dims` has what they were.

    A 3x3 convolution of images of 28 x 28, features first: n = (28, 28), of which windows overlap, is one loop of 784."""
    inner = table_dims(p)[0]
    lane = Dim(count(inner), 0, 0, inner[-1].c)
    contracted = tuple(replace(d, b=0) for d in merge(p.k, "a"))
    return replace(p, n=(*p.n[: len(p.n) - len(inner)], lane), k=contracted)


@functools.lru_cache(1 << 8)
def by_columns(p: Problem, lanes: int) -> Problem:
    """The loops where B is packed by columns, as elements of C: each column is contiguous along the contracted loops, and whole vectors along the
    innermost one. Neighbouring contracted loops are one where A is one walk along them."""
    step, placed = 1, dict[str, tuple[Dim, ...]]()
    for role, dims in (("k", merge(p.k, "a")), ("n", p.n), ("batch", p.batch)):
        out: list[Dim] = []
        for dim in reversed(dims):
            out.insert(0, replace(dim, b=step))
            step *= whole(dim.size, lanes) if step == 1 else dim.size
        placed[role] = tuple(out)
    return replace(p, b_type=p.c_type, b_extend="", k=placed["k"], n=placed["n"], batch=placed["batch"])


def table_dims(p: Problem) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
    """The loops of n that are one where C is written, and the contracted ones: B's offsets along them are in tables."""
    first = len(p.n) - 1
    while first and p.n[first - 1].c == p.n[first].c * p.n[first].size:
        first -= 1
    return p.n[first:], p.k or (ONE,)


def vector_of(problem: Problem, target: Target) -> int:
    """Elements of C in a register."""
    return target.vector_bits // 8 // byte_size(problem.c_type)


def can_pack_a(p: Problem) -> bool:
    return (bool(p.k) and p.k[-1].a == 1) or (bool(p.m) and p.m[-1].a == 1)


def packed_dots(p: Problem, target: Target) -> int:
    """Elements of a row of A and a column of B that an instruction multiplies where B is packed for it; 1 where that is not profitable."""
    rows, depth = count(p.m), p.k[-1].size if p.k else 1
    if not p.n or p.n[-1].size < vector_of(p, target) or not can_pack_a(p):
        return 1
    word = WORD // byte_size(p.b_type)
    few = DOT_ROWS if p.c_type == "f32" else {**DOT_ROWS, PAIR: PAIR_ROWS}
    enough = (n for n in dot_products(p, target) if rows >= few[n] and depth >= (n if n > word else 4 * n))
    return max(enough, default=1)


def gathered_dots(p: Problem, target: Target) -> int:
    """The same where B is packed from tables."""
    few = count(p.m) < DOT_ROWS[PAIR] or gathered(p).n[-1].size < vector_of(p, target)
    return 1 if few else max([1, *dots_in_place(p, target)])


def dots_in_place(p: Problem, target: Target) -> list[int]:
    """How many elements an instruction may multiply at once where A is read where it is, and B is packed from tables: pairs of bf16 that lie side by
    side in A."""
    walk = gathered(p).k[-1:]
    side_by_side = p.b_type == "bf16" and bool(walk) and walk[0].a == 1
    return [PAIR] if side_by_side and PAIR in dot_products(p, target) else []


def dot_products(problem: Problem, target: Target) -> list[int]:
    """By how many elements the target's instructions multiply a row with a column at once, where it has any for a problem."""
    element = problem.b_type
    if element not in DOTS or problem.a_type != element or problem.c_type != DOTS[element].sums:
        return []
    signed = [extend == "arith.extsi" for extend in (problem.a_extend, problem.b_extend)]
    pairs = "i16" in target.dots and (element == "i8" or (element == "i16" and all(signed)))
    words = element in target.dots and element != "i16" and (element != "i8" or signed[1])
    word = WORD // byte_size(element)
    return [PAIR] * pairs + [word] * words + [word * TILE_ROWS] * (element in target.matrices)


def dot_words(problem: Problem, target: Target) -> list[int]:
    """How many products vectors along the contracted dimension may add up at once: the words of bytes of any sign."""
    types = problem.a_type, problem.b_type, problem.c_type
    return [1, WORD] if types == ("i8", "i8", DOTS["i8"].sums) and "i8" in target.dots else [1]


@dataclass(frozen=True)
class Cut:
    """Blocks of `count` iterations of contracted loop `level`, with all iterations of the loops inside it."""

    level: int
    count: int


def cut_of(sizes: Sequence[int], block: int) -> Cut | None:
    """Where contracted loops (outermost first) are cut for blocks of so many iterations together. None: that is no whole number of
    iterations of one loop with all those inside it. A whole loop is one iteration of that around it: its last word may have a zero."""
    for level in reversed(range(len(sizes))):
        inside = prod(sizes[level + 1 :])
        if block < sizes[level] * inside or (level == 0 and block == prod(sizes)):
            return None if block % inside or not block else Cut(level, block // inside)
    return None


def even_block(sizes: Sequence[int], most: int, unit: int = 1) -> int:
    """Iterations of blocks of about equal size, none much larger than `most`, that can be cut; 0: all of them. `unit`: blocks of the innermost loop
    are multiples of it."""
    if prod(sizes) <= most:
        return 0
    for level in reversed(range(len(sizes))):
        inside = prod(sizes[level + 1 :])
        if sizes[level] * inside <= most:
            continue
        unit = unit if level == len(sizes) - 1 else 1
        fit = max(most // inside // unit, 1) * unit
        parts = -(-sizes[level] // fit)
        even = -(-sizes[level] // parts)
        block = min(-(-even // unit) * unit, sizes[level]) * inside
        return 0 if block == prod(sizes) else block
    return 0


@dataclass(frozen=True)
class ContractionSchedule:
    """How a problem runs; docs/kernels.md tells what each field does. Blocks are in elements; 0: not cut.

    Where vectors run along a batch dimension, that stands for n."""

    problem: Problem
    vectorize: str
    """The loop that runs in vectors: "n", "batch", or "k" (dot products, summed at the end)."""
    vector: int
    """Elements of a vector."""
    unroll_m: int = 1
    unroll_n: int = 1
    """Vectors of a tile; along k: elements."""
    pack_a: str = "none"
    pack_b: str = "none"
    """"none": read where it is; "rows", "lanes", "words" (`packing.py`), "gather" (`gather_packing.py`), "columns" (`column_packing.py`)."""
    block_k: int = 0
    """Iterations of all contracted loops together."""
    k_outside: bool = False
    """Whether blocks of k are around all loops of m and n; else around those that are blocks too."""
    block_m: int = 0
    block_n: int = 0
    threads: int = 1
    parallel: str = "none"
    """The loop that is divided among threads: "m", "n", "outer N"."""
    keep_b: bool = False
    """B's panels are packed already, for the whole of k: other code calls `NAME.pack_b` when B changes."""
    dot_product: int = 1
    """Elements of each row of A, and each column of B, that one instruction multiplies: a word, or a row of a tile."""
    prefetch_b: int = 0
    """Tiles that are fetched ahead along B's rows."""

    @property
    def walked(self) -> Problem:
        """The problem with the loops that there are."""
        if self.pack_b == "columns":
            return by_columns(self.problem, self.vector)
        return gathered(self.problem) if self.pack_b == "gather" else self.problem

    @property
    def cut(self) -> Cut | None:
        """Where the contracted loops are cut."""
        return cut_of([d.size for d in self.walked.k], self.block_k) if self.block_k else None

    @property
    def packs_b_together(self) -> bool:
        """Whether the threads, each of which has some of the rows, pack blocks of B together."""
        if self.parallel != "m" or self.threads == 1 or self.keep_b or self.pack_b in ("none", "columns"):
            return False
        m, n, _ = self.inner_dims(self.walked)
        packed = min(n.size, self.block_n or n.size) * (self.block_k or count(self.walked.k))
        return packed >= TOGETHER_PACKED and m.size * packed * self.problem.parts >= TOGETHER

    @property
    def width(self) -> int:
        """Elements of n in a tile."""
        return self.unroll_n * self.vector

    @property
    def word(self) -> int:
        """Elements along the contracted dimension that lie next to each other in packed panels."""
        return 1 if self.dot_product == 1 else min(self.dot_product, WORD // byte_size(self.problem.b_type))

    def packed_depth(self, level: int = -1) -> int:
        """Elements along k that packed panels have for the contracted loops inside one (-1: for all): whole words of the innermost."""
        sizes = [d.size for d in self.walked.k][level + 1 :]
        return prod(sizes[:-1]) * whole(sizes[-1], self.word) if sizes else 1

    @property
    def multiplies_tiles(self) -> bool:
        """Whether an instruction multiplies tiles of rows."""
        return self.dot_product > self.word

    @property
    def header(self) -> bool:
        """Whether both operands are signed bytes of an instruction that takes A's unsigned: their signs are flipped, and sums of B's columns
        correct for that."""
        return self.dot_product == self.word == 4 and self.problem.a_extend == "arith.extsi"

    def packed_type(self, element: str) -> str:
        """The element type of packed panels of an operand: that of the sums, so that elements are extended once, where no dot-product
        instruction takes them as they are; bytes of which it takes pairs are extended to what it multiplies."""
        if self.dot_product == 1:
            return self.problem.c_type
        return f"i{8 * WORD // self.word}" if element == "i8" else element

    def inner_dims(self, p: Problem) -> tuple[Dim, Dim, Dim]:
        """The innermost loops of m, n and k."""
        lanes = p.batch if self.vectorize == "batch" else p.n
        m, n, k = (dims[-1] if dims else ONE for dims in (p.m, lanes, p.k))
        return m, n, k

    def outer_dims(self, p: Problem) -> list[Dim]:
        """The loops around the blocks."""
        batch = p.batch[:-1] if self.vectorize == "batch" else p.batch
        lanes = p.n if self.vectorize == "batch" else p.n[:-1]
        return [*batch, *lanes, *p.m[:-1]]

    def attribute(self) -> ir.Attribute:
        """The schedule without its problem, which is the kernel's."""
        own = {name: getattr(self, name) for name in FIELDS if name != SWAP}
        return attribute_of({SWAP: self.problem.swapped, **own})


SWAP = "swap_operands"
"""Whether A is the kernel's second input."""
FIELDS = {SWAP: "bool", **{f.name: str(f.type) for f in fields(ContractionSchedule) if f.name != "problem"}}
"""Of the attribute, with their types."""


def read_schedule(problem: Problem, attribute: ir.Attribute) -> ContractionSchedule:
    """The schedule that an attribute has for a problem, in whichever order its operands are. Raises ScheduleError."""
    values = read_fields(attribute, FIELDS)
    swapped = values.pop(SWAP) != problem.swapped
    return ContractionSchedule(problem.swap() if swapped else problem, **values)
