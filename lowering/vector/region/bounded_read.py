"""The elements of a padded array or a roll at an index, for a whole tile: loads of the source, tested where it is not known on which side of a bound
they are."""

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
from hlo.lowering.vector.region.rolls import Roll, roll_of

Test = list["Number | None"]
"""Whether a read is inside of a bound: one for all lanes, or one for each step; None: it is."""


def read_inserted(evaluator: Any, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    """The elements of what an insertion makes."""
    roll = roll_of(op)
    if roll is not None:
        return _read_rolled(evaluator, roll, index, tile)
    if not is_padding(op):
        raise CompileError(f"{op.location}: an insertion that is read inside a region kernel")
    return _read_padded(evaluator, op, index, tile)


# ---- padded arrays


def _read_padded(evaluator: Any, op: ir.Operation, index: Index, tile: Tile) -> list[Number]:
    """The source's elements, the fill's where the index is outside of the source."""
    fill = evaluator.scalar(fill_of(op))
    bounds = [tile.fixed(bound) for bound in bounds_of(op, index)]
    if not all(bound.count for bound in bounds) or any(bound.holds_never(tile.values) for bound in bounds):
        return [fill]
    found = [_coordinate(evaluator, bound, tile) for bound in bounds]
    coordinates, tests = tuple(at for at, _ in found), [test for _, test in found if test]
    numbers = _read_inside(evaluator, op.operands[0], coordinates, tests, tile)
    return numbers if not tests else _chosen(evaluator.code, tests, numbers, fill)


def _chosen(code: Code, tests: list[Test], numbers: list[Number], fill: Number) -> list[Number]:
    """The numbers where all tests hold, the fill elsewhere."""
    chosen = []
    for step in range(max(len(numbers), *map(len, tests))):
        x, test = number_at(numbers, step), _all(code, [number_at(one, step) for one in tests])
        chosen.append(x if test is None else code.select(test, x, fill))
    return chosen


def _coordinate(evaluator: Any, bound: Bound, tile: Tile) -> tuple[Affine, Test]:
    """Where the source is read along a dimension, and the test of that: none where it is known."""
    position, code = evaluator.bound(bound.position, tile), evaluator.code
    if bound.coordinate is not None and bound.holds_always(tile.values):
        return bound.coordinate, []
    if tile.width and position.coefficient(tile.lanes):
        assert bound.coordinate is not None, "lanes run along loops within which coordinates are whole"
        return bound.coordinate, _test(evaluator, bound, position, tile, "ule", bound.last)
    return _moved_inside(code, bound, tile)


def _moved_inside(code: Code, bound: Bound, tile: Tile) -> tuple[Affine, Test]:
    """One test for all lanes (as an unsigned number a negative index is larger than the last one); outside, the first element is read."""
    at = code.position(bound.position, tile.base)
    test = code.compared("ule", at, bound.last)
    if bound.coordinate is None:
        test = code.arith("andi", test, code.compared("eq", code.arith("remsi", at, bound.step), 0))
    inside = code.select(test, at, code.index_constant(0))
    if bound.step > 1:
        inside = code.arith("divui", inside, bound.step)
    return _computed(tile, inside, bound.count), [test]


# ---- rolls


def _read_rolled(evaluator: Any, roll: Roll, index: Index, tile: Tile) -> list[Number]:
    """One load where the lanes are on one side of the place at which the array begins again, or a load for each side."""
    position = evaluator.bound(tile.fixed(Bound(index[roll.dim], 1, roll.size)).position, tile)
    index = roll.at(index, position)
    if roll.rest(position).holds_always(tile.values):
        return list(evaluator.value(roll.source, roll.moved(index, -roll.shift), tile))
    if roll.front(position).holds_always(tile.values):
        return list(evaluator.value(roll.source, roll.moved(index, roll.size - roll.shift), tile))
    if tile.width and position.coefficient(tile.lanes):
        return _read_both(evaluator, roll, index, tile)
    code = evaluator.code
    at = code.position(position + -roll.shift, tile.base)
    wrapped = code.select(code.compared("slt", at, 0), code.arith("addi", at, roll.size), at)
    return list(evaluator.value(roll.source, roll.at(index, _computed(tile, wrapped, roll.size)), tile))


def _read_both(evaluator: Any, roll: Roll, index: Index, tile: Tile) -> list[Number]:
    """Each lane on its side of where the array begins again: it reads nothing on the other one, and positions that are computed there are
    clamped."""
    position, code = index[roll.dim], evaluator.code
    sides = (roll.front(position), "ult", roll.size - roll.shift), (roll.rest(position), "uge", -roll.shift)
    tests = [_test(evaluator, bound, position, tile, comparison, roll.shift) for bound, comparison, _ in sides]
    front, rest = (
        _read_inside(evaluator, roll.source, roll.moved(index, distance), [test], tile)
        for test, (_, _, distance) in zip(tests, sides)
    )
    chosen = []
    for step, (is_front, is_rest) in enumerate(zip(*tests, strict=True)):
        a, b = number_at(front, step), number_at(rest, step)
        chosen.append(a if is_front is None else b if is_rest is None else code.select(is_front, a, b))
    return chosen


# ---- both


def _computed(tile: Tile, index: Number, size: int) -> Affine:
    """An index of so many values that is one number for all lanes, as a position."""
    dim = Dim(size)
    tile.base[dim] = index
    return Affine.of(dim)


def _test(evaluator: Any, bound: Bound, position: Affine, tile: Tile, comparison: str, number: int) -> Test:
    """By step: which lanes are inside of a bound, as the comparison of a position with a number says; None where all are."""
    lanes = evaluator.index_numbers(position, tile)
    return [
        None
        if bound.holds_always(tile.values_at(step))
        else evaluator.code.compared(comparison, number_at(lanes, step), number)
        for step in range(tile.steps)
    ]


def _read_inside(evaluator: Any, source: ir.Value, at: Index, tests: list[Test], tile: Tile) -> list[Number]:
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


def _all(code: Code, tests: Sequence[Number | None]) -> Number | None:
    """Whether all tests hold; None where that is known."""
    total: Number | None = None
    for test in tests:
        if test is not None:
            total = test if total is None else code.arith("andi", total, test)
    return total
