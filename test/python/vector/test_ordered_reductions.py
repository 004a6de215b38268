"""Reductions whose body does not commute: the specification leaves the tree open, but not the order of the elements.

The expected values are numpy's: a fold from the left, and the first index of the largest element or NaN."""

import ml_dtypes
import numpy as np
import pytest
from test_processors import HERE

import hlo

rng = np.random.default_rng(0)
ROWS = [1, 3, 8, 17, 33, 64, 100, 1000, 100_003]
BLOCKS = [((3, 65), [1]), ((65, 3), [0]), ((2, 5, 33), [1, 2]), ((5, 2, 33), [0, 2]), ((33, 3, 5), [0, 2])]


def compositions(shape, dims):
    """x -> s x + t for each element, composed along dims; modulo 2^32, so that every order has its own result."""
    b = hlo.Builder()
    s, t = b.parameter((shape, "i32")), b.parameter((shape, "i32"))
    return b.build(
        *b.reduce([s, t], [np.int32(1), np.int32(0)], lambda a, p, c, q: (a * c, p * c + q), dimensions=dims)
    )


def composed(s, t, dims):
    kept = [d for d in range(s.ndim) if d not in dims]
    rows = [np.transpose(x, kept + dims).reshape([s.shape[d] for d in kept] + [-1]).astype(np.uint32) for x in (s, t)]
    a, p = np.ones_like(rows[0][..., 0]), np.zeros_like(rows[0][..., 0])
    for k in range(rows[0].shape[-1]):
        c, q = rows[0][..., k], rows[1][..., k]
        a, p = a * c, p * c + q
    return a.view(np.int32), p.view(np.int32)


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("shape, dims", [*(((n,), [0]) for n in ROWS), *BLOCKS])
def test_compositions(cpu, shape, dims):
    s, t = rng.integers(-4, 4, shape, np.int32) | 1, rng.integers(-9, 9, shape, np.int32)
    found = hlo.compile(compositions(shape, dims), cpu=cpu)(s, t)
    for a, w in zip(found, composed(s, t, dims), strict=True):
        np.testing.assert_array_equal(a, w)


def argmax(shape, dtype):
    """As JAX has it: a NaN is larger than all, and of equal elements the first counts, of NaNs by its place alone."""
    b = hlo.Builder()
    x = b.parameter((shape, dtype))

    def larger(a, k, c, j):
        first = b.or_(b.compare(a, c, "GT"), b.compare(a, a, "NE"))
        equal = b.and_(b.compare(a, c, "EQ"), b.compare(k, j, "LT"))
        return b.select(first, a, c), b.select(b.or_(first, equal), k, j)

    index = b.iota(len(shape) - 1, result_type=(shape, "i32"))
    low = np.float32(-np.inf) if dtype == "f32" else np.float64(-np.inf)
    return b.build(*b.reduce([x, index], [low, np.int32(0)], larger, dimensions=[len(shape) - 1]))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("n", [2, 7, 17, 40, 1000])
def test_first_of_equal_elements_and_of_nans(cpu, dtype, n):
    x = rng.integers(0, 4, (40, n)).astype(np.float32 if dtype == "f32" else np.float64)
    x[20:][rng.random((20, n)) < 3 / n] = np.nan
    values, places = hlo.compile(argmax((40, n), dtype), cpu=cpu)(x)
    np.testing.assert_array_equal(places, np.argmax(x, 1))
    np.testing.assert_array_equal(values, np.max(x, 1))


ELEMENTS = {
    "c64": np.complex64, "c128": np.complex128, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i4": ml_dtypes.int4,
    "ui2": ml_dtypes.uint2, "f8E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("shape, dims", [((1,), [0]), ((5,), [0]), ((33,), [0]), ((3, 70), [1]), ((2, 5, 3), [1, 2])])
@pytest.mark.parametrize("name, dtype", ELEMENTS.items())
def test_an_initial_value_that_is_not_neutral_counts_once(cpu, shape, dims, name, dtype):
    """Whether elements fill their vectors or not, and whatever the body is made of: as one op on f32 or several on parts and
    wider numbers."""
    b = hlo.Builder()
    x = b.parameter((shape, name))
    total = b.reduce([x], [np.array(1, dtype)], lambda a, c: b.add(a, c), dimensions=dims)
    zeros = np.zeros(shape, dtype)
    (found,) = hlo.compile(b.build(total), cpu=cpu)(zeros)
    np.testing.assert_array_equal(found.astype(complex), np.ones(found.shape))
