"""Data movement: the same numbers, exactly, in every element type."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, SHAPES, special, usual


def everywhere(function, shape=(3, 5), types=ALL) -> tuple[Cell, ...]:
    return tuple(Cell(function, (usual(name, shape),)) for name in types)


def over_shapes(function, shapes=SHAPES) -> tuple[Cell, ...]:
    return tuple(Cell(function, (usual("float32", shape),)) for shape in shapes)


def same(*cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return tuple(cell for part in cells for cell in part)


def padded() -> tuple[Cell, ...]:
    ways = (((1, 2, 0), (0, 3, 2)), ((-1, 2, 1), (2, -4, 0)), ((0, 0, 0), (-3, -2, 0)))
    cells = [
        Cell(lambda x, v, way=way: lax.pad(x, v, way), (usual(name), usual(name, ())))
        for i, way in enumerate(ways)
        for name in (ALL if i == 0 else ("float32", "int4", "complex64"))
    ]
    return (*cells, Cell(lambda x, v: lax.pad(x, v, ()), (np.float32(2), np.float32(3))))


def joined(function) -> tuple[Cell, ...]:
    return tuple(Cell(lambda a, b, c: function([a, b, c]), tuple(usual(n, (2, 4), s) for s in (1, 2, 3))) for n in ALL)


def iotas() -> tuple[Cell, ...]:
    shapes = ((7,), (0,), (2, 3, 4), (1, 1))
    types = [(name, (2, 3, 4), 1) for name in ALL if name != "bool"]
    made = [*types, *(("float32", shape, d) for shape in shapes for d in range(len(shape)))]
    return tuple(Cell(lambda n=n, s=s, d=d: lax.broadcasted_iota(np.dtype(n), s, d), ()) for n, s, d in made)


ROWS = [
    Row("broadcast_in_dim", everywhere(lambda x: lax.broadcast_in_dim(x, (4, 3, 2, 5), (1, 3)))),
    Row("broadcast_in_dim", over_shapes(lambda x: lax.broadcast(x, (2, 1)))),
    Row("concatenate", joined(lambda p: lax.concatenate([p[0], p[1][:0], p[2]], 0))),
    Row("concatenate", joined(lambda p: lax.concatenate(p, 1))),
    Row("dynamic_slice", everywhere(lambda x: lax.dynamic_slice(x, (np.int32(2), np.int32(-9)), (2, 3)))),
    Row("dynamic_update_slice", everywhere(lambda x: lax.dynamic_update_slice(x, x[:2, :2] * x[0, 0], (7, 1)))),
    Row("empty", everywhere(lambda x: (lax.empty(x.shape, x.dtype) * 0 == 0).shape[0] + x[0, 0])),
    Row("iota", iotas()),
    Row("pad", padded()),
    Row(
        "reshape",
        same(everywhere(lambda x: lax.reshape(x, (5, 3, 1))), over_shapes(lambda x: x.reshape(-1)[..., None])),
    ),
    Row("reshape", over_shapes(lambda x: lax.reshape(x, (5, 3), (1, 0)), [(3, 5)])),
    Row("rev", same(everywhere(lambda x: lax.rev(x, (1,))), over_shapes(lambda x: lax.rev(x, tuple(range(x.ndim)))))),
    Row("slice", everywhere(lambda x: lax.slice(x, (1, 0), (3, 5), (1, 2)))),
    Row("slice", over_shapes(lambda x: lax.slice(x, (0,) * x.ndim, x.shape, (2,) * x.ndim))),
    Row("split", everywhere(lambda x: lax.split(x, (2, 0, 3), 1))),
    Row("squeeze", over_shapes(lambda x: lax.squeeze(x, (1,)), [(2, 1, 3), (0, 1), (1, 1, 1)])),
    Row("stack", joined(lambda p: lax.stack(p, 1))),
    Row("tile", same(everywhere(lambda x: lax.tile(x, (2, 1))), over_shapes(lambda x: lax.tile(x, (3,) * x.ndim)))),
    Row("transpose", everywhere(lambda x: lax.transpose(x, (1, 0)))),
    Row("transpose", over_shapes(lambda x: lax.transpose(x, (3, 0, 4, 1, 2)), [(2, 3, 1, 2, 2), (7, 1, 0, 2, 3)])),
    Row("transpose", over_shapes(lambda x: lax.transpose(x, (1, 0)), [(33, 65), (1, 9), (128, 16)])),
    Row("unstack", everywhere(lambda x: lax.unstack(x, 0))),
    Row("optimization_barrier", everywhere(lambda x: lax.optimization_barrier((x, x)))),
    Row("copy", tuple(Cell(lax.copy_p.bind, (special(name),)) for name in ALL), ulps=0),
]
