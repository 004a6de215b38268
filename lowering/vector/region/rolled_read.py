"""The elements of a roll at an index, for a whole tile: one load where the lanes are on one side of the place at which the array begins
again, or a load for each side."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lowering.linalg.iteration import Affine, Dim, Index
from hlo.lowering.vector.region.memory import Tile, number_at
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padded_read import read_inside, read_padded
from hlo.lowering.vector.region.padding import Bound
from hlo.lowering.vector.region.rolls import Roll, roll_of


def read_inserted(evaluator: Any, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    """The elements of a roll or of a padded array."""
    roll = roll_of(op)
    return (
        read_padded(evaluator, op, value, index, tile) if roll is None else _read_rolled(evaluator, roll, index, tile)
    )


def _read_rolled(evaluator: Any, roll: Roll, index: Index, tile: Tile) -> list[Number]:
    position = evaluator.bound(tile.fixed(Bound(index[roll.dim], 1, roll.size)).position, tile)
    index = roll.at(index, position)
    if roll.rest(position).holds_always(tile.values):
        return list(evaluator.value(roll.source, roll.moved(index, -roll.shift), tile))
    if roll.front(position).holds_always(tile.values):
        return list(evaluator.value(roll.source, roll.moved(index, roll.size - roll.shift), tile))
    if tile.width and position.coefficient(tile.lanes):
        return _read_both(evaluator, roll, index, tile)
    return list(evaluator.value(roll.source, roll.at(index, _wrapped(evaluator, roll, position, tile)), tile))


def _wrapped(evaluator: Any, roll: Roll, position: Affine, tile: Tile) -> Affine:
    """The position in the source, which is one number for all lanes."""
    code = evaluator.code
    at = code.position(position + -roll.shift, tile.base)
    again = code.arith("addi", at, code.index_constant(roll.size))
    dim = Dim(roll.size)
    tile.base[dim] = code.select(code.compared("slt", at, code.index_constant(0)), again, at)
    return Affine.of(dim)


def _read_both(evaluator: Any, roll: Roll, index: Index, tile: Tile) -> list[Number]:
    """Each lane on its side of where the array begins again: it reads nothing on the other one, and positions that are computed there are
    clamped."""
    position, code = index[roll.dim], evaluator.code
    in_front = _tests(evaluator, roll.front(position), "ult", roll, position, tile)
    in_rest = _tests(evaluator, roll.rest(position), "uge", roll, position, tile)
    front = read_inside(evaluator, roll.source, roll.moved(index, roll.size - roll.shift), [in_front], tile)
    rest = read_inside(evaluator, roll.source, roll.moved(index, -roll.shift), [in_rest], tile)
    chosen = []
    for step, (is_front, is_rest) in enumerate(zip(in_front, in_rest, strict=True)):
        a, b = number_at(front, step), number_at(rest, step)
        chosen.append(a if is_front is None else b if is_rest is None else code.select(is_front, a, b))
    return chosen


def _tests(
    evaluator: Any, bound: Bound, comparison: str, roll: Roll, position: Affine, tile: Tile
) -> list[Number | None]:
    """By step: which lanes are on a side; None where all are."""
    numbers, first = evaluator.index_numbers(position, tile), evaluator.code.index_constant(roll.shift)
    return [
        None
        if bound.holds_always(tile.values_at(step))
        else evaluator.code.compared(comparison, number_at(numbers, step), first)
        for step in range(tile.steps)
    ]
