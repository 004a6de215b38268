"""Scatter. https://openxla.org/stablehlo/spec#scatter"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo.scatter import ScatterOp
from hlo.reference.gather import start_indices
from hlo.reference.reduction import promoted
from hlo.reference.table import evaluates


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
    found = start_indices(
        indices, numbers.index_vector_dim, results[0].ndim, numbers.scatter_dims_to_operand_dims, *batching
    )
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
