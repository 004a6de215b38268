"""The loops around a contraction's kernel, as functions: `NAME` (pointers to A, B, C, scratch) and what it calls.

`NAME` walks batch and outer dimensions, then what its nest does inside (`tile_nest.py`, `dot_kernel.py`), in parts that
threads run: a part has all of these loops, or one that several parts share is inside them. Everything static is decided
here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple

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


class Pointers(NamedTuple):
    """Pointers into A, B and C at some indices."""

    a: str
    b: str
    c: str


def run_parts(f: FunctionText, part: FunctionText, threads: int, arguments: Sequence[str]) -> None:
    """Calls part(arguments, t) for every thread t: the call of a function with `hlo.part` is one of all its parts."""
    if threads == 1:
        return f.call(part, *arguments, 0)
    part.attributes.append(PART)
    return f.call(part, *arguments, threads)


PartBody = Callable[[FunctionText, Pointers, "list[str | int]"], None]


class Nest:
    """What both nests have in common: the outer loops and the range of a thread."""

    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        self.name, self.plan, self.code = name, plan, code
        self.problem: Problem = plan.walked
        self.kernels: dict[tuple[int | str, ...], FunctionText] = {}

    def begin(self, f: FunctionText) -> None:
        """What is done before the parts."""

    def write(self, f: FunctionText) -> None:
        """All loops, in parts."""
        self.in_parts(f, "part", self.start(f), [], lambda part, here, _: self.walk(part, here))

    def start(self, f: FunctionText) -> Pointers:
        """The first elements that are read and written."""
        return Pointers("%a", "%b", "%c")

    def in_parts(
        self, f: FunctionText, suffix: str, pointers: Pointers, indices: Sequence[str | int], body: PartBody
    ) -> None:
        """Runs what `body(function, pointers, indices)` writes for all parts, `%thread` being the number of one.
        Indices that are not constant, and the pointers, become its arguments."""
        names = {index: f"i{n}" for n, index in enumerate(indices) if isinstance(index, str)}
        arguments = [*POINTERS, *((name, "i64") for name in names.values()), ("thread", "i64")]
        part = FunctionText(f"{self.name}.{suffix}", arguments)
        body(part, Pointers("%a", "%b", "%c"), [f"%{names[i]}" if isinstance(i, str) else i for i in indices])
        self.code.functions.append(part)
        run_parts(f, part, self.plan.threads, [*pointers, "%scratch", *names])

    def walk(self, f: FunctionText, pointers: Pointers) -> None:
        """The outer loops, and what is inside."""
        self.outer(f, self.around(), pointers, lambda here: self.inner(f, here))

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

    @contextmanager
    def blocks(self, f: FunctionText, span: Span, which: str, size: int, unit: int, block: int) -> Iterator[Span]:
        """The blocks of a thread's range, one after the other (0: all of it): without a loop where every thread has one."""
        longest = self.longest_thread_range(which, size, unit)
        if which == self.plan.parallel and longest <= (block or size) and ceildiv(size, longest) == self.plan.threads:
            yield span
            return
        with f.loop(*span, block or size) as start:
            yield start, f.min(f.add(start, block), span[1]) if block else span[1]

    def kernel(self, key: tuple[int | str, ...], make: Callable[[], FunctionText]) -> FunctionText:
        """A function of the tiles of a size, the micro-kernel among them, made when it is first asked for."""
        if key not in self.kernels:
            self.kernels[key] = make()
            self.code.functions.append(self.kernels[key])
        return self.kernels[key]

    def tiles(
        self, f: FunctionText, rows: Extent, columns: Extent, tile: Callable[[str | int, str | int, int, int], None]
    ) -> None:
        """Calls `tile(row, column, height, width)` for whole tiles, then for left-over rows and columns."""

        def strip(j: str | int, width: int) -> None:
            around = lambda height: self.tiles_of_size(f, height, width)
            self._strips(f, rows, lambda i, height: tile(i, j, height, width), around)

        self._strips(f, columns, strip, lambda width: nullcontext())

    def tiles_of_size(self, f: FunctionText, height: int, width: int) -> AbstractContextManager[None]:
        """What is around the tiles of a size that follow each other."""
        return nullcontext()

    def _strips(
        self,
        f: FunctionText,
        extent: Extent,
        strip: Callable[[str | int, int], None],
        around: Callable[[int], AbstractContextManager[None]],
    ) -> None:
        (start, end), size, step = extent
        main = size // step * step
        if main:
            with around(step), f.loop(start, f.min(end, main), step) as i:
                strip(i, step)
        if size == main:
            return
        if isinstance(end, int):
            if end == size:
                with around(size - main):
                    strip(main, size - main)
            return
        with f.when(f.compare("eq", end, size)), around(size - main):
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
