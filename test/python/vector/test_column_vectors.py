"""Loops along columns in kernels of loops (scatter, select_and_scatter): in vectors, shared by threads, against numpy and JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from phase_texts import phase_text

import hlo

RANDOM = np.random.default_rng(0)


def text(function, *arguments) -> str:
    with jax.enable_x64(True):
        return jax.jit(function).lower(*arguments).as_text()


def vectors(program: str) -> bool:
    """Whether a kernel of loops is written in vectors."""
    kernels = phase_text(program, "memory", "avx512").split("func.func private @")
    return any(k.startswith(("scatter", "select_and_scatter")) and "vector.load" in k for k in kernels)


KINDS = [np.float32, np.float64, np.float16, np.int32, np.uint8]


@pytest.mark.parametrize("cpu", ["host", "avx2"])
@pytest.mark.parametrize("columns", [16, 33, 515])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_added_in_order(kind, columns, cpu):
    """Rows that come several times, some outside: sums are those of numpy, which adds one row after the other."""
    rows = 40 if columns < 500 else 300
    x, new = ((RANDOM.random((n, columns)) * 50).astype(kind) for n in (30, rows))
    places = RANDOM.integers(0, 36, rows).astype(np.int32)
    program = text(lambda x, i, u: x.at[i].add(u, mode="drop"), x, places, new)
    expected, inside = x.copy(), places < 30
    np.add.at(expected, places[inside], new[inside])
    (found,) = hlo.compile(program, cpu=cpu, cache=False)(x, places, new)
    np.testing.assert_array_equal(found, expected)
    if kind is np.float32:
        assert vectors(program)


def test_elements_at_indices_stay_scalars():
    """A loop whose turns may write the same element is left as it is."""
    x, new = RANDOM.standard_normal((2, 500)).astype(np.float32)
    places = RANDOM.integers(0, 9, 500).astype(np.int32)
    program = text(lambda x, i, u: x.at[i].add(u), x, places, new)
    expected = x.copy()
    np.add.at(expected, places, new)
    np.testing.assert_array_equal(hlo.compile(program, cache=False)(x, places, new)[0], expected)
    assert not vectors(program)


def test_windows_of_rows_that_overlap():
    """Windows that begin at any column: a turn of the loop over windows reads what another one wrote."""
    x, new = RANDOM.standard_normal((20, 90)).astype(np.float32), RANDOM.standard_normal((50, 3, 40)).astype(np.float32)
    places = np.stack([RANDOM.integers(0, 17, 50), RANDOM.integers(0, 50, 50)], 1).astype(np.int32)
    numbers = lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
    program = text(lambda x, i, u: lax.scatter_add(x, i, u, numbers), x, places, new)
    expected = x.copy()
    for (row, column), window in zip(places, new):
        expected[row : row + 3, column : column + 40] += window
    np.testing.assert_array_equal(hlo.compile(program, cache=False)(x, places, new)[0], expected)


POOLS = {
    "overlapping": ((2, 9, 11, 20), (1, 3, 3, 1), (1, 2, 2, 1), "VALID"),
    "padded": ((3, 10, 10, 16), (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    "apart": ((4, 8, 8, 37), (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
    "large": ((5, 31, 30, 33), (1, 3, 2, 1), (1, 1, 2, 1), "SAME"),
    "windows over the batch": ((7, 6, 6, 16), (3, 2, 2, 1), (2, 2, 2, 1), "SAME"),
    "channels first": ((3, 5, 12, 16), (1, 1, 3, 3), (1, 1, 2, 2), "SAME"),
    "gaps": ((2, 9, 9, 18), (1, 2, 2, 1), (1, 3, 3, 1), "VALID"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cpu", ["host", "avx2"])
@pytest.mark.parametrize("pool", POOLS)
def test_gradients_of_pooling(pool, cpu):
    """Ties go to the first element of a window, as in XLA. Windows that have no element in common are a loop."""
    shape, size, stride, padding = POOLS[pool]
    x = RANDOM.integers(-4, 4, shape).astype(np.float32)
    forward = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, size, stride, padding)
    weights = RANDOM.standard_normal(jax.eval_shape(forward, x).shape).astype(np.float32)
    lowered = jax.jit(jax.grad(lambda x: (forward(x) * weights).sum())).lower(x)
    (found,) = hlo.compile(lowered.as_text(), cpu=cpu, cache=False)(x)
    np.testing.assert_array_equal(found, lowered.compile()(x))
    assert vectors(lowered.as_text()) == (pool in ("apart", "gaps"))


PADDED = """func.func @main(%x: tensor<6x5x18xf32>, %s: tensor<4x3x18xf32>, %i: tensor<f32>) -> tensor<6x5x18xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3, 2, 1>,
      window_strides = array<i64: 3, 3, 1>, padding = dense<[[4, 2], [2, 2], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %p : tensor<f32>
  }) : (tensor<6x5x18xf32>, tensor<4x3x18xf32>, tensor<f32>) -> tensor<6x5x18xf32>
  return %r : tensor<6x5x18xf32>
}"""


def test_windows_of_padding_select_nothing():
    """The specification's computation: the least element of each window, multiplied; some windows hold only padding."""
    x, s = RANDOM.standard_normal((6, 5, 18)).astype(np.float32), RANDOM.standard_normal((4, 3, 18)).astype(np.float32)
    x[1, 1, ::3] = np.nan
    expected = np.full(x.shape, 2, np.float32)
    for (i, j, c), value in np.ndenumerate(s):
        window = [
            (y, z) for y in range(3 * i - 4, 3 * i - 1) for z in range(3 * j - 2, 3 * j) if 0 <= y < 6 and 0 <= z < 5
        ]
        chosen = None
        for y, z in window:
            if chosen is None or not x[chosen][c] < x[y, z, c]:
                chosen = (y, z)
        if chosen is not None:
            expected[(*chosen, c)] *= value
    (found,) = hlo.compile(PADDED, cache=False)(x, s, np.float32(2))
    np.testing.assert_array_equal(found, expected)


def test_large_copies_are_shared():
    """An argument that a kernel updates in place is copied first: every element of an odd number arrives, and the argument stays."""
    x = RANDOM.standard_normal((1001, 333)).astype(np.float32)
    before, row = x.copy(), np.ones(333, np.float32)
    program = text(lambda x, r: x.at[jnp.array([7])].add(r[None]), x, row)
    expected = x.copy()
    expected[7] += 1
    executable = hlo.compile(program, cache=False)
    np.testing.assert_array_equal(executable(x, row)[0], expected)
    np.testing.assert_array_equal(x, before)
