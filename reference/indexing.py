"""Gather, scatter and their kin. https://openxla.org/stablehlo/spec#gather"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import gather as ops
from hlo.dialect.stablehlo.scatter import ScatterOp
from hlo.reference.data_movement import clamped_slices, sizes
from hlo.reference.reduction import promoted
from hlo.reference.table import evaluates
from hlo.reference.values import wide


def _points(
    indices: np.ndarray,
    vector: int,
    rank: int,
    index_map: Sequence[int],
    batching: Sequence[int],
    index_batching: Sequence[int],
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Each batch index, with the full start index into the operand that is found under it."""
    indices = wide(indices)
    if vector == indices.ndim:
        indices = indices[..., None]
    rows = np.moveaxis(indices, vector, -1)
    for batch in np.ndindex(rows.shape[:-1]):
        start = [0] * rank
        for dimension, value in zip(index_map, rows[batch]):
            start[dimension] = int(value)
        for dimension, source in zip(batching, index_batching):
            start[dimension] = batch[source - (vector < source)]
        yield batch, start


@evaluates(ops.GatherOp)
def evaluate_gather(call, operand, indices):
    return gather(operand, indices, call.dimension_numbers, call.slice_sizes)


@evaluates(ops.DynamicGatherOp)
def evaluate_dynamic_gather(call, operand, indices, slice_sizes):
    return gather(operand, indices, call.dimension_numbers, sizes(slice_sizes))


def gather(operand: np.ndarray, indices: np.ndarray, numbers: Any, slice_sizes: Sequence[int]) -> np.ndarray:
    """Slices at start indices, which are clamped so that each slice lies inside. Zeros where a dimension that the result
    leaves out has slices of size 0: the specification names no element."""
    dropped = (*numbers.collapsed_slice_dims, *numbers.operand_batching_dims)
    batch_shape = [n for d, n in enumerate(indices.shape) if d != numbers.index_vector_dim]
    window = [n for d, n in enumerate(slice_sizes) if d not in dropped]
    result = np.zeros([*batch_shape, *window], operand.dtype)
    if any(slice_sizes[d] == 0 for d in dropped):
        return np.moveaxis(result, range(len(batch_shape), result.ndim), numbers.offset_dims)
    batching = numbers.operand_batching_dims, numbers.start_indices_batching_dims
    for batch, start in _points(indices, numbers.index_vector_dim, operand.ndim, numbers.start_index_map, *batching):
        result[batch] = operand[clamped_slices(operand, start, slice_sizes)].reshape(window)
    return np.moveaxis(result, range(len(batch_shape), result.ndim), numbers.offset_dims)


@evaluates(ops.TorchIndexSelectOp)
def evaluate_torch_index_select(call, operand, index):
    """operand[batch..., :, index[batch..., ...], :] along `dim`."""
    lead = operand.shape[: call.batch_dims]
    if 0 in call.shape():
        return np.zeros(call.shape(), operand.dtype)
    rows = [np.take(operand[b], np.clip(wide(index[b]), 0, operand.shape[call.dim] - 1), call.dim - len(lead)) for b in np.ndindex(lead)]  # fmt: skip
    return np.array(rows, operand.dtype).reshape(call.shape())


@evaluates(ScatterOp)
def evaluate_scatter(call, *operands):
    """Updates are combined with the elements at their indices, in order; windows that are not wholly inside are skipped."""
    count = (len(operands) - 1) // 2
    results, indices = [np.array(x) for x in promoted(call, operands[:count])], operands[count]
    updates = promoted(call, operands[count + 1 :])
    numbers = call.scatter_dimension_numbers
    scatter_dims = [d for d in range(updates[0].ndim) if d not in numbers.update_window_dims]
    rows = [u.transpose([*scatter_dims, *numbers.update_window_dims]) for u in updates]
    inserted = sorted((*numbers.inserted_window_dims, *numbers.input_batching_dims))
    batching = numbers.input_batching_dims, numbers.scatter_indices_batching_dims
    found = _points(indices, numbers.index_vector_dim, results[0].ndim, numbers.scatter_dims_to_operand_dims, *batching)
    for batch, start in found:
        windows = [np.expand_dims(r[batch], tuple(inserted)) for r in rows]
        _update(call, results, windows, start)
    return results


def _update(call: Any, results: Sequence[np.ndarray], windows: Sequence[np.ndarray], start: Sequence[int]) -> None:
    """Combines a window with the results, if it lies wholly inside of them. The specification leaves open what becomes of
    other windows; XLA skips them, and so does every target here."""
    extents = windows[0].shape
    if any(at < 0 or at + extent > size for at, size, extent in zip(start, results[0].shape, extents)):
        return
    window = tuple(slice(at, at + extent) for at, extent in zip(start, extents))
    if not results[0][window].size:
        return
    new = call.apply(0, *(r[window] for r in results), *windows)
    for result, value in zip(results, new):
        result[window] = value
