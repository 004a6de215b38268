"""Divisions of integers, whose vectors are divided as floats: all pairs of 8 bits; of more bits quotients that are whole or nearly so."""

import numpy as np
import pytest

import hlo

COUNT = 1 << 15

PROGRAM = """func.func @main(%a: tensor<{n}x{t}>, %b: tensor<{n}x{t}>) -> (tensor<{n}x{t}>, tensor<{n}x{t}>) {{
  %q = stablehlo.divide %a, %b : tensor<{n}x{t}>
  %r = stablehlo.remainder %a, %b : tensor<{n}x{t}>
  return %q, %r : tensor<{n}x{t}>, tensor<{n}x{t}>
}}"""


def operands(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of all magnitudes, the ends of the type with each other, and multiples of the divisor or one less."""
    info = np.iinfo(dtype)
    if info.bits == 8:
        values = np.arange(info.min, info.max + 1).astype(dtype)
        return np.repeat(values, 256), np.tile(values, 256)
    generator = np.random.default_rng(info.bits)
    half = 1 << (info.bits // 2 - 1)
    small = [generator.integers(1, half, COUNT, dtype) for _ in "qb"]
    near = small[0] * small[1] - generator.integers(0, 2, COUNT, dtype)
    wide = [generator.integers(info.min, info.max, COUNT, dtype, endpoint=True) for _ in "ab"]
    shifted = wide[1] >> generator.integers(0, info.bits, COUNT, dtype)
    ends = np.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3], dtype)
    ends = np.concatenate([ends, np.array([-1, -2, -3]).astype(dtype)])
    a = [near, wide[0], np.repeat(ends, len(ends))]
    b = [small[1], shifted, np.tile(ends, len(ends))]
    return np.concatenate(a), np.concatenate(b)


def exact(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By integers of Python, cut towards zero; x / 0 = -1, x % 0 = x, and what overflows wraps around."""
    quotients = [
        -1 if y == 0 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a.tolist(), b.tolist())
    ]
    remainders = [x - q * y for x, y, q in zip(a.tolist(), b.tolist(), quotients)]
    mask = (1 << np.iinfo(a.dtype).bits) - 1
    return tuple(
        np.array([v & mask for v in values], np.uint64).astype(f"u{a.itemsize}").view(a.dtype)
        for values in (quotients, remainders)
    )


@pytest.mark.parametrize("signs", ["i", "ui"])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_quotients_and_remainders(signs, bits):
    a, b = operands(np.dtype(f"{'u' if signs == 'ui' else ''}int{bits}"))
    found = hlo.compile(PROGRAM.format(n=len(a), t=f"{signs}{bits}"))(a, b)
    for result, expected in zip(found, exact(a, b), strict=True):
        np.testing.assert_array_equal(result, expected)
