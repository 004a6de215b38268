"""Gathers, scatters, slices."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .arrays import booleans, integers, normal

ROWS = integers(6, high=8)
COLUMNS = integers(6, low=-5, high=5)


def at_all(x, i, u):
    place = x.at[i]
    return (
        place.set(u[0]),
        place.add(u),
        place.multiply(u),
        place.min(u),
        place.max(u),
        place.divide(u),
        place.power(2.0),
        place.apply(jnp.sin),
        place.get(),
    )


def segments(x, i):
    return [
        f(x, i, num_segments=8)
        for f in (jax.ops.segment_sum, jax.ops.segment_max, jax.ops.segment_min, jax.ops.segment_prod)
    ]


PROGRAMS = [
    (
        "basic",
        lambda x: (x[2], x[-1], x[1:5:2], x[::-1], x[..., 0], x[:, None], x[3:, -2:], x[-1, -1]),
        (normal(8, 5),),
    ),
    (
        "advanced",
        lambda x, i, j: (x[i], x[:, j], x[i, j], x[i[:, None], j[None, :3]], x[i][:, j], x[i, 1:3]),
        (normal(8, 5), ROWS, COLUMNS),
    ),
    (
        "advanced_3d",
        lambda x, i, j: (x[i, :, j], x[:, i, j], x[j, i], x[:, i, None, 2]),
        (normal(8, 8, 8), ROWS, COLUMNS),
    ),
    (
        "boolean",
        lambda x, m: (jnp.where(m, x, 0), jnp.nonzero(m, size=5), x[np.array([True, False, True, True])]),
        (normal(4, 5), booleans(4, 5)),
    ),
    (
        "take",
        lambda x, i: (
            jnp.take(x, i, axis=0),
            jnp.take(x, i, axis=1, mode="clip"),
            jnp.take(x, i + 5, axis=0, mode="wrap"),
            jnp.take(x, i + 5, axis=0, mode="fill"),
            jnp.take(x, i),
        ),
        (normal(8, 5), ROWS),
    ),
    (
        "take_along_axis",
        lambda x, i: (jnp.take_along_axis(x, i, 0), jnp.take_along_axis(x, i, 1)),
        (normal(5, 5), integers(5, 5, high=5)),
    ),
    ("at", at_all, (normal(8, 5), np.array([0, 3, 3, 7, -1, 20], np.int32), normal(6, 5) + 3), 1e-4),
    (
        "at_pairs",
        lambda x, i, j, u: (x.at[i, j].add(u), x.at[:, j].max(2.0), x.at[i[:, None], j[None]].add(1.0)),
        (normal(8, 5), ROWS, COLUMNS, normal(6)),
        1e-4,
    ),
    (
        "at_slices",
        lambda x: (x.at[1:3].set(0), x.at[::2, 1].add(1), x.at[-1].mul(2), x.at[2:, 2:].set(x[:6, :3])),
        (normal(8, 5),),
    ),
    ("at_int", lambda x, i: (x.at[i].add(2), x.at[i].max(4), x.at[i].set(i), x.at[i].multiply(3)), (integers(8), ROWS)),
    (
        "at_modes",
        lambda x, i: (
            x.at[i].add(1, mode="drop"),
            x.at[i].set(2, mode="clip"),
            x.at[i].get(mode="fill", fill_value=-1),
        ),
        (normal(4), np.array([-9, 0, 3, 4, 8], np.int32)),
    ),
    ("at_bool", lambda x, i: x.at[i].set(True), (booleans(8), ROWS)),
    (
        "scatter_vmap",
        jax.vmap(lambda x, i, u: x.at[i].add(u)),
        (normal(4, 8), integers(4, 6, high=8), normal(4, 6)),
        1e-4,
    ),
    ("gather_vmap", jax.vmap(lambda x, i: x[i]), (normal(4, 8, 3), integers(4, 6, high=8))),
    (
        "gather_vmap_scalar",
        jax.vmap(lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 3))),
        (normal(4, 8, 3), integers(4, high=8)),
    ),
    (
        "update_vmap",
        jax.vmap(lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 1))),
        (normal(4, 8, 3), normal(4, 2, 2), integers(4, high=8)),
    ),
    (
        "dynamic_slice",
        lambda x, i, j: (
            lax.dynamic_slice(x, (i, j), (3, 2)),
            lax.dynamic_update_slice(x, x[:2, :2], (j, i)),
            lax.dynamic_index_in_dim(x, i, 1),
        ),
        (normal(8, 5), np.int32(6), np.int32(-2)),
    ),
    ("dynamic_u8", lambda x, i: lax.dynamic_slice(x, (i,), (3,)), (integers(9, dtype=np.uint8), np.uint8(4))),
    ("segments", segments, (normal(6, 3), ROWS), 1e-4),
    ("segment_sum_int", segments, (integers(6), ROWS)),
    ("gather_gradient", jax.grad(lambda x, i: (x[i] ** 2).sum()), (normal(8, 5), ROWS), 1e-4),
    (
        "scatter_gradient",
        jax.grad(lambda x, u, i: (x.at[i].add(u) ** 2).sum() + x.at[i].set(u).prod(1).sum(), (0, 1)),
        (normal(8, 5), normal(6, 5), np.array([0, 2, 4, 5, 6, 7], np.int32)),
        1e-4,
    ),
    (
        "scatter_mul_gradient",
        jax.grad(lambda x, u, i: (x.at[i].mul(u, unique_indices=True)).sum(), (0, 1)),
        (normal(8, 5), normal(3, 5), np.array([0, 2, 4], np.int32)),
        1e-4,
    ),
    (
        "one_hot_argwhere",
        lambda i, m: (jax.nn.one_hot(i, 8), jnp.argwhere(m, size=6), jnp.flatnonzero(m, size=6)),
        (ROWS, booleans(3, 4)),
    ),
    (
        "roll_dynamic",
        lambda x, i: (jnp.roll(x, i, 0), jnp.roll(x, (1, -2), (0, 1)), jnp.roll(x, 3)),
        (normal(6, 5), np.int32(2)),
    ),
    (
        "shapes",
        lambda x: (
            x.reshape(4, -1),
            x.transpose(2, 0, 1),
            jnp.swapaxes(x, 0, 2).reshape(-1),
            jnp.moveaxis(x, 0, -1),
            jnp.rot90(x, axes=(0, 1)),
            jnp.squeeze(x[:, :1]),
            jnp.flip(x, (0, 2)),
            x.ravel()[::3],
        ),
        (normal(3, 4, 5),),
    ),
    (
        "builders",
        lambda x: (
            jnp.eye(4, 5, 1),
            jnp.tri(4),
            jnp.tril(x),
            jnp.triu(x, 1),
            jnp.diag(x),
            jnp.diag(x[0]),
            jnp.meshgrid(x[0], x[:, 0]),
            jnp.linspace(x[0, 0], 3, 7),
            jnp.arange(5) * x[0, 1],
            jnp.vander(x[0]),
            jnp.trace(x),
            jnp.outer(x[0], x[1]),
        ),
        (normal(5, 5),),
        1e-4,
    ),
    (
        "joins",
        lambda x: (
            jnp.stack([x, x], 1),
            jnp.concatenate([x, x[:2]], 0),
            jnp.hstack([x, x]),
            jnp.dstack([x, x]),
            jnp.split(x, 3, 0),
            jnp.array_split(x, 2, 1),
            jnp.tile(x, (2, 3)),
            jnp.repeat(x, 3, 1),
            jnp.repeat(x, jnp.array([1, 0, 2, 1, 0, 2]), 0, total_repeat_length=6),
            jnp.block([[x, x], [x, x]]),
        ),
        (normal(6, 5),),
    ),
    (
        "pads",
        lambda x: [
            jnp.pad(x, ((1, 2), (2, 0)), m)
            for m in ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "maximum", "linear_ramp")
        ],
        (normal(4, 5),),
        1e-4,
    ),
    (
        "lax_pad",
        lambda x: (lax.pad(x, 1.5, ((1, 2, 1), (-1, 2, 0))), lax.pad(x, 0.0, ((-1, -1, 0), (0, 0, 2)))),
        (normal(4, 5),),
    ),
    ("pad_gradient", jax.grad(lambda x: (lax.pad(x, 1.5, ((1, 2, 1), (-1, 2, 0))) ** 2).sum()), (normal(4, 5),), 1e-4),
    (
        "zero_sizes",
        lambda x, i: (
            x[i[:0]],
            x.at[i[:0]].add(1),
            x[:, :0] + 1,
            jnp.concatenate([x, x[:0]]),
            x[:0].reshape(5, 0),
            jnp.pad(x[:0], ((1, 1), (0, 0))),
            jnp.transpose(x[:, :0]),
        ),
        (normal(4, 5), ROWS),
    ),
    (
        "complex",
        lambda x, i: (x[i], x.at[i].add(x[:6]), x.T, x[::-1], jnp.pad(x, 1)),
        (normal(8, 3, dtype=np.complex64), ROWS),
    ),
    (
        "rank_7",
        lambda x: (x.transpose(6, 0, 5, 1, 4, 2, 3), x[:, 0, ::-1, :, 1], x.sum(3) + 1, x.reshape(8, -1)),
        (normal(2, 3, 2, 2, 3, 2, 2),),
        1e-4,
    ),
    (
        "large",
        lambda x, i: (x[i], x.at[i].add(1.0), x.T + 1, x[::2, ::3] * 2),
        (normal(700, 403), integers(900, high=700)),
        1e-4,
    ),
]
