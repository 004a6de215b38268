"""Gathers from tensors that are computed: beside the same tensor, computed in whole by another program, indexed by numpy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hlo

RANDOM = np.random.default_rng(41)
X = RANDOM.standard_normal((300, 37)).astype(np.float32)
V = RANDOM.standard_normal(300).astype(np.float32)
ROWS = RANDOM.integers(0, 200, 11).astype(np.int32)

COMPUTED = {
    "map": lambda x, v: jnp.exp(x) - x * x,
    "map with a column": lambda x, v: x * v[:, None] + 1,
    "map with a number": lambda x, v: x * v[7] + jnp.sum(v),
    "conversion": lambda x, v: x.astype(jnp.bfloat16),
    "choice": lambda x, v: jnp.where(x > v[:, None], x, 0),
    "choice by a scalar": lambda x, v: lax.select(v[3] > 0, x, -x),
    "branches": lambda x, v: (lambda y: lax.cond(v[3] > 0, lambda: x, lambda: y))(-x),
    "windows": lambda x, v: lax.reduce_window(x, v[3], lax.max, (2, 1), (1, 1), ((1, 0), (0, 0))),
    "indices": lambda x, v: x + jnp.arange(37) * jnp.arange(300)[:, None],
    "transpose": lambda x, v: jnp.tanh(jnp.concatenate([x.T] * 6)),
    "transpose of three": lambda x, v: x.reshape(300, 37, 1).transpose(0, 2, 1) * 2,
    "broadcast": lambda x, v: jnp.broadcast_to(v[:, None], (300, 40)) * 3,
    "broadcast of a row": lambda x, v: jnp.broadcast_to(v[None], (220, 300)),
    "reversal": lambda x, v: x[::-1],
    "reversal of rows": lambda x, v: x[:, ::-1] + 1,
    "slice": lambda x, v: x[40:, 3:],
    "slice with strides": lambda x, v: jnp.sqrt(x[10:290:1, 1:36:3] ** 2),
    "pad": lambda x, v: jnp.pad(x, ((3, 5), (2, 0)), constant_values=7),
    "pad between": lambda x, v: lax.pad(x, jnp.float32(2), ((1, 0, 1), (0, 0, 2))),
    "pad by less": lambda x, v: lax.pad(x, jnp.float32(2), ((-5, -7, 0), (1, -1, 0))),
    "concatenation": lambda x, v: jnp.concatenate([x[:50], 2 * x, x[:9]]),
    "concatenation of columns": lambda x, v: jnp.concatenate([x, v[:, None], x * x], 1),
    "split": lambda x, v: x[:, :36].reshape(300, 4, 9) * 2,
    "joined": lambda x, v: x[:, None, :].reshape(300, 37) * 2,
    "update": lambda x, v: x.at[100:150, 3:9].set(5.0),
    "complex": lambda x, v: lax.complex(x, 2 * x) * 1j,
    "booleans": lambda x, v: ~(x > 0),
    "uses again": lambda x, v: (x - 1) * (x - 1) / ((x - 1) + v[:, None]) + (x - 1),
    "norm": lambda x, v: jnp.exp(x - jnp.max(x, axis=1, keepdims=True)),
}
PICKED = {
    "rows": lambda c, rows, by: c[rows],
    "columns": lambda c, rows, by: c[:, rows % c.shape[1]],
    "elements": lambda c, rows, by: c[rows, rows % c.shape[1]],
    "along": lambda c, rows, by: by.take_along_axis(c[:11], (rows % c.shape[1]).reshape(11, *[1] * (c.ndim - 1)), 1),
    "twice": lambda c, rows, by: (c[rows], c[rows[::-1]]),
}


def _run(function, processor: str):
    text = jax.jit(function, keep_unused=True).lower(X, V, ROWS).as_text()
    return hlo.compile(text, cpu=processor)(X, V, ROWS)


@pytest.mark.parametrize(("picked", "processor"), [*((name, "host") for name in PICKED), ("elements", "baseline")])
@pytest.mark.parametrize("computed", COMPUTED)
def test_bits(computed: str, picked: str, processor: str) -> None:
    compute, pick = COMPUTED[computed], PICKED[picked]
    (whole,) = _run(lambda x, v, rows: compute(x, v), processor)
    found = _run(lambda x, v, rows: pick(compute(x, v), rows, jnp), processor)
    expected = pick(np.asarray(whole), ROWS, np)
    for one, other in zip(found, expected if isinstance(expected, tuple) else (expected,), strict=True):
        np.testing.assert_array_equal(one, other)


def test_windows() -> None:
    """Slices of more than one element, at computed indices that are clamped: lanes along the slices."""
    starts = np.array([0, 3, 250, 299, 1000, 17], np.int32)
    window = jax.vmap(lambda x, i: lax.dynamic_slice(jnp.exp(x), (i, i), (20, 19)), (None, 0))
    (found,) = hlo.compile(jax.jit(window).lower(X, starts).as_text())(X, starts)
    (whole,) = _run(lambda x, v, rows: jnp.exp(x), "host")
    for one, start in zip(found, starts, strict=True):
        i, j = min(start, 280), min(start, 18)
        np.testing.assert_array_equal(one, whole[i : i + 20, j : j + 19])


PADDED = """
func.func @main(%x: tensor<4x8x1xf32>, %v: tensor<f32>, %i: tensor<i32>) -> (tensor<7x2xf32>, tensor<7x11x2xf32>) {
  %0 = stablehlo.pad %x, %v, low = [0, 1, 0], high = [3, 2, 1], interior = [0, 0, 0] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<7x11x2xf32>
  %1 = "stablehlo.torch_index_select"(%0, %i) {batch_dims = 0 : i64, dim = 1 : i64} : (tensor<7x11x2xf32>, tensor<i32>) -> tensor<7x2xf32>
  %2 = stablehlo.negate %0 : tensor<7x11x2xf32>
  return %1, %2 : tensor<7x2xf32>, tensor<7x11x2xf32>
}"""


@pytest.mark.parametrize("options", [{"target": "cpu"}, {"target": "gpu", "device": "model"}])
def test_a_padded_array_is_read_in_place_beside_a_gather(options):
    """The padding, which the program computes, is a number for both: no array of it is made that one of them would read."""
    exe = hlo.compile(PADDED, **options)
    x = np.arange(32, dtype=np.float32).reshape(4, 8, 1)
    padded = np.pad(x, ((0, 3), (1, 2), (0, 1)), constant_values=7)
    for at in (0, 1, 8, 9, 10):
        selected, negated = exe(x, np.float32(7), np.int32(at))
        np.testing.assert_array_equal(selected, padded[:, at])
        np.testing.assert_array_equal(negated, -padded)
