"""Rolls (jnp.roll), which kernels read in place: values of random programs by numpy, and what kernels are made of."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from test_processors import HERE

import hlo

TYPES = [
    np.float32,
    np.float64,
    np.float16,
    ml_dtypes.bfloat16,
    np.int8,
    np.uint16,
    np.int32,
    np.int64,
    np.bool_,
    np.complex64,
    np.complex128,
    ml_dtypes.int4,
]
SHAPES = [(n,) for n in (1, 2, 15, 16, 17, 31, 63, 70)] + [
    (3, 70),
    (17, 33),
    (70, 16),
    (5, 7),
    (4, 3, 41),
    (6, 19, 2),
    (5, 1100),
]


def numbers(shape, dtype, seed=0):
    found = np.random.default_rng(seed).integers(0, 2 if dtype is np.bool_ else 4, shape).astype(dtype)
    return found * dtype(1 + 2j) if np.issubdtype(dtype, np.complexfloating) else found


def roll(b, x, shift, dim):
    """As jnp.roll is lowered: the end, then the rest."""
    shift %= x.shape[dim]
    if not shift:
        return x
    first = [0] * x.rank
    split = [n - shift if d == dim else n for d, n in enumerate(x.shape)]
    begin = [n - shift if d == dim else 0 for d, n in enumerate(x.shape)]
    ones = [1] * x.rank
    end, rest = b.slice(x, begin, list(x.shape), ones), b.slice(x, first, split, ones)
    return b.concatenate([end, rest], dimension=dim)


def run(b, *results, inputs, **options):
    found = hlo.compile(b.build(*results), **options)(*inputs)
    return [np.asarray(x) for x in (found if isinstance(found, (list, tuple)) else [found])]


def combined(b, x, y):
    return b.xor(x, y) if x.dtype == np.bool_ else b.add(x, y)


def combined_in_numpy(x, y):
    return x ^ y if x.dtype == np.bool_ else (x + y).astype(x.dtype)


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sum_with_both_neighbours(shape, dtype, cpu):
    x = numbers(shape, dtype)
    b = hlo.Builder()
    total = operand = b.parameter((shape, dtype))
    wanted = x
    for dim in range(len(shape)):
        for shift in (1, -1):
            total = combined(b, total, roll(b, operand, shift, dim))
            wanted = combined_in_numpy(wanted, np.roll(x, shift, dim))
    (found,) = run(b, total, inputs=[x], cpu=cpu)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("size", [16, 17, 48, 64, 70])
def test_all_shifts(size):
    x = numbers((3, size), np.float32)
    b = hlo.Builder()
    operand = b.parameter((x.shape, np.float32))
    results = [b.negate(roll(b, operand, shift, 1)) for shift in range(1, size)]
    for shift, found in enumerate(run(b, *results, inputs=[x]), 1):
        np.testing.assert_array_equal(found, -np.roll(x, shift, 1))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("seed", range(12))
def test_rolls_of_what_is_computed_from_rolls(seed, cpu):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 71, random.integers(1, 3)))
    x = numbers(shape, np.int32, seed)
    b = hlo.Builder()
    values = [(b.parameter((shape, np.int32)), x)]
    for _ in range(8):
        (value, known), (other, known_other) = (values[random.integers(len(values))] for _ in range(2))
        dim = int(random.integers(len(shape)))
        shift = int(random.integers(-3, 4))
        match random.integers(4):
            case 0:
                values.append((b.multiply(b.add(value, other), value), (known + known_other) * known))
            case 1:
                values.append((b.reverse(value, [dim]), np.flip(known, dim)))
            case _:
                values.append((roll(b, value, shift, dim), np.roll(known, shift, dim)))
    results = [b.subtract(value, values[0][0]) for value, _ in values[1:]]
    for found, (_, known) in zip(run(b, *results, inputs=[x], cpu=cpu), values[1:]):
        np.testing.assert_array_equal(found, known - x)


@pytest.mark.parametrize("dims", [[0], [1], [0, 1]])
@pytest.mark.parametrize("shape", [(33, 70), (200, 64), (5, 3000)])
def test_reductions_of_products_with_neighbours(shape, dims):
    x = numbers(shape, np.int64)
    b = hlo.Builder()
    operand = b.parameter((shape, np.int64))
    products = [b.multiply(operand, roll(b, operand, shift, dim)) for dim in (0, 1) for shift in (1, -2)]
    sums = [b.reduce([p], [np.int64(0)], lambda a, e: b.add(a, e), dimensions=dims) for p in products]
    wanted = [(x * np.roll(x, shift, dim)).sum(tuple(dims)) for dim in (0, 1) for shift in (1, -2)]
    for found, one in zip(run(b, *sums, inputs=[x]), wanted):
        np.testing.assert_array_equal(found, one)


def test_softmax_minus_its_roll():
    """Values of a row that are kept for a second sweep are not read at other places of it."""
    x = np.random.default_rng(0).standard_normal((40, 50)).astype(np.float32)
    b = hlo.Builder()
    operand = b.parameter((x.shape, np.float32))
    whole = lambda v: b.broadcast_in_dim(v, [0], list(x.shape))
    largest = b.reduce([operand], [np.float32(-np.inf)], lambda a, e: b.maximum(a, e), dimensions=[1])
    e = b.exponential(b.subtract(operand, whole(largest)))
    sums = b.reduce([roll(b, roll(b, e, 1, 1), -1, 1)], [np.float32(0)], lambda a, e: b.add(a, e), dimensions=[1])
    s = b.divide(e, whole(roll(b, sums, 3, 0)))
    (found,) = run(b, b.subtract(s, roll(b, s, 1, 1)), inputs=[x])
    exact = np.exp(x - x.max(1, keepdims=True)).astype(np.float64)
    exact /= np.roll(exact.sum(1), 3)[:, None]
    np.testing.assert_allclose(found, exact - np.roll(exact, 1, 1), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(33, 47), (40, 300), (9, 11, 21), (3000,), (200_000,)])
def test_steps_that_write_where_they_read(shape, threads):
    """Each of two arrays is changed by differences of the other one, step by step."""
    random = np.random.default_rng(0)
    u, v = (random.integers(-9, 9, shape).astype(np.int32) for _ in range(2))
    b = hlo.Builder()

    def step(i, p, q):
        for dim in range(len(shape)):
            p = b.add(p, b.subtract(roll(b, q, -1, dim), q))
        for dim in range(len(shape)):
            q = b.subtract(q, b.subtract(p, roll(b, p, 1, dim)))
        return b.add(i, 1), p, q

    _, p, q = b.while_(lambda i, p, q: i < 3, step, 0, *(b.parameter((shape, np.int32)) for _ in range(2)))
    found = run(b, p, q, inputs=[u, v], threads=threads)
    for _ in range(3):
        for dim in range(len(shape)):
            u = u + (np.roll(v, -1, dim) - v)
        for dim in range(len(shape)):
            v = v - (u - np.roll(u, 1, dim))
    np.testing.assert_array_equal(found[0], u)
    np.testing.assert_array_equal(found[1], v)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("reader", ["result", "sum", "product", "branch"])
def test_pieces_that_something_else_reads(dim, reader):
    """A periodic edge that is a result, summed, multiplied, or read in front of a branch in which the roll is."""
    x = np.random.default_rng(3).normal(size=(40, 64)).astype(np.float32)
    b = hlo.Builder()
    p = b.parameter((x.shape, "f32"))
    limits = [39 if d == dim else n for d, n in enumerate(x.shape)]
    rest, expected_rest = b.slice(p, [0, 0], limits, [1, 1]), x[: limits[0], : limits[1]]
    if reader == "result":
        other, expected = rest, expected_rest
    elif reader == "sum":
        other, expected = b.reduce(rest, np.float32(0), b.add, [0]), expected_rest.sum(0)
    else:
        other, expected = b.dot(rest, b.transpose(rest, [1, 0])), expected_rest @ expected_rest.T
    shift = x.shape[dim] - 39
    rolled = b.tanh(roll(b, p, shift, dim))
    if reader == "branch":
        positive = b.compare(b.reduce(other, np.float32(0), b.add, [0, 1]), np.float32(0), "GT")
        rolled = b.if_(positive, lambda: b.tanh(roll(b, p, shift, dim)), lambda: p)
    found = run(b, rolled, other, inputs=[x])
    np.testing.assert_allclose(found[0], np.tanh(np.roll(x, shift, dim)), rtol=1e-5)
    np.testing.assert_allclose(found[1], expected, rtol=1e-4, atol=1e-4)
