"""The elements of a padded array at an index, for a whole tile: loads of its source, tested where it is not known that they are inside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.linalg.iteration import Affine, Dim, Index
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.memory import Tile, number_at
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import Bound, bounds_of, fill_of, is_padding

Test = list["Number | None"]
"""Whether a read is inside of the source: one for all lanes, or one for each step; None: it is."""


def read_padded(evaluator: Any, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    """The source's elements, the fill's where the index is outside of the source."""
    if not is_padding(op):
        raise CompileError(f"{op.location}: an insertion that is read inside a region kernel")
    fill = evaluator.scalar(fill_of(op))
    bounds = [tile.fixed(bound) for bound in bounds_of(op, index)]
    if not all(bound.count for bound in bounds) or any(bound.holds_never(tile.values) for bound in bounds):
        return [fill]
    found = [_coordinate(evaluator, bound, tile) for bound in bounds]
    coordinates, tests = tuple(at for at, _ in found), [test for _, test in found if test]
    numbers = read_inside(evaluator, op.operands[0], coordinates, tests, tile)
    return numbers if not tests else _chosen(evaluator.code, tests, numbers, fill)


def read_inside(evaluator: Any, source: ir.Value, at: Index, tests: list[Test], tile: Tile) -> list[Number]:
    """The source's elements; lanes that are outside read nothing, and positions that are computed from them are clamped."""
    by_lane = [test for test in tests if len(test) > 1 or test[0] is None or test[0].width]
    if not by_lane:
        return list(evaluator.value(source, at, tile))
    around = tile.inside or [None] * tile.steps
    inside = [_all(evaluator.code, one) for one in zip(around, *by_lane)]
    evaluator.speculating += 1
    numbers = evaluator.value(source, at, replace(tile, memo={}, inside=inside))
    evaluator.speculating -= 1
    return list(numbers)


def _chosen(code: Code, tests: list[Test], numbers: list[Number], fill: Number) -> list[Number]:
    """The numbers where all tests hold, the fill elsewhere."""
    chosen = []
    for step in range(max(len(numbers), *map(len, tests))):
        x, test = number_at(numbers, step), _all(code, [number_at(one, step) for one in tests])
        chosen.append(x if test is None else code.select(test, x, fill))
    return chosen


def _coordinate(evaluator: Any, bound: Bound, tile: Tile) -> tuple[Affine, Test]:
    """Where the source is read along a dimension, and the test of that: none where it is known."""
    position = evaluator.bound(bound.position, tile)
    if bound.coordinate is not None and bound.holds_always(tile.values):
        return bound.coordinate, []
    if tile.width and position.coefficient(tile.lanes):
        assert bound.coordinate is not None, "lanes run along loops within which coordinates are whole"
        return bound.coordinate, _test_lanes(evaluator, bound, tile)
    return _moved_inside(evaluator.code, bound, tile)


def _test_lanes(evaluator: Any, bound: Bound, tile: Tile) -> Test:
    known = [bound.holds_always(tile.values_at(step)) for step in range(tile.steps)]
    numbers = evaluator.index_numbers(bound.position, tile)
    return [
        None if sure else _at_most(evaluator.code, number_at(numbers, step), bound.last)
        for step, sure in enumerate(known)
    ]


def _moved_inside(code: Code, bound: Bound, tile: Tile) -> tuple[Affine, Test]:
    """One test for all lanes; outside, the first element is read."""
    at, zero = code.position(bound.position, tile.base), code.index_constant(0)
    test = _at_most(code, at, bound.last)
    if bound.coordinate is None:
        rest = code.arith("remsi", at, code.index_constant(bound.step))
        test = code.arith("andi", test, code.compared("eq", rest, zero))
    inside = code.select(test, at, zero)
    if bound.step > 1:
        inside = code.arith("divui", inside, code.index_constant(bound.step))
    dim = Dim(bound.count)
    tile.base[dim] = inside
    return Affine.of(dim), [test]


def _at_most(code: Code, x: Number, last: int) -> Number:
    """Whether an index is from 0 to `last`: as an unsigned number a negative one is larger."""
    return code.compared("ule", x, code.index_constant(last))


def _all(code: Code, tests: Sequence[Number | None]) -> Number | None:
    """Whether all tests hold; None where that is known."""
    total: Number | None = None
    for test in tests:
        if test is not None:
            total = test if total is None else code.arith("andi", total, test)
    return total


# Loops whose first and last iterations may read padding: these are loops of their own, so that the others read without a test.

Base = dict[Dim, Number]


class Peeling:
    """`bounds`: of the reads that may fail; `peeled`: the loops that are cut. Inside of one loop's edges no other is
    cut: all is tested there."""

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

        def position(n: Number) -> Number:
            if n.values is not None and len(n.values) == 1:
                (known,) = n.values
                return code.index_constant(known if known < before else known + len(interior))
            moved = code.arith("addi", n, code.index_constant(len(interior)))
            at = code.select(code.compared("ult", n, code.index_constant(before)), n, moved) if before else moved
            at.values = range(0 if before else interior.stop, dim.size)
            return at

        self.at_edge = True
        code.loop(0, dim.size - len(interior), 1, lambda n, _: body(position(n)) or [])
        self.at_edge = False

    def parts(self, dim: Dim, main: int, stride: int, base: Base) -> list[range]:
        """The first `main` iterations of a loop over tiles as long as `stride`: tiles that may read padding at one end, those that do
        not, and those at the other end."""
        interior = self.interior(dim, base)
        first = min(-(-interior.start // stride) * stride, main)
        end = min(max(first, interior.stop // stride * stride), main)
        return [part for part in (range(first), range(first, end), range(end, main)) if len(part)] or [range(main)]
