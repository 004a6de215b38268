"""Gathers and scatters: batching dimensions, indices outside, every way of combining."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, usual

MODES = ("clip", "fill", "promise_in_bounds")
INDICES = np.array([[0], [4], [2], [2]], np.int32)
OUTSIDE = np.array([[0], [4], [-3], [9], [2]], np.int32)
ROWS_OF = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
WINDOWS = lax.GatherDimensionNumbers(offset_dims=(0, 2), collapsed_slice_dims=(), start_index_map=(1, 0))
BATCHED = lax.GatherDimensionNumbers(
    offset_dims=(1,),
    collapsed_slice_dims=(1,),
    start_index_map=(1,),
    operand_batching_dims=(0,),
    start_indices_batching_dims=(0,),
)
INTO_ROWS = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,)
)
INTO_BATCHES = lax.ScatterDimensionNumbers(
    update_window_dims=(1,),
    inserted_window_dims=(1,),
    scatter_dims_to_operand_dims=(1,),
    operand_batching_dims=(0,),
    scatter_indices_batching_dims=(0,),
)
SCATTERS = {
    "scatter": lax.scatter,
    "scatter-add": lax.scatter_add,
    "scatter-sub": lax.scatter_sub,
    "scatter-mul": lax.scatter_mul,
    "scatter-max": lax.scatter_max,
    "scatter-min": lax.scatter_min,
}


def gathers() -> tuple[Cell, ...]:
    types = [Cell(lambda x, i: lax.gather(x, i, ROWS_OF, (1, 3)), (usual(name, (5, 3)), INDICES)) for name in ALL]
    modes = [
        Cell(lambda x, i, m=m: lax.gather(x, i, ROWS_OF, (1, 3), mode=m), (usual(name, (5, 3)), i))
        for name in ("float32", "int8", "uint32", "complex64")
        for m, i in zip(MODES, (OUTSIDE, OUTSIDE.astype(np.int64), INDICES.astype(np.uint8)))
    ]
    pairs = np.array([[0, 1], [7, 2], [-1, 3]], np.int32)
    windows = Cell(lambda x, i: lax.gather(x, i, WINDOWS, (2, 3), mode="clip"), (usual("float32", (5, 7)), pairs))
    batches = np.array([[1], [3], [0]], np.int32)
    one_each = Cell(lambda x, i: lax.gather(x, i, BATCHED, (1, 1, 2)), (usual("float32", (3, 4, 2)), batches))
    return (*types, *modes, windows, one_each)


def scatters(function, unique: bool) -> tuple[Cell, ...]:
    indices = np.array([[3], [0], [-2], [8], [4]], np.int32)
    repeated = indices if unique else np.array([[3], [0], [3], [8], [3]], np.int32)
    types = [
        Cell(lambda x, i, u: function(x, i, u, INTO_ROWS), (usual(name, (5, 3)), repeated, usual(name, (5, 3), 2)))
        for name in ALL
    ]
    modes = [
        Cell(
            lambda x, i, u, m=m: function(x, i, u, INTO_ROWS, mode=m),
            (usual("float32", (5, 3)), i, usual("float32", (5, 3), 2)),
        )
        for m, i in (("clip", np.array([[3], [0], [1], [8], [2]], np.int64)), ("fill", indices))
    ]
    batches = np.array([[1], [3], [0]], np.int32)
    one_each = Cell(
        lambda x, i, u: function(x, i, u, INTO_BATCHES),
        (usual("float32", (3, 4, 2)), batches, usual("float32", (3, 2), 2)),
    )
    return (*types, *modes, one_each)


ROWS = [
    Row("gather", gathers(), ulps=0),
    *(Row(name, scatters(function, name == "scatter"), ulps=2, scale=1) for name, function in SCATTERS.items()),
]
