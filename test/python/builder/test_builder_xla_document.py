"""The examples of the XLA document: broadcasting, Collapse, Reshape, Slice, windows, ... Expected values are the document's
where it gives them, else numpy's or JAX's."""

from __future__ import annotations

import numpy as np
import pytest

import hlo

V = np.array([[[10 * i + j + k for k in range(3)] for j in (0, 5)] for i in (1, 2, 3, 4)], np.float32)


def run(function, *arrays):
    b = hlo.Builder()
    results = function(b, *(b.parameter(np.asarray(a)) for a in arrays))
    found = b.compile(*(results if isinstance(results, tuple) else (results,)))(*map(np.asarray, arrays))
    return found if isinstance(results, tuple) else found[0]


M23, V3 = np.int32([[1, 2, 3], [4, 5, 6]]), np.int32([7, 8, 9])
BROADCASTS = {
    "scalar": (M23, np.int32(7), None, [[8, 9, 10], [11, 12, 13]]),
    "rows": (M23, V3, [1], [[8, 10, 12], [11, 13, 15]]),
    "columns": (np.zeros((3, 3), np.int32), V3, [0], [[7, 7, 7], [8, 8, 8], [9, 9, 9]]),
    "rows_of_3x3": (np.zeros((3, 3), np.int32), V3, [1], [[7, 8, 9]] * 3),
    "composition": (np.int32([1, 2, 3, 4]), np.int32([[5, 6]]), [0], [[6, 7], [7, 8], [8, 9], [9, 10]]),
    "outer": (np.int32([[1], [2]]), np.int32([[10, 20, 30]]), None, [[11, 21, 31], [12, 22, 32]]),
}


@pytest.mark.parametrize("name", BROADCASTS)
def test_broadcasting_values(name: str) -> None:
    lhs, rhs, dimensions, expected = BROADCASTS[name]
    np.testing.assert_array_equal(run(lambda b, x, y: b.add(x, y, dimensions), lhs, rhs), expected)
    np.testing.assert_array_equal(run(lambda b, x, y: b.add(y, x, dimensions), lhs, rhs), expected)


SHAPES = [
    ((2, 1), (2, 3), None, (2, 3)),
    ((1, 2, 5), (7, 2, 5), None, (7, 2, 5)),
    ((7, 2, 5), (7, 1, 5), None, (7, 2, 5)),
    ((2, 3, 4), (3, 4), (1, 2), (2, 3, 4)),
    ((1, 2), (4, 3, 1), (1, 2), (4, 3, 2)),
    ((2, 3, 4, 5), (2, 5), (0, 3), (2, 3, 4, 5)),
]


@pytest.mark.parametrize("lhs, rhs, dimensions, expected", SHAPES)
def test_broadcasting_shapes(lhs, rhs, dimensions, expected) -> None:
    b = hlo.Builder()
    x, y = b.parameter((lhs, "f32")), b.parameter((rhs, "f32"))
    assert b.multiply(x, y, dimensions).shape == expected
    assert b.lt(y, x, dimensions).shape == expected


def test_more_complicated_composition_has_numpys_values() -> None:
    x, y = np.float32([[1, 2]]), np.arange(12, dtype=np.float32).reshape(4, 3, 1)
    np.testing.assert_array_equal(run(lambda b, x, y: b.add(x, y, [1, 2]), x, y), x[None] + y)


ILLEGAL = [
    ((7, 2, 5), (7, 2, 6), None, "size 6 meets 5|size 5 meets 6"),
    ((2, 3), (3,), None, "broadcast_dimensions must say"),
    ((2, 3), (3,), (0,), "size 3 meets 2"),
    ((2, 3, 4, 5), (4, 3), (2, 1), "increasing"),
    ((2, 3, 4, 5), (3, 3), (1, 1), "increasing"),
    ((2, 3), (3,), (2,), r"in \[0, 2\)"),
    ((2, 3), (3,), (0, 1), "must be 1 increasing"),
]


@pytest.mark.parametrize("lhs, rhs, dimensions, message", ILLEGAL)
def test_illegal_broadcasts(lhs, rhs, dimensions, message: str) -> None:
    b = hlo.Builder()
    with pytest.raises(hlo.ArgumentError, match=message):
        b.add(b.parameter((lhs, "f32")), b.parameter((rhs, "f32")), dimensions)


def test_collapse() -> None:
    whole, lower, higher = run(lambda b, v: tuple(b.collapse(v, d) for d in ([0, 1, 2], [0, 1], [1, 2])), V)
    np.testing.assert_array_equal(whole, V.reshape(24))
    np.testing.assert_array_equal(lower, V.reshape(8, 3))
    np.testing.assert_array_equal(higher, V.reshape(4, 6))
    b = hlo.Builder()
    v = b.parameter(V)
    for illegal in ([1, 0], [0, 2], [2, 3]):
        with pytest.raises(hlo.ArgumentError, match="consecutive"):
            b.collapse(v, illegal)


def test_reshape_with_dimension_order() -> None:
    in_order, v83, v024, v183, v262 = run(
        lambda b, v: (
            b.reshape(v, [24], dimensions=[0, 1, 2]),
            b.reshape(v, [8, 3]),
            b.reshape(v, [24], dimensions=[1, 2, 0]),
            b.reshape(v, [8, 3], dimensions=[1, 2, 0]),
            b.reshape(v, [2, 6, 2], dimensions=[1, 2, 0]),
        ),
        V,
    )
    np.testing.assert_array_equal(in_order, V.reshape(24))
    np.testing.assert_array_equal(v83, V.reshape(8, 3))
    order = [10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47]
    np.testing.assert_array_equal(v024, order)
    np.testing.assert_array_equal(v183, np.reshape(order, (8, 3)))
    np.testing.assert_array_equal(v262, np.reshape(order, (2, 6, 2)))
    one, scalar = run(lambda b, x, y: (b.reshape(y, [1, 1]), b.reshape(x, [])), np.int32([[5]]), np.int32(5))
    assert (one.tolist(), scalar.tolist()) == ([[5]], 5)


def test_slices() -> None:
    a, m = np.arange(5, dtype=np.float32), np.arange(12, dtype=np.float32).reshape(4, 3)
    u = np.float32([[12, 13], [14, 15], [16, 17]])
    found = run(
        lambda b, a, m, u, s: (
            b.slice(a, [2], [4]),
            b.slice(m, [2, 1], [4, 3]),
            b.slice_in_dim(m, 1, 3),
            b.dynamic_slice(m, s, [2, 2]),
            b.dynamic_update_slice(m, u, [1, 1]),
            b.concat_in_dim([a, a], 0),
            b.rev(m, [1]),
        ),
        a,
        m,
        u,
        np.int32([2, 1]),
    )
    updated = m.copy()
    updated[1:4, 1:3] = u
    for result, expected in zip(found, (a[2:4], m[2:4, 1:3], m[1:3], m[2:4, 1:3], updated, np.r_[a, a], m[:, ::-1])):
        np.testing.assert_array_equal(result, expected)


def test_select_clamp_convert_tuple_pad() -> None:
    p, x, y = np.array([True, False, False, True]), np.int32([1, 2, 3, 4]), np.int32([100, 200, 300, 400])

    def program(b, p, x, y):
        t = b.select(p[0], b.tuple(x, y), b.tuple(y, x))
        return (
            b.select(p, x, y),
            b.select(p[0], x, y),
            b.clamp(2, x, 3),
            b.convert_element_type(x, "f32"),
            b.pad(x, 0, [(1, 2, 1)]),
            b.get_tuple_element(t, 1),
            t[0],
        )

    found = run(program, p, x, y)
    padded = [0, 1, 0, 2, 0, 3, 0, 4, 0, 0]
    expected = ([1, 200, 300, 4], x, [2, 2, 3, 3], x.astype(np.float32), padded, y, x)
    for result, wanted in zip(found, expected):
        np.testing.assert_array_equal(result, wanted)
    assert found[3].dtype == np.float32


def test_map_with_static_operands() -> None:
    x, y = np.float32([1, 2, 3]), np.float32(10)
    result = run(lambda b, x, y: b.map([x, x], lambda a, c, s: a * c + s, static_operands=[y]), x, y)
    np.testing.assert_array_equal(result, x * x + 10)


@pytest.mark.parametrize("padding", ["SAME", "VALID", [(1, 2), (0, 3)]])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
def test_convolution_paddings(padding, strides) -> None:
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    x, k = rng.standard_normal((2, 3, 6, 7), np.float32), rng.standard_normal((4, 3, 3, 2), np.float32)
    expected = jax.lax.conv_general_dilated(x, k, strides, padding)
    found = run(lambda b, x, k: b.conv_with_general_padding(x, k, strides, padding), x, k)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows(padding: str) -> None:
    jax = pytest.importorskip("jax")
    x = np.random.default_rng(0).permutation(24).astype(np.float32).reshape(4, 6)
    expected = jax.lax.reduce_window(x, -np.inf, jax.lax.max, (2, 3), (2, 3), padding)
    found = run(
        lambda b, x: b.reduce_window(x, -np.inf, lambda a, c: b.maximum(a, c), (2, 3), (2, 3), padding=padding), x
    )
    np.testing.assert_array_equal(found, expected)
    source = np.ones_like(expected)
    gradient = jax.grad(lambda v: jax.lax.reduce_window(v, -np.inf, jax.lax.max, (2, 3), (2, 3), padding).sum())(x)
    scattered = run(
        lambda b, x, s: b.select_and_scatter(
            x, s, 0.0, lambda a, c: a >= c, lambda a, c: a + c, (2, 3), (2, 3), padding
        ),
        x,
        source,
    )
    np.testing.assert_array_equal(scattered, gradient)


def test_random_numbers_have_their_distributions() -> None:
    uniform, normal, bernoulli = run(
        lambda b: (
            b.rng_uniform(2.0, 4.0, "20000xf32"),
            b.rng_normal(1.0, 3.0, "20000xf32"),
            b.rng_bernoulli(0.25, "20000xui32"),
        )
    )
    assert uniform.min() >= 2 and uniform.max() < 4 and abs(uniform.mean() - 3) < 0.05
    assert abs(normal.mean() - 1) < 0.15 and abs(normal.std() - 3) < 0.15
    assert bernoulli.dtype == np.uint32 and set(np.unique(bernoulli)) == {0, 1} and abs(bernoulli.mean() - 0.25) < 0.02
