"""Collectives of one device, as shard_map writes them."""

from __future__ import annotations

import jax
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from lax_grid.rows import Cell, Row
from lax_grid.values import usual

MESH = Mesh(jax.devices("cpu")[:1], "i")
TYPES = ("int32", "float32", "complex64", "bfloat16")
FUNCTIONS = {
    "shard_map": lambda x: x + x,
    "psum": lambda x: lax.psum(x, "i"),
    "pmax": lambda x: lax.pmax(x, "i"),
    "pmin": lambda x: lax.pmin(x, "i"),
    "ppermute": lambda x: lax.ppermute(x, "i", [(0, 0)]),
    "all_gather": lambda x: lax.all_gather(x, "i", tiled=True),
    "all_to_all": lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True),
    "reduce_scatter": lambda x: lax.psum_scatter(x, "i", tiled=True),
    "axis_index": lambda x: x + lax.axis_index("i").astype(x.dtype),
}


def sharded(function):
    spec = PartitionSpec("i")
    return jax.shard_map(function, mesh=MESH, in_specs=spec, out_specs=spec, check_vma=False)


ROWS = [
    Row(
        name,
        tuple(
            Cell(sharded(f), (usual(t, (4, 6)),))
            for t in TYPES
            if (name, t[:7]) not in {("pmax", "complex"), ("pmin", "complex")}
        ),
    )
    for name, f in FUNCTIONS.items()
]
