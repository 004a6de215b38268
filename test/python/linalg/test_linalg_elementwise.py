"""Elementwise ops on every element type, special values included, against jax.lax on the CPU."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import lax
from linalg_programs import ELEMENTS, run_many, tensor_type

import hlo


@pytest.fixture(autouse=True)
def wide_types():
    """JAX with its 64-bit types, for these tests only."""
    with jax.enable_x64(True):
        yield


FLOATS = ["bf16", "f16", "f32", "f64"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
COMPLEX = ["complex<f32>", "complex<f64>"]
BITS = [*INTEGERS, "i1"]

UNARY = {
    "abs": (lax.abs, SIGNED + FLOATS + COMPLEX),
    "cbrt": (lax.cbrt, FLOATS),
    "ceil": (lax.ceil, FLOATS),
    "cosine": (lax.cos, FLOATS + COMPLEX),
    "count_leading_zeros": (lax.clz, INTEGERS),
    "exponential": (lax.exp, FLOATS + COMPLEX),
    "exponential_minus_one": (lax.expm1, FLOATS + COMPLEX),
    "floor": (lax.floor, FLOATS),
    "imag": (lax.imag, COMPLEX),
    "is_finite": (lax.is_finite, FLOATS),
    "log": (lax.log, FLOATS + COMPLEX),
    "log_plus_one": (lax.log1p, FLOATS + COMPLEX),
    "logistic": (lax.logistic, FLOATS + COMPLEX),
    "negate": (lax.neg, INTEGERS + FLOATS + COMPLEX),
    "not": (lax.bitwise_not, BITS),
    "popcnt": (lax.population_count, INTEGERS),
    "real": (lax.real, COMPLEX),
    "round_nearest_afz": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), FLOATS),
    "round_nearest_even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), FLOATS),
    "rsqrt": (lax.rsqrt, FLOATS + COMPLEX),
    "sign": (lax.sign, SIGNED + FLOATS + COMPLEX),
    "sine": (lax.sin, FLOATS + COMPLEX),
    "sqrt": (lax.sqrt, FLOATS + COMPLEX),
    "tan": (lax.tan, FLOATS + COMPLEX),
    "tanh": (lax.tanh, FLOATS + COMPLEX),
}
BINARY = {
    "add": (lax.add, INTEGERS + FLOATS + COMPLEX),
    "and": (lax.bitwise_and, BITS),
    "atan2": (lax.atan2, FLOATS),
    "divide": (lax.div, INTEGERS + FLOATS + COMPLEX),
    "maximum": (lax.max, [*BITS, *FLOATS]),
    "minimum": (lax.min, [*BITS, *FLOATS]),
    "multiply": (lax.mul, INTEGERS + FLOATS + COMPLEX),
    "or": (lax.bitwise_or, BITS),
    "power": (lax.pow, FLOATS + COMPLEX),
    "remainder": (lax.rem, INTEGERS + FLOATS),
    "shift_left": (lax.shift_left, INTEGERS),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, INTEGERS),
    "shift_right_logical": (lax.shift_right_logical, INTEGERS),
    "subtract": (lax.sub, INTEGERS + FLOATS + COMPLEX),
    "xor": (lax.bitwise_xor, BITS),
}
DIRECTIONS = {"EQ": lax.eq, "NE": lax.ne, "LT": lax.lt, "LE": lax.le, "GT": lax.gt, "GE": lax.ge}
TOLERANCE = {"bf16": 8e-3, "f16": 1e-3, "f32": 2e-6, "f64": 1e-13, "complex<f32>": 1e-5, "complex<f64>": 1e-13}


def values(element: str) -> np.ndarray:
    """Ordinary and special values of an element type."""
    dtype = np.dtype(ELEMENTS[element])
    if element == "i1":
        return np.array([False, True])
    if element in INTEGERS:
        info = np.iinfo(dtype)
        numbers = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 100, info.max, info.max - 1, info.min, info.min + 1]
        numbers += [-1, -2, -3, -7, -100] if info.min else [info.max // 2, info.max // 3]
        return np.array(numbers, dtype)
    if element in COMPLEX:
        parts = np.array([0.0, 1.0, -1.0, 0.5, -2.25, 3.0, -7.5, 0.001])
        return (parts[:, None] + 1j * parts[None, :]).reshape(-1).astype(dtype)
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.25, -7.75, 0.001, -0.0001, 1e-3, 80.0, -80.0]
    return np.array([*numbers, 100.5, 2.0, np.inf, -np.inf, np.nan], dtype)


def same(actual: np.ndarray, expected: np.ndarray, element: str, name: str) -> None:
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype, name
    tolerance = TOLERANCE.get(element, 0)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    if expected.dtype.kind in "fcV":
        actual, expected = actual.astype(wide), expected.astype(wide)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * 1e-2, err_msg=name)


@pytest.mark.parametrize("element", ELEMENTS)
def test_unary(element: str) -> None:
    x = values(element)
    expected = {name: np.asarray(f(x)) for name, (f, elements) in UNARY.items() if element in elements}
    ops = [(name, "", [_type(result)], "") for name, result in expected.items()]
    for (name, result), actual in zip(expected.items(), run_many(ops, [x])):
        same(actual, result, element, name)


def pairs(element: str) -> tuple[np.ndarray, np.ndarray]:
    x = values(element)
    a, b = np.meshgrid(x, x)
    return a.reshape(-1), b.reshape(-1)


@pytest.mark.parametrize("element", ELEMENTS)
def test_binary(element: str) -> None:
    a, b = pairs(element)
    expected = {name: np.asarray(f(a, b)) for name, (f, elements) in BINARY.items() if element in elements}
    ops = [(name, "", [_type(result)], "") for name, result in expected.items()]
    for (name, result), actual in zip(expected.items(), run_many(ops, [a, b])):
        same(actual, result, element, name)


@pytest.mark.parametrize("element", ELEMENTS)
def test_compare(element: str) -> None:
    a, b = pairs(element)
    directions = {k: f for k, f in DIRECTIONS.items() if element not in COMPLEX or k in ("EQ", "NE")}
    ops = [("compare", f'comparison_direction = "{k}"', [tensor_type(a.shape, "i1")], "") for k in directions]
    for f, actual in zip(directions.values(), run_many(ops, [a, b])):
        np.testing.assert_array_equal(actual, np.asarray(f(a, b)))


def _type(array: np.ndarray) -> str:
    names = {np.dtype(t): name for name, t in ELEMENTS.items()}
    return tensor_type(array.shape, names[array.dtype])


@pytest.mark.parametrize("element", ["f32", "f64", "bf16"])
def test_total_order(element: str) -> None:
    """-NaN < -inf < ... < -0 < +0 < ... < inf < NaN: the order of the list."""
    dtype = ELEMENTS[element]
    ordered = np.array([-np.nan, -np.inf, -1.5, -0.0, 0.0, 1.5, np.inf, np.nan], dtype)
    ordered[0] = -np.abs(ordered[-1])
    i, j = np.meshgrid(range(8), range(8))
    i, j = i.reshape(-1), j.reshape(-1)
    names = list(DIRECTIONS)
    attributes = [f'comparison_direction = "{k}", compare_type = "TOTALORDER"' for k in names]
    ops = [("compare", a, [tensor_type(i.shape, "i1")], "") for a in attributes]
    for name, actual in zip(names, run_many(ops, [ordered[i], ordered[j]])):
        np.testing.assert_array_equal(actual, np.asarray(DIRECTIONS[name](i, j)), err_msg=name)


@pytest.mark.parametrize("element", ELEMENTS)
def test_select(element: str) -> None:
    x = values(element)[:2]
    whole = run_many([("select", "", [_type(x)], "")], [np.array([True, False]), x, x[::-1].copy()])[0]
    np.testing.assert_array_equal(whole, x[[0, 0]])
    one = run_many([("select", "", [_type(x)], "")], [np.array(False), x, x[::-1].copy()])[0]
    np.testing.assert_array_equal(one, x[::-1])


@pytest.mark.parametrize("element", INTEGERS + FLOATS)
def test_clamp(element: str) -> None:
    x = values(element)
    low, high = np.array(2, x.dtype), np.array(63, x.dtype)
    actual = run_many([("clamp", "", [_type(x)], "")], [low, x, high])[0]
    same(actual, lax.clamp(low, x, high), element, "clamp")


@pytest.mark.parametrize("element", INTEGERS)
def test_integer_power(element: str) -> None:
    """Modulo the width; a negative exponent gives the integer part of the reciprocal."""
    dtype = ELEMENTS[element]
    base = np.array([0, 1, 2, 3, 7, 10, 3, 5], dtype)
    exponent = np.array([0, 9, 7, 5, 3, 2, 100, 63], dtype)
    width = np.dtype(dtype).itemsize * 8
    expected = [pow(int(b), int(e), 2**width) for b, e in zip(base, exponent)]
    actual = run_many([("power", "", [_type(base)], "")], [base, exponent])[0]
    assert [int(v) % 2**width for v in actual] == expected


def test_negative_integer_exponents() -> None:
    base = np.array([1, -1, -1, 2, -2, -3, 5, -128], np.int8)
    exponent = np.array([-5, -4, -3, -1, -2, 3, -128, 1], np.int8)
    actual = run_many([("power", "", [_type(base)], "")], [base, exponent])[0]
    assert list(actual) == [1, 1, -1, 0, 0, -27, 0, -128]


def test_boolean_arithmetic() -> None:
    a, b = pairs("i1")
    results = run_many([(name, "", [_type(a)], "") for name in ("add", "multiply")], [a, b])
    np.testing.assert_array_equal(results, [a | b, a & b])


@pytest.mark.parametrize("element", COMPLEX)
def test_complex_scale(element: str) -> None:
    """Parts near the ends of the range: no overflow on the way."""
    dtype = ELEMENTS[element]
    part = np.zeros(0, dtype).real.dtype
    big, tiny = np.finfo(part).max / 4, np.finfo(part).tiny * 4
    x = np.array([big + big * 1j, tiny + tiny * 1j, big + tiny * 1j, -big + big * 0.5j, tiny - big * 1j], dtype)
    expected = {"abs": np.abs(x), "sqrt": np.sqrt(x.astype(np.clongdouble)).astype(dtype)}
    actual = run_many([(name, "", [_type(r)], "") for name, r in expected.items()], [x])
    for (name, result), found in zip(expected.items(), actual):
        np.testing.assert_allclose(found, result, rtol=TOLERANCE[element], err_msg=name)
    quotient = run_many([("divide", "", [_type(x)], "")], [x, x])[0]
    np.testing.assert_allclose(quotient, np.ones_like(x), rtol=TOLERANCE[element], atol=TOLERANCE[element])


@pytest.mark.parametrize("is_computed", [False, True])
@pytest.mark.parametrize("element", COMPLEX)
def test_complex_by_real(element: str, is_computed: bool) -> None:
    """Divisors whose imaginary parts are known to be 0.0, of a constant or of a computed real number, have numpy's quotients, infinities and NaN included."""
    dtype = np.dtype(ELEMENTS[element])
    parts = np.array([0.0, -0.0, 1.0, -3.0, 1e30, np.inf, -np.inf, np.nan])
    z = np.zeros(64, dtype)
    z.real, z.imag = np.repeat(parts, 8), np.tile(parts, 8)
    t, r, scalar = f"tensor<64x{element}>", f"tensor<{element[8:-1]}>", f"tensor<{element}>"
    for number in (2.0, 3.0, -5.0, 1e-30, 1e30, 0.0, -0.0, np.inf, -np.inf, np.nan):
        divisor = dtype.type(number).real
        bits = f"0x{int(divisor.view(f'u{divisor.itemsize}')):0{2 * divisor.itemsize}X}"
        made = (
            f"stablehlo.convert %r : ({r}) -> {scalar}"
            if is_computed
            else f"stablehlo.constant dense<({bits}, 0.0)> : {scalar}"
        )
        text = f"""func.func @main(%z: {t}, %r: {r}) -> {t} {{
          %c = {made}
          %b = stablehlo.broadcast_in_dim %c, dims = [] : ({scalar}) -> {t}
          %0 = stablehlo.divide %z, %b : {t}
          return %0 : {t} }}"""
        (found,) = hlo.compile(text)(z, divisor)
        with np.errstate(all="ignore"):
            expected = z / dtype.type(complex(divisor, 0.0))
        for one, other in ((found.real, expected.real), (found.imag, expected.imag)):
            np.testing.assert_allclose(one, other, rtol=TOLERANCE[element], err_msg=str(number))


@pytest.mark.parametrize("element, limit", [("f32", 3e-7), ("f64", 1e-15)])
def test_near_zero(element: str, limit: float) -> None:
    x = np.array([1e-7, -3e-6, 1e-4, 2e-3], ELEMENTS[element])
    expected = [np.expm1(x), np.log1p(x)]
    ops = [(name, "", [_type(x)], "") for name in ("exponential_minus_one", "log_plus_one")]
    np.testing.assert_allclose(run_many(ops, [x]), expected, rtol=limit)


def test_atan2_of_complex_numbers():
    """-i log((x + iy) / sqrt(x^2 + y^2))"""
    generator = np.random.default_rng(0)
    parts = generator.standard_normal((4, 50))
    y, x = (parts[:2] + 1j * parts[2:]).astype(np.complex64)
    t = "tensor<50xcomplex<f32>>"
    text = f"func.func @main(%y: {t}, %x: {t}) -> {t} {{ %0 = stablehlo.atan2 %y, %x : {t}\n return %0 : {t} }}"
    (found,) = hlo.compile(text)(y, x)
    wide_y, wide_x = y.astype(np.complex128), x.astype(np.complex128)
    expected = -1j * np.log((wide_x + 1j * wide_y) / np.sqrt(wide_x**2 + wide_y**2))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
