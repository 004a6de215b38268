"""Kernels of loops whose outermost loop threads share: large enough for it, with odd sizes, against numpy and JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hlo

RANDOM = np.random.default_rng(0)


def both(function, *arguments):
    """Our results and JAX's."""
    lowered = jax.jit(function).lower(*arguments)
    found = hlo.compile(lowered.as_text())(*arguments)
    expected = jax.tree.leaves(lowered.compile()(*arguments))
    return [np.asarray(v) for v in (found if isinstance(found, (list, tuple)) else [found])], expected


def same(function, *arguments, tolerance=0.0):
    for found, expected in zip(*both(function, *arguments), strict=True):
        np.testing.assert_allclose(
            found, np.asarray(expected), rtol=tolerance, atol=tolerance and tolerance * np.abs(expected).max()
        )


SHAPES = [(2, 9001), (3, 7001), (257, 129), (5, 3, 1201), (61, 1, 301, 1), (7, 301, 11)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reverse", [False, True])
def test_scans(shape, reverse):
    numbers = RANDOM.standard_normal(shape).astype(np.float32)
    axis = int(np.argmax(shape[1:])) + 1
    same(lambda x: lax.cummax(x, axis=axis, reverse=reverse), numbers)
    whole = RANDOM.integers(-(2**31), 2**31 - 1, shape, np.int32)
    same(lambda x: lax.cumsum(x, axis=axis, reverse=reverse), whole)


def test_scan_keeps_nan():
    numbers = RANDOM.standard_normal((301, 129)).astype(np.float32)
    numbers[::7, 50] = np.nan
    same(lambda x: lax.cummin(x, axis=1), numbers)


def test_scan_of_several_operands():
    """Running maximum and where it is."""
    numbers = RANDOM.integers(0, 1000, (99, 301)).astype(np.int32)
    places = np.broadcast_to(np.arange(301, dtype=np.int32), numbers.shape).copy()

    def larger(a, b):
        keep = a[0] >= b[0]
        return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])

    def scan(x, i):
        return lax.reduce_window((x, i), (jnp.int32(-1), jnp.int32(0)), larger, (1, 301), (1, 1), [(0, 0), (300, 0)])

    # XLA itself aborts on this program now and then: JAX only writes it.
    maximum, place = hlo.compile(jax.jit(scan).lower(numbers, places).as_text())(numbers, places)
    np.testing.assert_array_equal(maximum, np.maximum.accumulate(numbers, 1))
    np.testing.assert_array_equal(np.take_along_axis(numbers, place, 1), maximum)
    assert (place <= places).all()


@pytest.mark.parametrize("shape", [(33, 1024), (3, 5, 2000), (101, 1, 129)])
def test_transforms(shape):
    numbers = (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)).astype(np.complex64)
    for function, reference in ((jnp.fft.fft, np.fft.fft), (jnp.fft.ifft, np.fft.ifft)):
        (found,), _ = both(function, numbers)
        expected = reference(numbers.astype(np.complex128))
        assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize(("shape", "axis"), [((101, 301), 1), ((301, 101), 0), ((9, 1, 2111), 2)])
def test_sorts(shape, axis):
    numbers = RANDOM.standard_normal(shape).astype(np.float32)
    same(lambda x: lax.sort(x, dimension=axis), numbers)
    same(lambda x: jnp.argsort(x, axis=axis, stable=True), numbers)


def test_top_k():
    same(lambda x: lax.top_k(x, 5), RANDOM.standard_normal((101, 301)).astype(np.float32))


def test_matrices_of_a_batch():
    factors = np.tril(RANDOM.standard_normal((33, 31, 31))).astype(np.float32) + 8 * np.eye(31, dtype=np.float32)
    same(lambda a: lax.linalg.cholesky(a @ a.swapaxes(1, 2)), factors, tolerance=1e-4)
    right = RANDOM.standard_normal((33, 31, 17)).astype(np.float32)
    same(lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), factors, right, tolerance=1e-5)
