"""Reductions of a few stacked arrays, as JAX writes them: against numpy."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import hlo

GENERATOR = np.random.default_rng(7)
SPECIAL = [np.nan, np.inf, -np.inf, -0.0]


def arrays(count: int, dtype: Any) -> list[np.ndarray]:
    made = [GENERATOR.normal(size=(3, 5)) * 4 for _ in range(count)]
    if np.dtype(dtype).kind in "fV":
        for number, array in enumerate(made):
            array.flat[number : 4 * (number + 1) : number + 1] = SPECIAL
    return [a.astype(dtype) for a in made]


def found(function: Callable[..., Any], *given: np.ndarray) -> np.ndarray:
    """By hlo, from one text, in which nothing is reduced any more."""
    with jax.enable_x64(True):
        exe = hlo.compile(jax.jit(function).lower(*given).as_text(), keep_phases=True)
    assert "stablehlo.reduce" not in exe.phases["stablehlo"] and "concatenate" not in exe.phases["stablehlo"]
    return exe(*given)[0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "var"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool"])
def test_reductions_of_stacks(dtype: str, name: str, axis: int) -> None:
    given = arrays(4, dtype)
    with np.errstate(invalid="ignore"):
        expected = getattr(np.stack(given, axis), name)(axis)
    if name == "var" and dtype != "float64":
        expected = np.stack(given, axis).astype(np.float64).var(axis)
    result = found(lambda *x: getattr(jnp.stack(x, axis), name)(axis), *given)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.astype(expected.dtype), expected, rtol=2e-5)


def test_sums_of_narrow_floats_are_rounded_once() -> None:
    given = [np.full((3,), value, ml_dtypes.bfloat16) for value in (256, 1, 1, 1, 1)]
    result = found(lambda *x: jnp.stack(x).sum(0), *given)
    np.testing.assert_array_equal(result.astype(np.float32), 260)


def test_select() -> None:
    x = np.array([2, 0.5, -0.5, -3, np.nan, 1, 0, -1], np.float32)
    expected = np.select([x > 1, x > 0, x > -1], [x * 2, x + 1, -x], 0.5)
    np.testing.assert_array_equal(
        found(lambda x: jnp.select([x > 1, x > 0, x > -1], [x * 2, x + 1, -x], 0.5), x), expected
    )


def test_long_chains_above_a_reduction_are_no_stack() -> None:
    """And are read without a recursion as deep as they are."""

    def chain(x: Any) -> Any:
        x = jnp.stack([x, x + 1])
        for _ in range(1200):
            x = jnp.abs(x - 1)
        return x.sum(0)

    x = np.ones((2, 2), np.float32)
    exe = hlo.compile(jax.jit(chain).lower(x).as_text())
    np.testing.assert_array_equal(exe(x)[0], np.asarray(chain(x)))
