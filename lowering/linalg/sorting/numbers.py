"""Keys of any kind as unsigned numbers, in an array of their own whose rows are contiguous, and operands in the order of sorted indices.

Before:  keys f(x), y of rows of x, y along a dimension
After:   numbers [rows..., length], f(x) above y, which a routine sorts (`by_routines.py`): indices [rows..., length], by which elements are taken from x and y"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import Index, element, extract, index, scalar, shape
from hlo.lowering.linalg.sorting.keys import Key, StandardKey
from hlo.lowering.linalg.sorting.words.key_words import whole_bits
from hlo.lowering.linalg.structured import empty, generic, loop_index
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]


def numbers_of(operands: Values, dimension: int, keys: Sequence[Key]) -> tuple[ir.Value, StandardKey]:
    """An array of [rows..., length], and what its elements are. The first key is on top."""
    extents, bits = shape(operands[0]), whole_bits(sum(k.bits for k in keys))
    kind, rank = integer(bits), len(extents)

    def joined(*scalars: ir.Value) -> Values:
        word = scalar(kind, 0)
        for key in keys:
            above = arith.shli(word, scalar(kind, key.bits)) if key is not keys[0] else word
            word = arith.ori(above, resized(key.of(list(scalars[: len(operands)])), kind))
        return [word]

    result = empty(ir.RankedTensorType.get([*_others(extents, dimension), extents[dimension]], kind))
    places = [*range(dimension), rank - 1, *range(dimension, rank - 1)]
    maps, identity = [_map(places)] * len(operands), ir.AffineMap.get_identity(rank)
    (made,) = generic(operands, maps, [result], [identity], ["parallel"] * rank, joined)
    return made, StandardKey(f"i{bits}", "u", False)


def elements_of(numbers: ir.Value, operand: ir.Value, dimension: int, key: Key) -> ir.Value:
    """Elements that have sorted keys, of which there is no other one, in the operand's layout."""
    body = lambda found, _: [key.order.element(resized(found, integer(key.bits)))]
    return _by_rows(numbers, operand.type, _order(shape(operand), dimension), body)


def taken(operand: ir.Value, indices: ir.Value, dimension: int, is_moved: bool, is_counted: bool) -> ir.Value:
    """The operand's elements of these indices in its rows, or the indices themselves. `is_moved`: rows of indices are
    contiguous, and not as those of the operand."""
    extents, kind, found = shape(operand), element(operand), shape(indices)
    order = _order(extents, dimension) if is_moved else list(range(len(extents)))
    sizes = [found[order.index(d)] for d in range(len(extents))]

    def body(number: ir.Value, _: ir.Value) -> Values:
        if is_counted:
            return [resized(number, kind)]
        position: list[Index] = [loop_index(d) for d in range(len(extents))]
        position[dimension] = arith.index_castui(index(0).type, number)
        return [extract(operand, position)]

    return _by_rows(indices, ir.RankedTensorType.get(sizes, kind), order, body)


def with_any_rest(first: ir.Value, whole: ir.Type) -> ir.Value:
    """First elements of rows; what is behind them is anything."""
    sizes, extents = shape(first), shape(whole)
    if sizes == extents:
        return first
    starts, strides = [0] * len(extents), [1] * len(extents)
    return tensor.insert_slice(first, empty(whole), [], [], [], starts, sizes, strides)


def _others(extents: Sequence[int], dimension: int) -> list[int]:
    return [*extents[:dimension], *extents[dimension + 1 :]]


def _order(extents: Sequence[int], dimension: int) -> list[int]:
    """Dimensions, the one of the rows last."""
    return [*_others(range(len(extents)), dimension), dimension]


def _map(places: Sequence[int]) -> ir.AffineMap:
    return ir.AffineMap.get(len(places), 0, [ir.AffineDimExpr.get(p) for p in places])


def _by_rows(source: ir.Value, result: ir.Type, order: Sequence[int], body: Callable[..., Values]) -> ir.Value:
    """An array whose elements are computed from those of a source, which has the dimensions in this order."""
    identity, rank = ir.AffineMap.get_identity(len(order)), len(order)
    return generic([source], [_map(order)], [empty(result)], [identity], ["parallel"] * rank, body)[0]
