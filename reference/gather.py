"""Gather and its kin. https://openxla.org/stablehlo/spec#gather"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import gather as ops
from hlo.reference.dynamic import sizes
from hlo.reference.slicing import clamped_slices
from hlo.reference.table import evaluates
from hlo.reference.values import wide


def start_indices(
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
    for batch, start in start_indices(
        indices, numbers.index_vector_dim, operand.ndim, numbers.start_index_map, *batching
    ):
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
