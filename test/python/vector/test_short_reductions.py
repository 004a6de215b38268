"""Reductions of short rows, with lanes along the rows where that is faster: against numpy."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from phase_texts import phase_text

import hlo

RANDOM = np.random.default_rng(11)
KINDS = {"argmin": (jnp.argmin, np.argmin), "argmax": (jnp.argmax, np.argmax), "max": (jnp.max, np.max)}
TYPES = [np.float32, np.float64, np.int32, np.int8, np.float16, ml_dtypes.bfloat16]


def _rows(count: int, size: int, dtype: type) -> np.ndarray:
    """Many equal elements, so that the first of them counts, and rows with NaN."""
    x = RANDOM.integers(-9, 10, (count, size)).astype(dtype)
    if np.dtype(dtype).kind != "i":
        x[RANDOM.integers(0, count, 9), RANDOM.integers(0, size, 9)] = np.nan
        x[0, 3:5] = np.nan
    return x


def _run(function, x: np.ndarray, processor: str = "host") -> np.ndarray:
    with jax.enable_x64(True):
        text = jax.jit(function).lower(x).as_text()
    return hlo.compile(text, cpu=processor)(x)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [17, 27, 64, 127])
def test_types(size: int, dtype: type, kind: str) -> None:
    in_jax, in_numpy = KINDS[kind]
    x = _rows(67, size, dtype)
    found, expected = _run(lambda x: in_jax(x, axis=1), x), in_numpy(x, axis=1)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


@pytest.mark.parametrize("processor", ["avx2", "baseline"])
@pytest.mark.parametrize("size", [5, 27])
def test_other_processors(size: int, processor: str) -> None:
    x = _rows(67, size, np.float32)
    np.testing.assert_array_equal(_run(lambda x: jnp.argmin(x, axis=1), x, processor), np.argmin(x, axis=1))


@pytest.mark.parametrize("size", [19, 30, 33, 100])
def test_sums(size: int) -> None:
    x = RANDOM.integers(-99, 99, (70, size)).astype(np.float32)
    np.testing.assert_array_equal(_run(lambda x: jnp.sum(x, axis=1), x), x.sum(1))
    np.testing.assert_allclose(_run(lambda x: jnp.var(x, axis=1), x), x.var(1), rtol=1e-5)


def test_lanes_run_along_the_rows() -> None:
    x = np.zeros((3, 50, 27), np.float32)
    text = jax.jit(lambda x: jnp.argmin(x, axis=2)).lower(x).as_text()
    assert (
        'loops = [150, 27], peel = [0, 0], phases = [1, 1], threads = 1 : i64, unroll = 16 : i64, unroll_loop = "d1"'
        in phase_text(text, "kernels", "avx512")
    )
    assert "vector.gather" not in phase_text(text, "memory", "avx512")


def test_elementary_functions_of_few_elements_are_vectors() -> None:
    """Products of so few elements are code of scalars, as LLVM makes vectors of it."""
    x, w = RANDOM.normal(size=(3, 16)).astype(np.float32), RANDOM.normal(size=(16, 3)).astype(np.float32)
    sums = lambda x: jnp.sum(jnp.exp(x), 0)
    np.testing.assert_allclose(_run(sums, x), np.exp(x).sum(0), rtol=1e-6)
    for function, arrays, words in (
        (sums, [x], 'vectorize = "d1"'),
        (jnp.matmul, [x[:, :4], w[:4]], 'vectorize = "none"'),
    ):
        text = jax.jit(function).lower(*arrays).as_text()
        assert words in phase_text(text, "kernels", "avx512")
