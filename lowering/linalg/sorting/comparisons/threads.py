"""Sorting of long rows by many threads, as loops whose iterations are independent (`parallel_nest`), a launch each on a GPU.

Sort: parts that a block of threads sorts (`chunks.py`), which may be whole rows; then passes that merge neighbouring
runs, a thread RUN elements of the result (`merge_paths.py`).

Selection of the first few: a thread selects in a part of a row; what is left is a row of candidates, shorter by far."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import (
    Index,
    Lines,
    add,
    element,
    index,
    less,
    linear,
    minimum,
    mul,
    parallel_nest,
    shape,
)
from hlo.lowering.linalg.sorting.comparisons.chunks import Chunks, chunk_of, parts_of
from hlo.lowering.linalg.sorting.comparisons.merge_paths import merged_part
from hlo.lowering.linalg.sorting.comparisons.merging import RUN, Before, Values, load, select, store

SHORT, MANY = 64, 256
"""Rows up to this length are sorted by a thread each, if there are so many of them."""

FEW = 1 << 21
"""Elements of all rows up to which it is quicker to sort rows than to select their first elements."""

PART = 256
"""Elements of a row, at least, that a thread selects the first few of."""


def is_profitable(rows: int, length: int) -> bool:
    """Whether rows are sorted faster by many threads together than by one each."""
    return length > (SHORT if rows >= MANY else RUN)


def sort_rows_in_parallel(operands: Values, dimension: int, before: Before, kept: int | None) -> Values:
    """As sort_rows: sorts each row of the operands along `dimension`; `kept`: only so many first elements of it."""
    rows = Lines(tuple(shape(operands[0])), dimension)
    if kept == 0:
        return operands
    chunk = chunk_of(operands, rows.length)
    if rows.length <= chunk and (kept is None or rows.count * rows.length <= FEW):
        chunks = Chunks(chunk, lambda place: rows.length, before)
        return chunks.sort([rows.count], operands, lambda place, k: rows.at(place[0], k), kept)
    found = _selected(operands, rows, kept, before) if kept else _sorted(operands, rows, before)
    length = kept or rows.length

    def put(place: list[Index], *whole: ir.Value) -> Values:
        return store(load(found, [linear(place, [rows.count, length])]), whole, rows.at(*place))

    return parallel_nest([rows.count, length], put, operands)


def _sorted(operands: Values, rows: Lines, before: Before) -> Values:
    size = [rows.count, rows.length]
    scratch = [tensor.empty([prod(size)], element(v)) for v in operands]

    def take(place: list[Index], *flat: ir.Value) -> Values:
        return store(load(operands, rows.at(*place)), flat, [linear(place, size)])

    return sort_flat(parallel_nest(size, take, scratch), rows.count, rows.length, before)


def sort_flat(arrays: Values, count: int, length: int, before: Before) -> Values:
    """Sorts `count` rows that lie one behind the other in arrays of rank 1."""
    chunk = chunk_of(arrays, length)
    extents, chunks = [count, -(-length // chunk)], Chunks(chunk, parts_of(length, chunk), before)
    arrays = chunks.sort(
        extents, arrays, lambda place, k: [add(linear([place[0], mul(place[1], chunk)], [count, length]), k)]
    )
    other = [tensor.empty(shape(v), element(v)) for v in arrays]
    width = chunk
    while width < length:
        arrays, other = _merged(arrays, other, count, length, width, before), arrays
        width *= 2
    return arrays


def _merged(source: Values, target: Values, count: int, length: int, width: int, before: Before) -> Values:
    """Merges neighbouring runs of `width` elements; each iteration makes RUN elements of the target."""

    def part(place: list[Index], *target: ir.Value) -> Values:
        row, number = place
        return merged_part(source, list(target), (mul(row, length), length), number, width, RUN, before)

    return parallel_nest([count, -(-length // RUN)], part, target)


def _selected(operands: Values, rows: Lines, kept: int, before: Before) -> Values:
    """The first `kept` of each row, in arrays of rank 1."""
    found = _selected_of_parts(operands, rows, kept, before)
    size = [rows.count, shape(found[0])[0] // rows.count]
    while size[1] > kept:
        candidates = [tensor.expand_shape(_type(v, size), v, [[0, 1]], [], size) for v in found]
        found = _selected_of_parts(candidates, Lines(tuple(size), 1), kept, before)
        size[1] = shape(found[0])[0] // rows.count
    return found


def _type(value: ir.Value, size: Sequence[int]) -> ir.Type:
    return ir.RankedTensorType.get(size, element(value))


def _selected_of_parts(operands: Values, rows: Lines, kept: int, before: Before) -> Values:
    """The first `kept` of each part of a row, part by part: equal elements keep their order."""
    parts = max(1, rows.length // PART)
    size, longer = divmod(rows.length, parts)
    best = [tensor.empty([rows.count * parts * kept], element(v)) for v in operands]

    def part(place: list[Index], *best: ir.Value) -> Values:
        row, number = place
        start = add(mul(number, size), minimum(number, longer))
        count = add(size, arith.select(less(number, longer), index(1), index(0))) if longer else size
        base = mul(linear(place, [rows.count, parts]), kept)
        return select(best, base, kept, count, lambda k: load(operands, rows.at(row, add(start, k))), before)

    return parallel_nest([rows.count, parts], part, best)
