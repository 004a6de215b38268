"""RaggedAllToAll, which StableHLO does not have: a gather of what all processes of a group have, then one scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.builder.value import Value
from hlo.dialect.attributes import ScatterDimensionNumbers
from hlo.errors import ArgumentError

if TYPE_CHECKING:
    from hlo.builder.control import ControlMethods


def ragged_all_to_all(
    b: ControlMethods, source: Value, vectors: Sequence[Value], target: Value, groups: Sequence[Sequence[int]]
) -> Value:
    """`vectors`: input_offsets, send_sizes, output_offsets and recv_sizes of a process, of as many elements for each process of
    its group. Raises ArgumentError for vectors or groups that do not fit."""
    sizes = {len(group) for group in groups} or {1}
    if len(sizes) != 1 or any(v.rank != 1 or v.shape != vectors[0].shape for v in vectors):
        raise ArgumentError(
            "RaggedAllToAll takes groups of one size, and offsets and sizes that are vectors of one length"
        )
    count = sizes.pop()
    if count == 0 or (vectors[0].shape[0] or 0) % count:
        raise ArgumentError(
            f"RaggedAllToAll: vectors of {vectors[0].shape[0]} elements for groups of {count} processes"
        )
    offsets, counts, starts, _ = (b.convert(v, "i64") for v in vectors)
    if count > 1:
        rows = source.shape[0]
        offsets, counts, starts = (_for_this_process(b, v, groups, count) for v in (offsets, counts, starts))
        first = b.multiply(b.iota(0, offsets.shape, "i64"), rows)
        offsets, counts, starts = (b.reshape(v, [-1]) for v in (b.add(offsets, first), counts, starts))
        source = b.reshape(_gathered(b, source, groups), (-1, *source.shape[1:]))  # type: ignore[arg-type]
    return _moved_rows(b, source, target, offsets, counts, starts)


def _gathered(b: ControlMethods, value: Value, groups: Any) -> Value:
    """What the processes of the group have, along a new first dimension."""
    return b.op("all_gather", [b.reshape(value, (1, *value.shape))], all_gather_dim=0, replica_groups=groups)  # type: ignore[arg-type]


def _for_this_process(b: ControlMethods, vector: Value, groups: Any, count: int) -> Value:
    """The elements that each process of the group has for this one: a row a process."""
    each = (vector.shape[0] or 0) // count
    positions = np.zeros(1 + max(max(group) for group in groups), np.int64)
    for group in groups:
        positions[list(group)] = range(count)
    here = b.dynamic_slice(b.constant(positions), [b.convert(b.op("replica_id"), "i64")], [1])
    start = b.multiply(b.reshape(here, []), each)
    return b.dynamic_slice(_gathered(b, vector, groups), [b.constant(0, "i64"), start], [count, each])


def _moved_rows(b: ControlMethods, source: Value, target: Value, offsets: Value, counts: Value, starts: Value) -> Value:
    """The target with rows `offsets[i] + (0 ... counts[i])` of the source at `starts[i]`. One scatter: for each i and each row of
    the source, where the row goes, or -1, which is nowhere."""
    shape = (offsets.shape[0], source.shape[0])
    row = b.iota(1, shape, "i64")
    first, count, target_start = (b.broadcast_in_dim(v, [0], shape) for v in (offsets, counts, starts))
    goes = b.and_(b.ge(row, first), b.lt(row, b.add(first, count)))
    index = b.select(goes, b.add(b.subtract(row, first), target_start), b.constant(-1, "i64"))
    spread = b.broadcast_in_dim(source, range(1, 1 + source.rank), (shape[0], *source.shape))
    return b.op(
        "scatter",
        [target],
        b.reshape(index, (-1, 1)),
        [b.reshape(spread, (-1, *source.shape[1:]))],  # type: ignore[arg-type]
        lambda old, new: new,
        ScatterDimensionNumbers(
            update_window_dims=tuple(range(1, target.rank)),
            inserted_window_dims=(0,),
            scatter_dims_to_operand_dims=(0,),
            index_vector_dim=1,
        ),
    )
