"""sort: a stable merge sort of every row along one dimension, as a "loops" kernel.

Rows whose comparator compares keys are sorted by these: in vectors (by_keys.py), or else by radix (radix.py). Otherwise
a row is copied into contiguous scratch, sorted in runs of RUN elements by insertion, merged back and forth between two
scratch buffers (so nothing is copied between passes) and written back: O(n log n) comparisons for any operands and any
comparator. Where only the first few of each row are used (top-k), just these are kept sorted during one walk along the
row; the rest of the row is left as it was. Where thousands of threads share the work, long rows are sorted as
parallel.py tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.stablehlo import SliceOp, SortOp
from hlo.lowering.linalg.constants import counts_along
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    for_loop,
    minimum,
    mul,
    shape,
)
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.sorting.by_keys import MOST_SELECTED, sort_by_keys
from hlo.lowering.linalg.sorting.keys import sort_keys
from hlo.lowering.linalg.sorting.merging import RUN, Before, Values, load, merge, select, sort_run, store
from hlo.lowering.linalg.sorting.parallel import is_profitable, sort_rows_in_parallel
from hlo.lowering.linalg.sorting.radix import LEAST, sort_rows_by_keys


@lowers(SortOp)
def lower_sort(op: SortOp, lowering: Lowering) -> Values:
    operands = [lowering[v] for v in op.inputs]
    extents = shape(operands[0])
    used = {n for n, result in enumerate(op.results) if list(result.uses)}
    if not extents or extents[op.dimension] < 2 or not used:
        return operands
    dimension = op.dimension % len(extents)

    def before(a: Values, b: Values) -> ir.Value:
        pairs = list(chain.from_iterable(zip(a, b, strict=True)))
        return scalar_block(lowering, op.comparator.blocks[0], pairs)[0]

    kept = _used_first(op, dimension)
    keys = [] if lowering.many_threads or 0 in extents else sort_keys(op, lowering)
    if keys and kept:
        counted = {n for n, v in enumerate(op.inputs) if counts_along(v, dimension)}
        by_keys = sort_by_keys(operands, dimension, keys, counted, used, kept, lowering)
        if by_keys is not None:
            return by_keys
    keys = keys if extents[dimension] >= LEAST else []
    few = kept <= MOST_SELECTED and 4 * kept <= extents[dimension]
    is_parallel = lowering.many_threads and is_profitable(
        rows=prod(extents) // extents[dimension], length=extents[dimension]
    )

    through, independent = lowering.outer_loops([1 if d == dimension else n for d, n in enumerate(extents)])

    def build(operands: Values, _: Values) -> Values:
        first = kept if few else None
        if is_parallel:
            return sort_rows_in_parallel(operands, dimension, before, first)
        if keys and not few:
            return sort_rows_by_keys(operands, dimension, keys, kept, through)
        return sort_rows(operands, dimension, before, first, through)

    return lowering.outline("top_k" if few else "sort", operands, [], build, 1 if is_parallel else independent)


def _used_first(op: SortOp, dimension: int) -> int:
    """How many first elements of each row anything uses: all, unless every use is a slice of the first ones."""
    limits = [0]
    for result in op.results:
        for use in result.uses:
            user = use.owner.operation.opview
            if not isinstance(user, SliceOp) or user.start_indices[dimension] != 0:
                return ir.RankedTensorType(result.type).shape[dimension]
            limits.append(user.limit_indices[dimension])
    return max(limits)


def sort_rows(operands: Values, dimension: int, before: Before, kept: int | None, through: Callable) -> Values:
    """Sorts each row of the operands along `dimension`; `kept`: only so many first elements of it. `through`: how the
    rows are gone through."""
    extents = shape(operands[0])
    length = extents[dimension]
    scratch = [tensor.empty([length if kept is None else max(kept, 1)], element(v)) for v in operands * 2]
    rows = [1 if d == dimension else size for d, size in enumerate(extents)]

    def sort_row(position: list[Index], *state: ir.Value) -> Values:
        results, first, second = _groups(state, 3)

        def at(k: Index) -> list[Index]:
            return [*position[:dimension], k, *position[dimension + 1 :]]

        count = length if kept is None else kept
        if kept is None:
            first = for_loop(0, count, lambda k, *row: store(load(results, at(k)), row, [k]), first)
            first, second = _sort(first, second, length, before)
        elif kept:
            first = select(first, 0, kept, length, lambda k: load(results, at(k)), before)
        results = for_loop(0, count, lambda k, *whole: store(load(first, [k]), whole, at(k)), results)
        return [*results, *first, *second]

    return through(rows, sort_row, [*operands, *scratch])[: len(operands)]


def _sort(first: Values, second: Values, length: int, before: Before) -> tuple[Values, Values]:
    """Sorts `first`; `second` is scratch of the same shape."""
    first = _sort_runs(first, length, before)
    if length <= RUN:
        return first, second
    passes = ((length - 1) // RUN).bit_length()

    def merge_twice(_: Index, width: ir.Value, *state: ir.Value) -> Values:
        a, b = _groups(state, 2)
        b = _merge_runs(a, b, width, length, before)
        a = _merge_runs(b, a, mul(width, 2), length, before)
        return [mul(width, 4), *a, *b]

    start = arith.constant(ir.IndexType.get(), RUN)
    _, *state = for_loop(0, (passes + 1) // 2, merge_twice, [start, *first, *second])
    return tuple(_groups(state, 2))  # type: ignore[return-value]


def _sort_runs(row: Values, length: int, before: Before) -> Values:
    """Insertion sort within each run of RUN elements."""

    def one(start: Index, *row: ir.Value) -> Values:
        return sort_run(row, (start, minimum(add(start, RUN), length)), before)

    return for_loop(0, length, one, row, step=RUN)


def _merge_runs(source: Values, target: Values, width: Index, length: int, before: Before) -> Values:
    """Merges neighbouring sorted runs of `width` elements of `source` into `target`."""

    def merge_pair(low: Index, *target: ir.Value) -> Values:
        middle = minimum(add(low, width), length)
        high = minimum(add(low, mul(width, 2)), length)
        return merge(source, target, (low, middle), (middle, high), (low, high), before)

    return for_loop(0, length, merge_pair, target, step=mul(width, 2))


def _groups(state: Sequence[ir.Value], count: int) -> list[Values]:
    """Splits values carried together into equal groups."""
    size = len(state) // count
    return [list(state[i * size : (i + 1) * size]) for i in range(count)]
