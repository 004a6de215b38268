"""Maxima and minima of small floats, which are carried in f32: the numbers that numpy finds in f32, NaN and infinities included."""

import ml_dtypes
import numpy as np
import pytest
from test_processors import HERE

import hlo

SHAPES = [
    ((58, 345), [1]),
    ((58, 345), [0]),
    ((7, 3, 40), [1, 2]),
    ((33, 2, 19), [0]),
    ((520_000,), [0]),
    ((4, 3), [1]),
    ((523, 3), [1]),
]
SPECIAL = (np.nan, np.inf, -np.inf, -0.0)


def extremes(shape, dims, dtype):
    """The largest and the smallest."""
    b = hlo.Builder()
    x = b.parameter((shape, dtype))
    return b.build(
        b.reduce([x], [dtype(-np.inf)], lambda a, e: b.maximum(a, e), dimensions=dims),
        b.reduce([x], [dtype(np.inf)], lambda a, e: b.minimum(e, a), dimensions=dims),
    )


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape, dims", SHAPES)
def test_extremes(cpu, dtype, shape, dims):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(dtype)
    x.reshape(-1)[rng.integers(0, x.size, len(SPECIAL))] = SPECIAL
    for found, reduce in zip(hlo.compile(extremes(shape, dims, dtype), cpu=cpu)(x), (np.max, np.min), strict=True):
        expected = reduce(x.astype(np.float32), axis=tuple(dims)).astype(dtype)
        np.testing.assert_array_equal(np.asarray(found).astype(np.float32), expected.astype(np.float32))


@pytest.mark.parametrize("one, other", [(-0.0, 0.0), (0.0, -0.0)])
def test_zeros(one, other):
    """Of a zero and one with a sign, the maximum is that without."""
    x = np.full((3, 50), one, np.float16)
    x[:, 20] = other
    largest, smallest = hlo.compile(extremes(x.shape, [1], np.float16))(x)
    assert not np.signbit(largest).any() and np.signbit(smallest).all()
