"""Convolutions of all attributes, and windows that are reduced."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from bench.draws.sizes import Generator, array, by, label, one_of, size, unit_weights
from bench.programs.program import Program

TYPES = (np.float32, np.float32, np.float32, ml_dtypes.bfloat16, np.float64, np.complex64)
OPERATIONS = 2e8


def convolution(rng: Generator) -> Program:
    spatial, dtype = int(one_of(rng, (1, 2, 2, 2, 3))), one_of(rng, TYPES)
    window = [int(one_of(rng, (1, 2, 3, 3, 5, 7))) for _ in range(spatial)]
    strides, dilations, holes = ([int(one_of(rng, c)) for _ in window] for c in ((1, 1, 2), (1, 1, 1, 2), (1, 1, 1, 2)))
    groups = int(one_of(rng, (1, 1, 1, 2, 8)))
    features = [groups * size(rng, 1, max(1, 256 // groups)) for _ in range(2)]
    batch, side = size(rng, 1, 16), [size(rng, 4, {1: 512, 2: 64, 3: 16}[spatial]) for _ in window]
    work = batch * np.prod(side) * np.prod(window) * features[0] * features[1] / groups
    side[0] = max(4, int(side[0] * min(1.0, OPERATIONS / work)))
    padding = one_of(rng, ("SAME", "VALID")) if max(dilations) == 1 and max(holes) == 1 else "SAME"
    image = array(rng, [batch, *side, features[0]], dtype)
    weights = unit_weights(rng, [*window, features[0] // groups, features[1]], dtype)
    padding = "SAME" if any(w > s for w, s in zip(window, side)) else padding
    layout = _layout(rng, spatial)

    def function(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(
            _arranged(x, layout[0]),
            _arranged_kernel(w, layout[1]),
            strides,
            padding if max(holes) == 1 else [(d * (w - 1), d * (w - 1)) for w, d in zip(window, dilations)],
            lhs_dilation=holes,
            rhs_dilation=dilations,
            dimension_numbers=layout,
            feature_group_count=groups,
        )

    attributes = f"strides {strides} lhs {holes} rhs {dilations} groups {groups} {padding} {layout[0]}"
    name = f"conv {by(image.shape)} * {by(weights.shape)} {label(dtype)} {attributes}"
    return Program(name, function, lambda: (image, weights))


def _layout(rng: Generator, spatial: int) -> tuple[str, str, str]:
    dims = "DHW"[3 - spatial :]
    images = one_of(rng, ("N" + dims + "C", "N" + dims + "C", "NC" + dims))
    return images, one_of(rng, (dims + "IO", "OI" + dims)), images


def _arranged(x: Any, layout: str) -> Any:
    return x if layout[-1] == "C" else x.reshape(x.shape[0], x.shape[-1], *x.shape[1:-1])


def _arranged_kernel(w: Any, layout: str) -> Any:
    return w if layout[-1] == "O" else w.reshape(w.shape[-1], w.shape[-2], *w.shape[:-2])


def window(rng: Generator) -> Program:
    """Pools: their gradients, and running reductions, too."""
    spatial, kind = int(one_of(rng, (1, 2, 2))), one_of(rng, ("max", "mean", "max gradient", "cumsum", "cummax"))
    shape = [size(rng, 1, 8), *(size(rng, 8, {1: 4096, 2: 112}[spatial]) for _ in range(spatial)), size(rng, 1, 128)]
    x = array(rng, shape)
    extent, stride = int(one_of(rng, (2, 3, 3, 5))), int(one_of(rng, (1, 2, 2, 3)))
    padding = one_of(rng, ("SAME", "VALID"))
    dims, steps = (1, *[extent] * spatial, 1), (1, *[stride] * spatial, 1)

    def pooled(x: Any) -> Any:
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, dims, steps, padding)

    functions = {
        "max": pooled,
        "mean": lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, dims, steps, padding) / extent**spatial,
        "max gradient": jax.grad(lambda x: (pooled(x) ** 2).sum()),
        "cumsum": lambda x: jnp.cumsum(x, axis=1),
        "cummax": lambda x: jax.lax.cummax(x, axis=1),
    }
    return Program(f"{kind} {by(shape)} {extent}/{stride} {padding}", functions[kind], lambda: (x,))
