"""The loops around a contraction's kernel, as functions: `NAME` (pointers to A, B, C, scratch) and what it calls.

A nest is a list of loops (`loop_list.py`) around the call of a kernel (`tile_nest.py`, `dot_kernel.py`). A loop tells what is inside where
it is: at which elements of A, B and C, and in what part of the loops of m, n and k. What is done at the beginning of a loop's iteration
(packing a block), and what is inside in parts that threads run, are items of the list, too. Everything static is decided here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.loop_list import walk
from hlo.lowering.memory.parallelise_parts import PART
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText
from hlo.lowering.vector.contraction.problem import Dim, Problem, ceildiv
from hlo.lowering.vector.contraction.schedule import ContractionSchedule

POINTERS = [("a", POINTER), ("b", POINTER), ("c", POINTER), ("scratch", POINTER)]


@dataclass
class Code:
    """The functions of a contraction, the entry last, and the bytes of scratch memory it wants."""

    functions: list[FunctionText]
    scratch: int = 0
    pack_b: tuple[str, int] | None = None
    """For plans with `ready_b`: the function (source, target, depth, columns) that packs B, and the bytes of that."""


class Extent(NamedTuple):
    """What is walked of the innermost loop of m or n: from `start` to `end` (exclusive), and in that the tile of `size` iterations from `at` on."""

    start: str | int
    end: str | int
    at: str | int = 0
    size: int = 0


class Depth(NamedTuple):
    """What is walked of the contracted loops: `size` iterations of all together from `start` on, `depth` of the one that a tile's kernel is told of."""

    start: str | int
    size: str | int
    depth: str | int


@dataclass(frozen=True)
class Place:
    """Where the loops are that are open: pointers to the first elements of A, B and C, and what is walked of the loops inside."""

    a: str
    b: str
    c: str
    m: Extent
    n: Extent
    k: Depth
    is_first: str = ""
    """Whether sums begin here: a value, inside of the blocks."""

    def extent(self, role: str) -> Extent:
        return self.m if role == "m" else self.n

    def along(self, role: str, extent: Extent) -> Place:
        """The place with this part of a loop."""
        return replace(self, m=extent) if role == "m" else replace(self, n=extent)

    @property
    def indices(self) -> list[str | int]:
        return [*self.n[:2], *self.k, *self.m[:2]]

    def renamed(self, names: dict[str, str]) -> Place:
        """The place in a function that has these arguments for indices that are no constants, and others for the pointers."""
        n0, n1, start, size, depth, m0, m1 = (names.get(i, i) if isinstance(i, str) else i for i in self.indices)
        return Place("%a", "%b", "%c", Extent(m0, m1), Extent(n0, n1), Depth(start, size, depth))


Inner = Callable[[FunctionText, Place], None]
Loop = Callable[[FunctionText, Place, Inner], None]


def run_parts(f: FunctionText, part: FunctionText, threads: int, arguments: Sequence[str]) -> None:
    """Calls part(arguments, t) for every thread t: the call of a function with `hlo.part` is one of all its parts."""
    if threads == 1:
        return f.call(part, *arguments, 0)
    part.attributes.append(PART)
    return f.call(part, *arguments, threads)


class Nest:
    """The loops that both nests have. `units`: the iterations of m and n in a tile."""

    def __init__(self, name: str, plan: ContractionSchedule, code: Code, width: int):
        self.name, self.plan, self.code = name, plan, code
        self.problem: Problem = plan.walked
        self.row, self.lane, self.depth = plan.inner_dims(self.problem)
        self.dims = {"m": self.row, "n": self.lane}
        self.units = {"m": plan.unroll_m, "n": width}

    def write(self, f: FunctionText) -> None:
        """All loops, into the function of the name."""
        m, n = (Extent(0, self.dims[role].size) for role in ("m", "n"))
        walk(self.loops(), self.kernel_call, f, Place("%a", "%b", "%c", m, n, self.whole_depth()))

    def loops(self) -> list[Loop]:
        """Outermost first."""
        raise NotImplementedError

    def kernel_call(self, f: FunctionText, at: Place) -> None:
        """What is inside of all loops."""
        raise NotImplementedError

    def whole_depth(self) -> Depth:
        return Depth(0, self.depth.size, self.depth.size)

    # threads

    def part(self, f: FunctionText, at: Place, inner: Inner) -> None:
        """What is inside, in parts for threads."""
        self.in_parts(f, "part", at, inner)

    def in_parts(self, f: FunctionText, suffix: str, at: Place, inner: Inner) -> None:
        """Runs what is inside as a function for all parts, `%thread` being the number of one."""
        names = {index: f"i{n}" for n, index in enumerate(at.indices) if isinstance(index, str)}
        arguments = [*POINTERS, *((name, "i64") for name in names.values()), ("thread", "i64")]
        part = FunctionText(f"{self.name}.{suffix}", arguments)
        inner(part, at.renamed({index: f"%{name}" for index, name in names.items()}))
        self.code.functions.append(part)
        run_parts(f, part, self.plan.threads, [at.a, at.b, at.c, "%scratch", *names])

    def own_range(self, role: str, f: FunctionText, at: Place, inner: Inner) -> None:
        """Of a thread along m or n, if that is what is divided."""
        is_divided = role == self.plan.parallel
        own = f.thread_range(self.dims[role].size, self.plan.threads, self.units[role]) if is_divided else ()
        inner(f, at.along(role, Extent(*own)) if is_divided else at)

    def longest_range(self, role: str) -> int:
        """How many iterations of a loop a thread has, at most."""
        size, unit = self.dims[role].size, self.units[role]
        return ceildiv(ceildiv(size, unit), self.plan.threads) * unit if role == self.plan.parallel else size

    # loops

    def outer_loops(self) -> list[tuple[Dim, Loop]]:
        """Around the blocks."""
        return [
            (d, partial(self._outer_loop, number, d)) for number, d in enumerate(self.plan.outer_dims(self.problem))
        ]

    def _outer_loop(self, number: int, dim: Dim, f: FunctionText, at: Place, inner: Inner) -> None:
        is_divided = self.plan.parallel == f"outer {number}"
        with f.loop(*f.thread_range(dim.size, self.plan.threads if is_divided else 1)) as i:
            inner(f, self.moved(f, at, dim, i))

    def blocks(self, role: str, block: int, f: FunctionText, at: Place, inner: Inner) -> None:
        """Blocks of what is walked of m or n (0: all of it): without a loop where every thread has one."""
        (start, end, *_), size, longest = at.extent(role), self.dims[role].size, self.longest_range(role)
        is_divided = role == self.plan.parallel
        if is_divided and longest <= (block or size) and ceildiv(size, longest) == self.plan.threads:
            return inner(f, at)
        with f.loop(start, end, block or size) as i:
            inner(f, at.along(role, Extent(i, f.min(f.add(i, block), end) if block else end)))
        return None

    def tiles(self, role: str, f: FunctionText, at: Place, inner: Inner) -> None:
        """Whole tiles of a block along m or n, then what is left over, whose size is known."""
        (start, end, *_), size, unit = at.extent(role), self.dims[role].size, self.units[role]
        main = size // unit * unit
        if main:
            with self.around_tiles(f, at, role, unit), f.loop(start, f.min(end, main), unit) as i:
                inner(f, at.along(role, Extent(start, end, i, unit)))
        if size == main or (isinstance(end, int) and end < size):
            return
        left = at.along(role, Extent(start, end, main, size - main))
        is_there = nullcontext() if isinstance(end, int) else f.when(f.compare("eq", end, size))
        with is_there, self.around_tiles(f, at, role, size - main):
            inner(f, left)

    def around_tiles(self, f: FunctionText, at: Place, role: str, count: int) -> AbstractContextManager[None]:
        """What is around the tiles of a size that follow each other."""
        return nullcontext()

    def overlapping_tiles(self, role: str, f: FunctionText, at: Place, inner: Inner) -> None:
        """Tiles of one size, so that there is one kernel: the last one begins earlier, and its first sums are stored again."""
        (start, end, *_), size, unit = at.extent(role), self.dims[role].size, self.units[role]
        with f.loop(start, end, unit) as i:
            first = f.min(i, size - unit) if size % unit else i
            inner(f, at.along(role, Extent(start, end, first, unit)))

    def moved(self, f: FunctionText, at: Place, dim: Dim, index: str | int) -> Place:
        """The place at an index of a loop."""
        p = self.problem
        return replace(
            at,
            a=f.offset(at.a, f.mul(index, dim.a), p.a_type),
            b=f.offset(at.b, f.mul(index, dim.b), p.b_type),
            c=f.offset(at.c, f.mul(index, dim.c), p.c_type),
        )
