"""convert between all pairs of element types, bitcast_convert, reduce_precision: against numpy, ml_dtypes and jax."""

from __future__ import annotations

from fractions import Fraction

import jax
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from linalg_programs import ELEMENTS, run_many, run_op, tensor_type
from test_linalg_elementwise import values


@pytest.fixture(autouse=True)
def wide_types():
    """JAX with its 64-bit types, for these tests only."""
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("element", ELEMENTS)
def test_convert(element: str) -> None:
    x = values(element)
    ops = [("convert", "", [tensor_type(x.shape, target)], "") for target in ELEMENTS]
    for target, actual in zip(ELEMENTS, run_many(ops, [x])):
        expected = np.asarray(lax.convert_element_type(x, ELEMENTS[target]))
        if target == "i1":  # of a complex number the real part counts (docs/specification.md), in JAX too
            expected = x.real.astype(bool)
        if expected.dtype.kind == "V":
            expected, actual = expected.astype(np.float64), actual.astype(np.float64)
        np.testing.assert_array_equal(actual, expected, err_msg=f"{element} to {target}")


EDGES = [
    -1e30,
    -1e19,
    -3e9,
    -2147483649.0,
    -32769.0,
    -129.5,
    -128.9,
    -1.5,
    -0.9,
    127.9,
    255.9,
    65536.0,
    4294967296.0,
    1e19,
]


@pytest.mark.parametrize("target", ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"])
def test_float_to_integer_saturates(target: str) -> None:
    x = np.array([*EDGES, 1e30, np.inf, -np.inf, np.nan])
    info = np.iinfo(ELEMENTS[target])
    expected = [0 if np.isnan(v) else min(max(v, info.min), info.max) for v in x]
    actual = run_op("convert", [x], [tensor_type(x.shape, target)])[0]
    assert [int(v) for v in actual] == [int(v) for v in expected]


def _nearest(value: Fraction, dtype: type) -> float:
    """The float of `dtype` nearest to an exact value, ties to the even mantissa."""
    below = np.array(float(value)).astype(dtype)
    candidates = [below, np.nextafter(below, dtype(np.inf)), np.nextafter(below, dtype(-np.inf))]
    bits = np.uint16
    best = min(candidates, key=lambda c: (abs(Fraction(float(c)) - value), int(np.asarray(c).view(bits)) & 1))
    return float(best)


@pytest.mark.parametrize("target", ["bf16", "f16"])
def test_f64_to_16_bits_rounds_once(target: str) -> None:
    generator = np.random.default_rng(0)
    bits = 7 if target == "bf16" else 10
    halves = (1 + generator.integers(0, 2**bits, 50) * 2.0**-bits) + 2.0 ** -(bits + 1)
    x = np.concatenate([halves, halves + 2.0**-40, halves - 2.0**-40, -halves - 2.0**-45])
    actual = run_op("convert", [x], [tensor_type(x.shape, target)])[0]
    dtype = ml_dtypes.bfloat16 if target == "bf16" else np.float16
    assert [float(v) for v in actual] == [_nearest(Fraction(float(v)), dtype) for v in x]


@pytest.mark.parametrize("source", ["i64", "ui64", "i32"])
def test_integers_to_bf16_round_once(source: str) -> None:
    half = (1 << 30) + (1 << 22)
    numbers = [half, half + 1, half - 1, 3, -half, -half - 1]
    if source != "i32":
        numbers = [half << 30, (half << 30) + 1, (half << 30) - 1, half + 1, 2**62 + 2**54 + 3]
    x = np.array(numbers, ELEMENTS[source])
    actual = run_op("convert", [x], [tensor_type(x.shape, "bf16")])[0]
    assert [float(v) for v in actual] == [_nearest(Fraction(int(v)), ml_dtypes.bfloat16) for v in x]


@pytest.mark.parametrize(
    "source, target, shape",
    [
        ("f32", "i32", (6,)),
        ("i16", "bf16", (6,)),
        ("ui8", "i8", (6,)),
        ("f32", "ui8", (6, 4)),
        ("i64", "f32", (6, 2)),
        ("f64", "f16", (6, 4)),
    ],
)
def test_bitcast_convert(source: str, target: str, shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(1).integers(0, 256, 6 * np.dtype(ELEMENTS[source]).itemsize, dtype=np.uint8)
    wide = bits.view(ELEMENTS[source])
    narrow = bits.view(ELEMENTS[target]).reshape(shape)
    there = run_op("bitcast_convert", [wide], [tensor_type(shape, target)])[0]
    back = run_op("bitcast_convert", [narrow], [tensor_type((6,), source)])[0]
    assert there.tobytes() == narrow.tobytes() and back.tobytes() == wide.tobytes()


@pytest.mark.parametrize("exponent, mantissa", [(8, 7), (5, 10), (4, 3), (8, 23), (11, 4), (8, 0), (2, 1)])
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16"])
def test_reduce_precision(element: str, exponent: int, mantissa: int) -> None:
    x = np.concatenate([values(element), np.random.default_rng(2).normal(size=40).astype(ELEMENTS[element]) * 100])
    x = x.astype(ELEMENTS[element])
    attributes = f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32"
    actual = run_op("reduce_precision", [x], [tensor_type(x.shape, element)], attributes)[0]
    expected = np.asarray(lax.reduce_precision(x, exponent, mantissa))
    np.testing.assert_array_equal(actual.astype(np.float64), expected.astype(np.float64))
