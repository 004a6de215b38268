"""legalize-chlo against scipy: the decomposed programs are evaluated with numpy."""

from __future__ import annotations

import math

import ml_dtypes
import mpmath
import numpy as np
import pytest
import scipy.special
from mlir import ir
from stablehlo_interpreter import evaluate

import hlo
from hlo.dialect.registration import make_context
from hlo.lowering.stablehlo.chlo.legalize_chlo import LegalizeChlo

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
DTYPES |= {"complex<f32>": np.complex64, "i32": np.int32, "i64": np.int64, "ui64": np.uint64, "ui8": np.uint8}
REAL = {
    "erf": (scipy.special.erf, -6, 6),
    "erfc": (np.vectorize(math.erfc), -6, 9),
    "erf_inv": (scipy.special.erfinv, -1, 1),
    "lgamma": (scipy.special.gammaln, 2.5, 50),
    "digamma": (scipy.special.digamma, 2, 50),
    "bessel_i1e": (scipy.special.i1e, -60, 60),
    "sinh": (np.sinh, -60, 60),
    "cosh": (np.cosh, -60, 60),
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -50, 50),
    "asinh": (np.arcsinh, -50, 50),
    "acosh": (np.arccosh, 1, 50),
    "atanh": (np.arctanh, -1, 1),
    "square": (np.square, -3, 3),
    "tan": (np.tan, -1.5, 1.5),
}
COMPLEX = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tan": np.tan,
    "conj": np.conj,
    "square": np.square,
}
LONG = ("bessel_i1e", "digamma", "erf", "erf_inv", "erfc", "lgamma", "polygamma", "zeta")
TOLERANCE = {"f32": 6e-7, "f64": 2e-14, "f16": 1e-3, "bf16": 8e-3}


def call(mnemonic: str, element: str, *operands: np.ndarray) -> np.ndarray:
    """The decomposition of one op, evaluated; long functions, which are not decomposed, compiled."""
    t = f"tensor<{len(operands[0])}x{element}>"
    names = [f"%x{i}" for i in range(len(operands))]
    arguments = ", ".join(f"{n}: {t}" for n in names)
    types = ", ".join(t for _ in operands)
    text = f'"chlo.{mnemonic}"({", ".join(names)}) : ({types}) -> {t}'
    program = f"func.func @main({arguments}) -> {t} {{ %r = {text}\n return %r : {t} }}"
    if mnemonic in LONG:
        return hlo.compile(program)(*operands)[0]
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(program)
        LegalizeChlo().run(module)
        assert module.operation.verify()
        assert "chlo." not in str(module)
        return evaluate(module, *operands)[0]


@pytest.mark.parametrize("element", TOLERANCE)
@pytest.mark.parametrize("mnemonic", REAL)
def test_real_function(mnemonic, element):
    function, low, high = REAL[mnemonic]
    x = np.random.default_rng(0).uniform(low, high, 3000)
    if element in ("f16", "bf16"):
        x = x[np.abs(x) < 8]
    x = x.astype(DTYPES[element])
    x = x[np.abs(x.astype(np.float64)) < 1] if mnemonic in ("erf_inv", "atanh") else x
    expected = function(x.astype(np.float64))
    actual = call(mnemonic, element, x).astype(np.float64)
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE[element], atol=2e-7 if element == "f16" else 1e-37)


@pytest.mark.parametrize("mnemonic", COMPLEX)
def test_complex_function(mnemonic):
    generator = np.random.default_rng(1)
    x = (generator.normal(size=1000) + 1j * generator.normal(size=1000)).astype(np.complex64)
    expected = COMPLEX[mnemonic](x.astype(np.complex128))
    np.testing.assert_allclose(call(mnemonic, "complex<f32>", x), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "mnemonic, expected",
    {
        "erf": [1, -1, np.nan, 0.0, -0.0],
        "erfc": [0, 2, np.nan, 1, 1],
        "lgamma": [np.inf, np.inf, np.nan, np.inf, np.inf],
        "sinh": [np.inf, -np.inf, np.nan, 0.0, -0.0],
        "cosh": [np.inf, np.inf, np.nan, 1, 1],
        "asinh": [np.inf, -np.inf, np.nan, 0.0, -0.0],
        "atanh": [np.nan, np.nan, np.nan, 0.0, -0.0],
        "acosh": [np.inf, np.nan, np.nan, np.nan, np.nan],
        "digamma": [np.inf, np.nan, np.nan, np.nan, np.nan],
        "bessel_i1e": [0, 0, np.nan, 0.0, -0.0],
    }.items(),
)
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_special_values(mnemonic, expected, element):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], DTYPES[element])
    actual = call(mnemonic, element, x)
    np.testing.assert_array_equal(actual, np.array(expected, DTYPES[element]))
    if mnemonic in ("erf", "sinh", "asinh", "atanh"):
        assert list(np.signbit(actual[-2:])) == [False, True]


def test_zeros_of_lgamma():
    for element in ("f32", "f64"):
        assert call("lgamma", element, np.array([1.0, 2.0], DTYPES[element])).tolist() == [0.0, 0.0]


def test_poles_of_gamma_functions():
    x = np.array([-1, -2, -30], np.float32)
    np.testing.assert_array_equal(call("lgamma", "f32", x), np.inf)
    np.testing.assert_array_equal(call("digamma", "f32", x), np.nan)


def test_lgamma_of_extremes():
    x = np.array([5e-324, -5e-324, 1e-310, -1e-310, 1e305, 3e305, -1e308, -3e15, 0.0, -0.0])
    expected = [float(mpmath.log(abs(v))) * -1 for v in x[:4]] + [7.01288453363184e307] + [np.inf] * 5
    np.testing.assert_allclose(call("lgamma", "f64", x), expected, rtol=3e-16)


def test_zeta_and_polygamma():
    s, q = np.array([1.5, 2, 3, 7, 30], np.float32), np.array([1, 0.5, 10, 3, 4], np.float32)
    np.testing.assert_allclose(call("zeta", "f32", s, q), scipy.special.zeta(s, q), rtol=5e-7)
    n = np.array([0, 1, 2, 3, 5], np.float32)
    expected = [scipy.special.polygamma(int(a), float(b)) for a, b in zip(n, q)]
    np.testing.assert_allclose(call("polygamma", "f32", n, q), expected, rtol=5e-7)


def test_poles_of_zeta_and_polygamma():
    """As JAX has them: even powers are infinite at 0, -1, ..., odd ones have another sign on each side."""
    s, q = np.array([2, 3, 2.5, 1, 4, 5]), np.array([0.0, -1, -2, -1.5, -7, -0.0])
    np.testing.assert_array_equal(call("zeta", "f64", s, q), [np.inf, np.nan, np.nan, np.inf, np.inf, np.nan])
    n, x = np.array([1.0, 2, 3, 4]), np.array([0.0, 0, -1, -3])
    np.testing.assert_array_equal(call("polygamma", "f64", n, x), [np.inf, np.nan, np.inf, np.nan])


def test_polygamma_of_high_order():
    n, x = np.arange(1.0, 31), np.linspace(0.5, 9, 30)
    expected = [float(mpmath.polygamma(int(a), mpmath.mpf(float(b)))) for a, b in zip(n, x)]
    np.testing.assert_allclose(call("polygamma", "f64", n[:22], x[:22]), expected[:22], rtol=5e-15)
    np.testing.assert_allclose(call("polygamma", "f64", n[22:], x[22:]), expected[22:], rtol=1e-13)


@pytest.mark.parametrize(
    "mnemonic, exact, lows, highs",
    [
        ("lgamma", lambda x: mpmath.loggamma(x).real, [-9, 0, 2.5, 12], [0, 3, 12, 1e30]),
        ("digamma", mpmath.digamma, [-9, 0, 2, 12], [0, 3, 12, 1e30]),
        ("bessel_i1e", lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x), [-9, 0, 7, 12], [0, 3, 9, 1e6]),
        ("zeta", mpmath.zeta, [(1, 1e-3), (1, 1), (8, 3), (2, 20)], [(3, 2), (9, 5), (40, 9), (5, 1e4)]),
        ("polygamma", mpmath.polygamma, [(1, 1e-3), (2, 1), (8, 3), (7, 20)], [(2, 2), (8, 9), (20, 9), (9, 1e3)]),
    ],
)
def test_results_of_f32_are_rounded_once(mnemonic, exact, lows, highs):
    """Where results are not near zero: there, shorter polynomials than for f64 may be off by more."""
    generator = np.random.default_rng(3)
    parts = [generator.uniform(low, high, (200, np.size(low))) for low, high in zip(lows, highs)]
    operands = np.concatenate(parts).astype(np.float32).T
    if mnemonic == "polygamma":
        operands[0] = np.floor(operands[0])
    found = call(mnemonic, "f32", *operands)
    with mpmath.workprec(100):
        values = [exact(*(int(v) if v == int(v) else mpmath.mpf(float(v)) for v in row)) for row in operands.T]
        errors = [abs(mpmath.mpf(float(f)) - v) / np.spacing(np.float32(max(abs(v), 1e-2 * (mnemonic in ("lgamma", "digamma")), 1e-37))) for f, v in zip(found, values)]  # fmt: skip
    assert float(max(errors)) <= 0.505


def test_zeta_of_negative_numbers():
    """Of integer exponents, odd ones with the sign of each term; f32 and f64 have different powers."""
    s, q = np.array([2.0, 3, 4, 5, 10, 13]), np.array([-0.5, -1.25, -2.75, -1.625, -0.375, -0.125])
    with mpmath.workprec(100):
        exact = [float(mpmath.fsum((mpmath.mpf(b) + k) ** -int(a) for k in range(20)) + mpmath.zeta(a, b + 20)) for a, b in zip(s, q)]  # fmt: skip
    np.testing.assert_allclose(call("zeta", "f64", s, q), exact, rtol=1e-14)
    np.testing.assert_allclose(call("zeta", "f32", s.astype(np.float32), q.astype(np.float32)), exact, rtol=6e-8)


def test_next_after():
    x = np.array([0, 0, 1, -1, 1, 2, np.nan, 1e-45, np.inf, -0.0, 3], np.float32)
    y = np.array([1, -1, 2, -2, 0, 2, 1, 0, 0, 0.0, np.nan], np.float32)
    np.testing.assert_array_equal(call("next_after", "f32", x, y), np.nextafter(x, y))


@pytest.mark.parametrize("element", ["i32", "i64", "ui64", "ui8"])
def test_mulhi(element):
    dtype = DTYPES[element]
    limits = np.iinfo(dtype)
    x, y = np.random.default_rng(2).integers(limits.min, limits.max, (2, 500), dtype=dtype, endpoint=True)
    expected = [(int(a) * int(b)) >> limits.bits for a, b in zip(x, y)]
    np.testing.assert_array_equal(call("mulhi", element, x, y), np.array(expected, dtype))
