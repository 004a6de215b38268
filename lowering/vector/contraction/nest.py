"""The loops around a contraction's kernel, as functions: `NAME` (pointers to A, B, C, scratch) and what it calls.

`NAME` calls `NAME.part` for each thread; a part walks batch and outer dimensions, then what its nest does inside
(`tile_nest.py`, `dot_kernel.py`). Everything static is decided here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Place:
    """Pointers into A, B and C at some indices."""

    a: str
    b: str
    c: str


def run_parts(f: FunctionText, part: FunctionText, threads: int, pointers: Sequence[str]) -> None:
    """Calls part(pointers, t) for every thread. The body of the parallel loop is that one call."""
    if threads == 1:
        return f.call(part, *pointers, 0)
    zero, one, end = (f.constant(str(n), "index") for n in (0, 1, threads))
    f.do(f"scf.parallel (%t) = ({zero}) to ({end}) step ({one}) {{")
    f.do("%t_i64 = arith.index_cast %t : index to i64")
    f.call(part, *pointers, "%t_i64")
    f.do("scf.reduce }")
    return None


class Nest:
    """What both nests share: the outer loops and the share of a thread."""

    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        self.name, self.plan, self.code = name, plan, code
        self.problem: Problem = plan.walked

    def pack(self, f: FunctionText) -> Place:
        """What is done before the parts; the operands afterwards."""
        return Place("%a", "%b", "%c")

    def part(self) -> FunctionText:
        """part(a, b, c, scratch, thread): the thread's share of the loop that the plan splits."""
        f = FunctionText(f"{self.name}.part", [*POINTERS, ("thread", "i64")])
        self.enter(f)
        self.walk(f, Place("%a", "%b", "%c"))
        return f

    def walk(self, f: FunctionText, place: Place) -> None:
        """All loops of a part."""
        self.outer(f, self.outer_dims(), place, lambda here: self.inner(f, here))

    def enter(self, f: FunctionText) -> None:
        """What a part does first."""

    def outer_dims(self) -> list[Dim]:
        return self.plan.outer_dims(self.problem)

    def inner(self, f: FunctionText, place: Place) -> None:
        raise NotImplementedError

    def share(self, f: FunctionText, which: str, size: int, unit: int) -> tuple[str | int, str | int]:
        """First and last (exclusive) index of this thread along a loop, in whole units."""
        if which != self.plan.parallel:
            return 0, size
        chunk = self.longest_share(which, size, unit)
        start = f.min(f.mul("%thread", chunk), size)
        return start, f.min(f.add(start, chunk), size)

    def longest_share(self, which: str, size: int, unit: int) -> int:
        """How many indices a thread has along a loop, at most."""
        return ceildiv(ceildiv(size, unit), self.plan.threads) * unit if which == self.plan.parallel else size

    def outer(self, f: FunctionText, dims: list[Dim], place: Place, inner: Callable[[Place], None]) -> None:
        if not dims:
            return inner(place)
        dim, *rest = dims
        name = f"outer {len(self.outer_dims()) - len(dims)}"
        start, end = self.share(f, name, dim.size, 1)
        with f.loop(start, end) as i:
            self.outer(f, rest, self.moved(f, place, dim, i), inner)
        return None

    def moved(self, f: FunctionText, place: Place, dim: Dim, index: str | int) -> Place:
        p = self.problem
        return Place(
            f.offset(place.a, f.mul(index, dim.a), p.a_type),
            f.offset(place.b, f.mul(index, dim.b), p.b_type),
            f.offset(place.c, f.mul(index, dim.c), p.c_type),
        )
