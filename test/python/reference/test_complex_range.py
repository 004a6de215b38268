"""Complex functions from the smallest subnormal to the largest number, against mpmath; what is infinite or NaN against numpy,
which follows C99's Annex G. Results are right to a few units of the larger part."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

import hlo

KINDS = {"f32": (np.complex64, 400), "f64": (np.complex128, 2400)}
"""By the type of the parts: numpy's type, and the bits that hold the sum of its largest and smallest number."""

UNARY: dict[str, Callable[[Any], Any]] = {
    "stablehlo.abs": abs,
    "stablehlo.cbrt": lambda z: mpmath.exp(mpmath.log(z) / 3),
    "stablehlo.cosine": mpmath.cos,
    "stablehlo.exponential": mpmath.exp,
    "stablehlo.exponential_minus_one": mpmath.expm1,
    "stablehlo.log": mpmath.log,
    "stablehlo.log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "stablehlo.log_plus_one": lambda z: mpmath.log(1 + z),
    "stablehlo.logistic": lambda z: 1 / (1 + mpmath.exp(-z)),
    "stablehlo.rsqrt": lambda z: 1 / mpmath.sqrt(z),
    "stablehlo.sign": lambda z: z / abs(z),
    "stablehlo.sine": mpmath.sin,
    "stablehlo.sqrt": mpmath.sqrt,
    "stablehlo.tan": mpmath.tan,
    "stablehlo.tanh": mpmath.tanh,
    "chlo.acos": mpmath.acos,
    "chlo.acosh": mpmath.acosh,
    "chlo.asin": mpmath.asin,
    "chlo.asinh": mpmath.asinh,
    "chlo.atan": mpmath.atan,
    "chlo.atanh": mpmath.atanh,
    "chlo.cosh": mpmath.cosh,
    "chlo.sinh": mpmath.sinh,
    "chlo.square": lambda z: z * z,
}

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "stablehlo.atan2": lambda y, x: -1j * mpmath.log((x + 1j * y) / mpmath.sqrt(x * x + y * y)),
    "stablehlo.divide": lambda a, b: a / b,
    "stablehlo.power": lambda a, b: mpmath.exp(b * mpmath.log(a)),
}

AT_INFINITY = {
    "chlo.acos": np.arccos,
    "chlo.acosh": np.arccosh,
    "chlo.asin": np.arcsin,
    "chlo.asinh": np.arcsinh,
    "chlo.atan": np.arctan,
    "chlo.atanh": np.arctanh,
    "chlo.sinh": np.sinh,
    "chlo.cosh": np.cosh,
}


def _grid(parts: list[float], kind: str) -> np.ndarray:
    re, im = np.meshgrid(parts, parts)
    z = np.empty(re.size, KINDS[kind][0])
    z.real, z.imag = re.reshape(-1), im.reshape(-1)
    return z


@cache
def _points(kind: str) -> np.ndarray:
    info: Any = np.finfo({"f32": np.float32, "f64": np.float64}[kind])
    least, most = float(info.smallest_subnormal), float(info.max)
    sizes = [
        least,
        3 * least,
        float(info.tiny),
        1e-3,
        1.5,
        88.0 if kind == "f32" else 709.0,
        most**0.5 * 1.5,
        most / 5,
        most,
    ]
    return _grid([sign * size for size in sizes for sign in (1, -1)], kind)


def _rounded(exact: Any, kind: str) -> complex:
    """An mpmath number in a type; mpmath's own conversion truncates what is subnormal."""
    info: Any = np.finfo(KINDS[kind][0])
    lowest = int(np.log2(float(info.smallest_subnormal)))

    def part(x: Any) -> float:
        unit = max(int(mpmath.frexp(x)[1]) - info.nmant - 1, lowest)
        rounded = mpmath.ldexp(mpmath.nint(mpmath.ldexp(x, -unit)), unit)
        return float(rounded) if abs(rounded) <= float(info.max) else float(mpmath.sign(x)) * np.inf

    return complex(part(mpmath.re(exact)), part(mpmath.im(exact)))


@cache
def _expected(op: str, kind: str) -> np.ndarray:
    """Exponentials of parts beyond 4000 are infinite, 0 or 1 in both types already; angles stay as they are."""
    grows = {"exponential", "exponential_minus_one", "logistic", "sinh", "cosh", "tanh"}
    turns = {"sine", "cosine", "tan"}
    name = op.split(".")[1]
    with mpmath.workprec(KINDS[kind][1]):
        results = []
        for z in _points(kind):
            re, im = (mpmath.mpf(float(x)) for x in (z.real, z.imag))
            re = max(-4000, min(4000, re)) if name in grows else re
            im = max(-4000, min(4000, im)) if name in turns else im
            results.append(_rounded(UNARY[op](mpmath.mpc(re, im)), kind))
    return np.array(results)


def _run(op: str, kind: str, target: str, *operands: np.ndarray) -> np.ndarray:
    t = f"tensor<{len(operands[0])}xcomplex<{kind}>>"
    result = f"tensor<{len(operands[0])}x{kind}>" if op == "stablehlo.abs" else t
    names = [f"%{i}" for i in range(len(operands))]
    program = f"""func.func @main({", ".join(f"{n}: {t}" for n in names)}) -> {result} {{
      %r = "{op}"({", ".join(names)}) : ({", ".join([t] * len(names))}) -> {result}
      return %r : {result} }}"""
    device = {"device": "model"} if target == "gpu" else {}
    return hlo.compile(program, target=target, **device)(*operands)[0]


def _wrong(want: np.ndarray, got: np.ndarray, kind: str, units: float) -> np.ndarray:
    """Where a part is off by more than some units in the last place of the larger part, or infinite instead of finite."""
    info: Any = np.finfo(KINDS[kind][0])
    sizes = np.abs([want.real, want.imag])
    size = np.max(np.where(np.isfinite(sizes), sizes, 0), axis=0)
    allowed = np.maximum(units * float(info.eps) * size, 4 * float(info.smallest_subnormal))
    near = [np.abs(w.astype(np.longdouble) - g) <= allowed for w, g in _parts(want, got)]
    same = [(w == g) | (np.isnan(w) & np.isnan(g)) for w, g in _parts(want, got)]
    return ~np.all([n | s for n, s in zip(near, same, strict=True)], axis=0)


def _parts(want: np.ndarray, got: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(want.real, got.real), (want.imag, got.imag)]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", UNARY)
def test_in_range(op: str, kind: str, target: str) -> None:
    z, want = _points(kind), _expected(op, kind)
    with np.errstate(all="ignore"):
        got = _run(op, kind, target, z)
        wrong = _wrong(want, got, kind, 300 if op == "stablehlo.logistic" else 8)  # beside its poles 1 + exp(z) cancels
    assert list(zip(z[wrong], want[wrong], got[wrong], strict=True)) == []


@cache
def _pairs(op: str, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """60 pairs of numbers: exponents of small size, arguments of atan2 not so far apart that their squares' sum is one of them."""
    generator = np.random.default_rng(5)
    lhs, rhs = (generator.choice(_points(kind), 60) for _ in range(2))
    if op == "stablehlo.power":
        rhs = (generator.uniform(-3, 3, 60) + 1j * generator.uniform(-3, 3, 60)).astype(lhs.dtype)
    if op == "stablehlo.atan2":
        with np.errstate(all="ignore"):
            rhs = (lhs * generator.uniform(-3, 3, 60) * np.exp(1j * generator.uniform(-3, 3, 60))).astype(lhs.dtype)
        keep = np.isfinite(rhs) & (np.abs(rhs) > 1e-30)
        lhs, rhs = lhs[keep], rhs[keep]
    with mpmath.workprec(KINDS[kind][1]):
        want = [
            _rounded(BINARY[op](mpmath.mpmathify(complex(a)), mpmath.mpmathify(complex(b))), kind)
            for a, b in zip(lhs, rhs)
        ]
    return lhs, rhs, np.array(want)


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", BINARY)
def test_pairs_in_range(op: str, kind: str, target: str) -> None:
    """A power's angle and logarithm are rounded before the exponential: some thousand units of the largest ones."""
    lhs, rhs, want = _pairs(op, kind)
    with np.errstate(all="ignore"):
        got = _run(op, kind, target, lhs, rhs)
        wrong = _wrong(want, got, kind, {"stablehlo.power": 4000, "stablehlo.atan2": 64}.get(op, 8))
    assert list(zip(lhs[wrong], rhs[wrong], want[wrong], got[wrong], strict=True)) == []


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
@pytest.mark.parametrize("op", AT_INFINITY)
def test_at_infinity(op: str, target: str) -> None:
    """Where an operand is NaN, or infinite in both parts, a result may be NaN that C99 gives a part; beside NaN zeros have no sign."""
    z = _grid([0.0, -0.0, 2.0, -0.5, np.inf, -np.inf, np.nan], "f64")
    with np.errstate(all="ignore"):
        want, got = AT_INFINITY[op](z), _run(op, "f64", target, z)
    is_open = np.isnan(z) | (np.isinf(z.real) & np.isinf(z.imag)) | np.isnan(want)
    for w, g in _parts(want, got):
        signed = np.isclose(g, w, 1e-14, 0) & (np.signbit(w) == np.signbit(g))
        same = np.isnan(g) & (np.isnan(w) | is_open) | signed | (is_open & (np.abs(w) == np.abs(g)))
        assert list(zip(z[~same], want[~same], got[~same], strict=True)) == []


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_parts_of_one_size_cancel_in_a_square(target: str) -> None:
    """(a + ia)^2 = 2 a^2 i, also where a + a overflows; infinite parts do not cancel."""
    z = np.array([3.4e38 + 3.4e38j, 1e20 + 2e20j, -3e38 + 3e38j, complex(np.inf, -np.inf)], np.complex64)
    with np.errstate(all="ignore"):
        got = _run("chlo.square", "f32", target, z)
    np.testing.assert_array_equal(got.real, [0, -np.inf, 0, np.nan])
    np.testing.assert_array_equal(got.imag, [np.inf, np.inf, -np.inf, -np.inf])


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_only_the_real_part_is_converted_to_a_boolean(target: str) -> None:
    """As to every other type that is not complex. https://openxla.org/stablehlo/spec#convert"""
    program = """func.func @main(%z: tensor<4xcomplex<f64>>) -> tensor<4xi1> {
      %r = stablehlo.convert %z : (tensor<4xcomplex<f64>>) -> tensor<4xi1>
      return %r : tensor<4xi1> }"""
    device = {"device": "model"} if target == "gpu" else {}
    z = np.array([-1, 1j, 1, complex(np.nan, 0)])
    assert hlo.compile(program, target=target, **device)(z)[0].tolist() == [True, False, True, True]


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_the_sign_of_zero_is_zero(target: str) -> None:
    """z / |z| has no value there."""
    z = np.array([0j, complex(-0.0, 0.0)])
    with np.errstate(all="ignore"):
        assert _run("stablehlo.sign", "f64", target, z).tolist() == [0, 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_log_plus_one_beside_the_unit_circle(kind: str, target: str) -> None:
    """|1 + z| is 1 but for digits that its terms 2 re and im^2 do not share: both parts are right, not the larger one alone."""
    im = np.array([1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 1.0])
    z = np.empty((3, 2 * im.size), KINDS[kind][0])
    z.imag = np.concatenate([im, -im])
    on_circle = (np.concatenate([im, im]) ** 2 / (-1 - np.sqrt(1 - np.concatenate([im, im]) ** 2))).astype(z.real.dtype)
    z.real = [on_circle, np.nextafter(on_circle, z.real.dtype.type(1)), np.nextafter(on_circle, z.real.dtype.type(-3))]
    z = z.reshape(-1)
    with mpmath.workprec(KINDS[kind][1]):
        exact = [mpmath.log(1 + mpmath.mpc(float(w.real), float(w.imag))) for w in z]
        want = np.array([complex(w) for w in exact])
    got = _run("stablehlo.log_plus_one", kind, target, z)
    for w, g in _parts(want, got):
        np.testing.assert_allclose(g, w, rtol=4 * np.finfo(g.dtype).eps, atol=0)


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_both_dialects_have_one_tangent(target: str) -> None:
    z = _grid([0.0, -0.5, 2.0, 1e10, 3e38, np.inf, -np.inf], "f32")
    with np.errstate(all="ignore"):
        ours, other = _run("chlo.tan", "f32", target, z), _run("stablehlo.tan", "f32", target, z)
    np.testing.assert_array_equal(ours, other)
    infinite = np.isinf(z.imag) & ~np.isnan(z.real)
    np.testing.assert_array_equal(ours[infinite].imag, np.sign(z[infinite].imag))


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_each_part_of_a_quotient_of_f32_is_rounded_once(target: str) -> None:
    """A part may be far smaller than the other one, where products cancel: the quotient is made of numbers of f64, where they are exact."""
    generator = np.random.default_rng(11)
    parts = generator.standard_normal((4, 2000)) * np.exp(generator.uniform(-20, 20, (4, 2000)))
    parts[3, ::2] = parts[0, ::2] * parts[2, ::2] / parts[1, ::2] * (1 + 1e-6 * generator.standard_normal(1000))
    a, b = ((re + 1j * im).astype(np.complex64) for re, im in (parts[:2], parts[2:]))
    exact = a.astype(np.clongdouble) / b.astype(np.clongdouble)
    for want, got in _parts(exact, _run("stablehlo.divide", "f32", target, a, b)):
        unit = np.spacing(np.maximum(np.abs(want), 2.0**-126).astype(np.float32))
        assert np.max(np.abs(got - want) / unit) <= 0.5001
