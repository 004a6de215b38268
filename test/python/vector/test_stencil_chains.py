"""Stencils of stencils: each is stored rather than computed again at all places where the next one reads it, and the results are numpy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hlo

SWEEPS = 6


def padded_program(shape: tuple[int, ...], function: str) -> str:
    """Sweeps over all neighbours along each dimension, with zeros around the array."""
    rank, kind = len(shape), "x".join(map(str, shape))
    wide = "x".join(str(n + 2) for n in shape)
    ones = ", ".join(["1"] * rank)
    lines, x = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"], "%x"
    lines.append(f"%small = stablehlo.constant dense<0.2> : tensor<{kind}xf32>")
    for sweep in range(SWEEPS):
        lines.append(
            f"%p{sweep} = stablehlo.pad {x}, %zero, low = [{ones}], high = [{ones}], interior = [{', '.join(['0'] * rank)}]"
            f" : (tensor<{kind}xf32>, tensor<f32>) -> tensor<{wide}xf32>"
        )
        total = x
        for dim, offset in itertools.product(range(rank), (0, 2)):
            begin = [offset if d == dim else 1 for d in range(rank)]
            box = ", ".join(f"{b}:{b + n}" for b, n in zip(begin, shape))
            name = f"{sweep}_{dim}_{offset}"
            lines.append(f"%s{name} = stablehlo.slice %p{sweep} [{box}] : (tensor<{wide}xf32>) -> tensor<{kind}xf32>")
            lines.append(f"%t{name} = stablehlo.add {total}, %s{name} : tensor<{kind}xf32>")
            total = f"%t{name}"
        lines.append(f"%m{sweep} = stablehlo.multiply {total}, %small : tensor<{kind}xf32>")
        lines.append(f"%y{sweep} = stablehlo.{function} %m{sweep} : tensor<{kind}xf32>")
        x = f"%y{sweep}"
    body = "\n  ".join([*lines, f"return {x} : tensor<{kind}xf32>"])
    return f"func.func @main(%x: tensor<{kind}xf32>) -> tensor<{kind}xf32> {{\n  {body}\n}}"


def padded_sweeps(x: np.ndarray, function) -> np.ndarray:
    for _ in range(SWEEPS):
        p, total = np.pad(x, 1), x
        for dim, offset in itertools.product(range(x.ndim), (0, 2)):
            box = tuple(slice(o, o + n) for o, n in zip([offset if d == dim else 1 for d in range(x.ndim)], x.shape))
            total = total + p[box]
        x = function(total * np.float32(0.2))
    return x


@pytest.mark.parametrize("shape", [(50,), (1, 1), (17, 33), (64, 64), (5, 6, 19)])
@pytest.mark.parametrize("function", ["tanh", "negate"])
def test_padded(shape, function):
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    (found,) = hlo.compile(padded_program(shape, function), cache=False)(x)
    expected = padded_sweeps(x, {"tanh": np.tanh, "negate": np.negative}[function])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
