"""Thousands of elementwise ops that need each other's results: several kernels, none of which is too long for what goes through it by recursion."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hlo

OPS = ("add", "multiply", "maximum")


def chain(length: int, kind: str, second: str) -> str:
    """Each op has the value before it, and another one: itself, or the one before that."""
    names = ["x", "x", *(f"v{n}" for n in range(length))]
    lines = []
    for n in range(length):
        other = names[n + 1] if second == "itself" else names[n]
        lines.append(f"  %v{n} = stablehlo.{OPS[n % 3]} %{names[n + 1]}, %{other} : {kind}")
    return f"func.func @main(%x: {kind}) -> {kind} {{\n" + "\n".join(lines) + f"\n  return %v{length - 1} : {kind}\n}}"


def computed(x: np.ndarray, length: int, second: str) -> np.ndarray:
    functions = (np.add, np.multiply, np.maximum)
    before, value = x, x
    for n in range(length):
        before, value = value, functions[n % 3](value, value if second == "itself" else before)
    return value


@pytest.mark.parametrize("shape", [(), (37,)])
@pytest.mark.parametrize("second", ["itself", "the one before"])
def test_long_chains(shape, second):
    x = np.arange(1, 1 + int(np.prod(shape)), dtype=np.int32).reshape(shape)
    kind = f"tensor<{''.join(f'{n}x' for n in shape)}i32>"
    with np.errstate(over="ignore"):
        expected = computed(x, 6000, second)
    (found,) = hlo.compile(chain(6000, kind, second), cache=False)(x)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("narrow", ["f8E5M2", "i8"])
def test_elements_are_split_and_joined_outside_of_chains(narrow):
    """As many elements behind a bitcast as at the end of the chain, made of fewer or of more."""
    steps = 12
    lines = "\n".join(f"    %{n + 1} = stablehlo.remainder %{n}, %0 : tensor<4x{narrow}>" for n in range(steps))
    exe = hlo.compile(f"""func.func @main(%x: tensor<f32>) -> (tensor<4x{narrow}>, tensor<f32>) {{
    %0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<4x{narrow}>
{lines}
    %r = stablehlo.bitcast_convert %{steps} : (tensor<4x{narrow}>) -> tensor<f32>
    return %{steps}, %r : tensor<4x{narrow}>, tensor<f32> }}""")
    x = np.float32(3.7)
    dtype = np.int8 if narrow == "i8" else ml_dtypes.float8_e5m2
    parts = np.array([x]).view(np.uint8).view(dtype)
    with np.errstate(invalid="ignore"):
        wide = np.fmod(parts.astype(np.float64), parts.astype(np.float64)) if narrow != "i8" else np.fmod(parts, parts)
    found, joined = exe(x)
    np.testing.assert_array_equal(found.astype(np.float64), wide.astype(np.float64))
    assert np.asarray(joined).tobytes() == found.tobytes()
