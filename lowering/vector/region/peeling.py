"""Loops whose first and last iterations may read padding: these are loops of their own, so that the others read without a test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.index import Dim
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import Bound

Base = dict[Dim, Number]


class Peeling:
    """`bounds`: of the reads that may fail; `peeled`: the loops that are cut. Inside of one loop's edges no other is cut: all is tested there."""

    def __init__(self, bounds: Sequence[Bound], peeled: Collection[Dim]):
        self.bounds = bounds
        self.peeled = peeled
        self.at_edge = False

    def interior(self, dim: Dim, base: Base) -> range:
        """The iterations of a loop in which no padding is read as far as that depends on it; all of a loop that is not cut here."""
        found = range(dim.size)
        if self.at_edge or dim not in self.peeled:
            return found
        for bound in self.bounds:
            if bound.position.coefficient(dim):
                inside = bound.inside(dim, lambda d: (d in base and base[d].values) or d.values)
                found = range(max(found.start, inside.start), min(found.stop, inside.stop))
        return found

    def edges(self, code: Code, dim: Dim, interior: range, body: Callable[[Number], Any]) -> None:
        """The iterations in front of the interior and behind it, as one loop."""
        before = interior.start

        def place(n: Number) -> Number:
            if n.values is not None and len(n.values) == 1:
                (known,) = n.values
                return code.index_constant(known if known < before else known + len(interior))
            moved = code.arith("addi", n, code.index_constant(len(interior)))
            at = code.select(code.compared("ult", n, code.index_constant(before)), n, moved) if before else moved
            at.values = range(0 if before else interior.stop, dim.size)
            return at

        self.at_edge = True
        code.loop(0, dim.size - len(interior), 1, lambda n, _: body(place(n)) or [])
        self.at_edge = False

    def parts(self, dim: Dim, main: int, stride: int, base: Base) -> list[range]:
        """The first `main` iterations of a loop over tiles as long as `stride`: tiles that may read padding at one end, those that do
        not, and those at the other end."""
        interior = self.interior(dim, base)
        first = min(-(-interior.start // stride) * stride, main)
        end = min(max(first, interior.stop // stride * stride), main)
        return [part for part in (range(first), range(first, end), range(end, main)) if len(part)] or [range(main)]
