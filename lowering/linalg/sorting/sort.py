"""sort: which algorithm sorts a program's rows (`choice.py`), each a kernel "loops".

Rows whose comparator compares keys are sorted by these in vectors (`by_keys.py`) where that is fastest. Other sorts take
any operands and any comparator, one element after the other. Where only the first few of each row are used (top-k), the
rest of the row is anything."""

from __future__ import annotations

from itertools import chain

from mlir import ir

from hlo.dialect.stablehlo import SliceOp, SortOp
from hlo.lowering.linalg.constants import counts_along
from hlo.lowering.linalg.loops import shape
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.sorting.by_keys import sort_by_keys
from hlo.lowering.linalg.sorting.choice import Rows, one_by_one
from hlo.lowering.linalg.sorting.comparisons.merging import Values, first_of_rows, merge_sort_rows
from hlo.lowering.linalg.sorting.comparisons.threads import sort_rows_in_parallel
from hlo.lowering.linalg.sorting.keys import Key, sort_keys
from hlo.lowering.linalg.sorting.radix import sort_rows_by_keys


@lowers(SortOp)
def lower_sort(op: SortOp, lowering: Lowering) -> Values:
    operands = [lowering[v] for v in op.inputs]
    extents = shape(operands[0])
    used = {n for n, result in enumerate(op.results) if list(result.uses)}
    if not extents or extents[op.dimension] < 2 or not used:
        return operands
    dimension = op.dimension % len(extents)
    rows = Rows(extents, dimension, _used_first(op, dimension))
    keys = [] if lowering.many_threads or 0 in extents else sort_keys(op, lowering)
    if keys and rows.kept:
        counted = {n for n, v in enumerate(op.inputs) if counts_along(v, dimension)}
        by_keys = sort_by_keys(operands, rows, keys, counted, used, lowering)
        if by_keys is not None:
            return by_keys
    return _sort_one_by_one(op, operands, rows, keys, lowering)


def _sort_one_by_one(op: SortOp, operands: Values, rows: Rows, keys: list[Key], lowering: Lowering) -> Values:
    algorithm = one_by_one(rows, bool(keys), lowering.many_threads)
    dimension, first = rows.dimension, rows.kept if rows.uses_few else None
    through, independent = lowering.outer_loops([1 if d == dimension else n for d, n in enumerate(rows.extents)])

    def before(a: Values, b: Values) -> ir.Value:
        pairs = list(chain.from_iterable(zip(a, b, strict=True)))
        return scalar_block(lowering, op.comparator.blocks[0], pairs)[0]

    def build(operands: Values, _: Values) -> Values:
        if algorithm == "threads":
            return sort_rows_in_parallel(operands, dimension, before, first)
        if algorithm == "insertion":
            return first_of_rows(operands, dimension, before, rows.kept, through)
        if algorithm == "radix":
            return sort_rows_by_keys(operands, dimension, keys, rows.kept, through)
        return merge_sort_rows(operands, dimension, before, through)

    name = "sort" if first is None else "top_k"
    return lowering.outline(name, operands, [], build, 1 if algorithm == "threads" else independent)


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
