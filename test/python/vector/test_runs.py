"""Reductions along a short dimension with short rows, whose results fill vectors: against numpy, and beside guard pages."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from phase_texts import phase_text

import hlo
from hlo.tools.fuzz.guarded_memory import check

RANDOM = np.random.default_rng(5)
TYPES = [np.float32, np.float64, np.int32, np.int64, np.int8, np.uint16, np.float16, ml_dtypes.bfloat16, np.bool_]
SHAPES = [(32, 4, 3), (129, 2, 5), (1000, 7, 2), (70, 8, 6), (333, 3, 7), (515, 5, 3), (64, 12, 3)]


def _text(function, *arrays: np.ndarray) -> str:
    with jax.enable_x64(True):
        return jax.jit(function).lower(*arrays).as_text()


def _array(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    return RANDOM.integers(0 if dtype == np.bool_ else -9, 10, shape).astype(dtype)


def _compare(function, expected: np.ndarray, *arrays: np.ndarray, processor: str = "host") -> None:
    text = _text(function, *arrays)
    exe = hlo.compile(text, cpu=processor, cache=False)
    (found,) = exe(*arrays)
    np.testing.assert_array_equal(found.astype(np.float64), np.asarray(expected).astype(np.float64))
    check(exe, arrays)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_and_maxima(shape: tuple[int, ...], dtype: type) -> None:
    x = _array(shape, dtype)
    if dtype == np.bool_:
        _compare(lambda x: jnp.any(x, 1), x.any(1), x)
        return
    _compare(lambda x: jnp.sum(x, 1, dtype=x.dtype), x.astype(np.float64).sum(1).astype(dtype), x)
    _compare(lambda x: jnp.max(x, 1), x.max(1), x)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8])
@pytest.mark.parametrize("shape", SHAPES)
def test_positions(shape: tuple[int, ...], dtype: type) -> None:
    """Many equal elements, so that the first of them counts."""
    x = _array(shape, dtype) % 3
    x = x.astype(dtype)
    if dtype == np.float32:
        x[::7, 1] = np.nan
    _compare(lambda x: jnp.argmin(x, 1), x.argmin(1), x)


def test_the_sum_is_of_another_type() -> None:
    x = _array((905, 3, 4, 3), np.int32)
    _compare(lambda x: jnp.sum(x, 2), x.sum(2), x)


def test_what_is_read_besides() -> None:
    """A factor of each result, of each row of results, of each element of such a row, and of each term."""
    x = _array((77, 4, 3), np.float32)
    of_result, of_row, of_column, of_term = (_array(s, np.float32) for s in ((77, 3), (77,), (3,), (4,)))

    def function(x, a, b, c, d):
        return jnp.sum(x * a[:, None] * b[:, None, None] * c + d[:, None], 1)

    expected = (x * of_result[:, None] * of_row[:, None, None] * of_column + of_term[:, None]).sum(1)
    _compare(function, expected, x, of_result, of_row, of_column, of_term)


@pytest.mark.parametrize(
    "part", [np.s_[:, 1:5], np.s_[2:, ::2], np.s_[:, :, 1:], np.s_[::-1], np.s_[:, ::-1, ::-1], np.s_[1:]]
)
def test_parts_of_arrays(part) -> None:
    """Rows of memory that are not read to their ends."""
    x = _array((70, 6, 4), np.float32)
    _compare(lambda x: jnp.sum(x[part], 1), x[part].sum(1), x)


def test_terms_that_are_transposed() -> None:
    x = _array((4, 90, 3), np.float32)
    _compare(lambda x: jnp.sum(jnp.sin(x) * 0 + x, 0), x.sum(0), x)
    y = _array((3, 90, 5), np.float32)
    _compare(lambda y: jnp.max(jnp.transpose(y, (1, 2, 0)), 1), y.transpose(1, 2, 0).max(1), y)


def test_several_reduced_loops_and_several_results() -> None:
    x = _array((60, 2, 3, 3), np.int32)
    _compare(lambda x: jnp.sum(x, (1, 2)), x.sum((1, 2)), x)
    y = _array((60, 2, 40, 2, 3), np.int32)
    _compare(lambda y: jnp.sum(y, (1, 3)), y.sum((1, 3)), y)


@pytest.mark.parametrize("processor", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_processors(processor: str, dtype: type) -> None:
    x = _array((100, 4, 3), dtype)
    _compare(lambda x: jnp.max(x, 1), x.max(1), x, processor=processor)


def test_schedules() -> None:
    """The lanes go through both loops of results."""
    text = phase_text(_text(lambda x: jnp.max(x, 1), np.zeros((100, 4, 3), np.float32)), "kernels", "avx512")
    assert "interleave = 3 : i64, loops = [100, 4, 3]" in text
    assert 'unroll = 1 : i64, unroll_loop = "d0", vector = 16 : i64, vectorize = "d0"' in text
