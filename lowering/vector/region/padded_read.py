"""The elements of a padded array at an index, for a whole tile: loads of its source, tested where it is not known that they are inside."""

from __future__ import annotations

from collections.abc import Sequence
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
