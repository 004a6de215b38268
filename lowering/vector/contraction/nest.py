"""The loops around a contraction's kernel, as functions: `NAME` (pointers to A, B, C, scratch) and what it calls.

`NAME` calls `NAME.part` for each thread; a part walks batch and outer dimensions, then what its nest does inside
(`tile_nest.py`, `dot_kernel.py`). Everything static is decided here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hlo.lowering.memory.parallelise_parts import PART
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText
from hlo.lowering.vector.contraction.problem import Dim, Problem, ceildiv
from hlo.lowering.vector.contraction.schedule import ContractionSchedule

Span = tuple["str | int", "str | int"]
"""First and last (exclusive) index."""
Extent = tuple[Span, int, int]
"""The part of a loop that is walked, the loop's size, and the size of a tile."""

POINTERS = [("a", POINTER), ("b", POINTER), ("c", POINTER), ("scratch", POINTER)]


@dataclass
class Code:
    """The functions of a contraction, the entry last, and the bytes of scratch memory it wants."""

    functions: list[FunctionText]
    scratch: int = 0
    pack_b: tuple[str, int] | None = None
    """For plans with `ready_b`: the function (source, target, depth, columns) that packs B, and the bytes of that."""


@dataclass(frozen=True)
class Pointers:
    """Pointers into A, B and C at some indices."""

    a: str
    b: str
    c: str


def run_parts(f: FunctionText, part: FunctionText, threads: int, pointers: Sequence[str]) -> None:
    """Calls part(pointers, t) for every thread t: the call of a function with `hlo.part` is one of all its parts."""
    if threads == 1:
        return f.call(part, *pointers, 0)
    part.attributes.append(PART)
    return f.call(part, *pointers, threads)


class Nest:
    """What both nests have in common: the outer loops and the range of a thread."""

    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        self.name, self.plan, self.code = name, plan, code
        self.problem: Problem = plan.walked
        self.kernels: dict[tuple[int, int], FunctionText] = {}

    def begin(self, f: FunctionText) -> None:
        """What is done before the parts."""

    def part(self) -> FunctionText:
        """part(a, b, c, scratch, thread): the thread's range of the loop that the plan splits."""
        f = FunctionText(f"{self.name}.part", [*POINTERS, ("thread", "i64")])
        self.enter(f)
        self.walk(f, Pointers("%a", "%b", "%c"))
        return f

    def walk(self, f: FunctionText, pointers: Pointers) -> None:
        """All loops of a part."""
        self.outer(f, self.around(), pointers, lambda here: self.inner(f, here))

    def enter(self, f: FunctionText) -> None:
        """What a part does first."""

    def around(self) -> list[tuple[int, Dim]]:
        """The loops around the blocks, with their numbers."""
        return list(enumerate(self.plan.outer_dims(self.problem)))

    def inner(self, f: FunctionText, pointers: Pointers) -> None:
        raise NotImplementedError

    def thread_range(self, f: FunctionText, which: str, size: int, unit: int) -> Span:
        """First and last (exclusive) index of this thread along a loop, in whole units."""
        if which != self.plan.parallel:
            return 0, size
        return f.thread_range(size, self.plan.threads, unit)

    def longest_thread_range(self, which: str, size: int, unit: int) -> int:
        """How many indices a thread has along a loop, at most."""
        return ceildiv(ceildiv(size, unit), self.plan.threads) * unit if which == self.plan.parallel else size

    def kernel(self, key: tuple[int, int], make: Callable[[], FunctionText]) -> FunctionText:
        """The micro-kernel of a tile's height and width, made when it is first asked for."""
        if key not in self.kernels:
            self.kernels[key] = make()
            self.code.functions.append(self.kernels[key])
        return self.kernels[key]

    def tiles(
        self, f: FunctionText, rows: Extent, columns: Extent, tile: Callable[[str | int, str | int, int, int], None]
    ) -> None:
        """Calls `tile(row, column, height, width)` for whole tiles, then for left-over rows and columns."""
        self._strips(f, columns, lambda j, width: self._strips(f, rows, lambda i, height: tile(i, j, height, width)))

    def _strips(self, f: FunctionText, extent: Extent, strip: Callable[[str | int, int], None]) -> None:
        (start, end), size, step = extent
        main = size // step * step
        if main:
            with f.loop(start, f.min(end, main), step) as i:
                strip(i, step)
        if size == main:
            return
        if isinstance(end, int):
            if end == size:
                strip(main, size - main)
            return
        with f.when(f.compare("eq", end, size)):
            strip(main, size - main)

    def outer(
        self, f: FunctionText, dims: list[tuple[int, Dim]], pointers: Pointers, inner: Callable[[Pointers], None]
    ) -> None:
        if not dims:
            return inner(pointers)
        (number, dim), *rest = dims
        start, end = self.thread_range(f, f"outer {number}", dim.size, 1)
        with f.loop(start, end) as i:
            self.outer(f, rest, self.moved(f, pointers, dim, i), inner)
        return None

    def moved(self, f: FunctionText, pointers: Pointers, dim: Dim, index: str | int) -> Pointers:
        p = self.problem
        return Pointers(
            f.offset(pointers.a, f.mul(index, dim.a), p.a_type),
            f.offset(pointers.b, f.mul(index, dim.b), p.b_type),
            f.offset(pointers.c, f.mul(index, dim.c), p.c_type),
        )
