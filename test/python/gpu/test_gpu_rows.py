"""Softmax, norms and other chains of reductions over rows: along any dimension, rows of any number and length, in one launch or several."""

import numpy as np
import pytest

import hlo

jax = pytest.importorskip("jax")
jnp = jax.numpy


def run(function, *arrays: np.ndarray):
    text = jax.jit(function).lower(*arrays).as_text()
    program = hlo.compile(text, target="gpu", device="model", cache=False)
    return program, program(*arrays)


def launches(program) -> int:
    return len(program.program.plan.kernels)


def softmax(axis: int):
    return lambda x: jax.nn.softmax(x, axis=axis)


def norm(axis: int):
    def function(x):
        mean = x.mean(axis, keepdims=True)
        spread = jnp.square(x - mean).mean(axis, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(spread + 1e-5), mean

    return function


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("shape", [(5, 7), (3, 33, 40), (2, 64, 3), (70, 4, 130), (1, 9), (300, 1)])
@pytest.mark.parametrize("make", [softmax, norm])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_any_dimension(shape, make, axis: int) -> None:
    x = numbers(*shape)
    _, found = run(make(axis), x)
    for one, right in zip(found, jax.tree.leaves(jax.jit(make(axis))(x)), strict=True):
        np.testing.assert_allclose(one, right, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("shape", [(256, 64), (33, 70)])
def test_rows_of_a_transposed_array(shape) -> None:
    """Adjacent lanes have adjacent rows."""
    function = lambda x: jax.nn.softmax(x.T, axis=-1)
    x = numbers(*shape)
    program, (found,) = run(function, x)
    assert launches(program) == 1
    np.testing.assert_allclose(found, jax.jit(function)(x), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("make", [softmax, norm])
def test_few_long_rows_are_several_launches(make, monkeypatch) -> None:
    monkeypatch.setattr("hlo.lowering.gpu.region.sharing.LONG_ROW", 100)
    x = numbers(3, 1000)
    program, found = run(make(-1), x)
    assert launches(program) > 2
    for one, right in zip(found, jax.tree.leaves(jax.jit(make(-1))(x)), strict=True):
        np.testing.assert_allclose(one, right, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_reduction_in_order_inside_of_a_row(axis: int) -> None:
    """The position of the maximum, and what is at a distance from it."""

    def function(x):
        at = jnp.argmax(x, axis=axis, keepdims=True)
        return x * at.astype(jnp.float32)

    x = np.round(numbers(9, 37) * 3)
    _, (found,) = run(function, x)
    np.testing.assert_array_equal(found, jax.jit(function)(x))


def test_booleans_and_small_floats_of_a_row() -> None:
    def function(x):
        is_low = jnp.all(x < 2, axis=1, keepdims=True)
        total = jnp.sum(x, axis=1, keepdims=True, dtype=jnp.bfloat16)
        return jnp.where(is_low, x, x / total)

    x = numbers(6, 48).astype(jnp.bfloat16)
    _, (found,) = run(function, x)
    right = np.asarray(jax.jit(function)(x)).astype(np.float32)
    np.testing.assert_allclose(found.astype(np.float32), right, rtol=0.02, atol=0.01)


def test_several_reductions_of_the_same_elements() -> None:
    x = numbers(40, 65)
    program, (low, high, total) = run(lambda x: (x.min(1), x.max(1), (x * x).sum(1)), x)
    assert launches(program) == 1
    np.testing.assert_array_equal(low, x.min(1))
    np.testing.assert_array_equal(high, x.max(1))
    np.testing.assert_allclose(total, (x * x).sum(1), rtol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_sums_of_complex_numbers(axis) -> None:
    x = (numbers(33, 70) + 1j * numbers(33, 70)).astype(np.complex64)
    _, (found,) = run(lambda x: x.sum(axis), x)
    np.testing.assert_allclose(found, x.sum(axis), rtol=1e-4, atol=1e-4)
