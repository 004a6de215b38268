"""The functions of the chlo dialect, in f64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hlo.dialect.chlo import functions as ops
from hlo.reference.table import evaluates
from hlo.reference.values import bit_width, narrow, wide, widest


def _each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    return np.vectorize(function, otypes=[np.float64])


def _erf_inv(y: float) -> float:
    """Bisection's start, Newton's end."""
    if not -1 < y < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    logarithm = math.log1p(-y * y)
    outer = 2 / (math.pi * 0.147) + logarithm / 2
    x = math.copysign(math.sqrt(math.sqrt(outer * outer - logarithm / 0.147) - outer), y)
    for _ in range(4 if y else 0):
        error = math.erf(x) - y if abs(y) < 0.5 else math.copysign(1, y) * ((1 - abs(y)) - math.erfc(abs(x)))
        x -= error * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return x if y else y


def _lgamma(x: float) -> float:
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def _digamma(x: float) -> float:
    if math.isinf(x) or math.isnan(x):
        return x if x > 0 else math.nan
    if x <= 0 and x == math.floor(x):
        return math.nan
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * (x - math.floor(x + 0.5)))
    below = 0.0
    while x < 10:
        below, x = below - 1 / x, x + 1
    s = 1 / (x * x)
    tail = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * 691 / 32760)))))
    return below + math.log(x) - 0.5 / x - tail


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _zeta(x: float, q: float) -> float:
    """Hurwitz' zeta by Euler and Maclaurin."""
    if x <= 1 or math.isnan(x) or math.isnan(q):
        return math.inf if x == 1 else math.nan
    if q <= 0 and q == math.floor(q):
        return math.inf if x % 2 == 0 else math.nan
    if q < 0 and x != math.floor(x):
        return math.nan
    total = 0.0
    while q < 12:
        total, q = total + q**-x, q + 1
    total += q ** (1 - x) / (x - 1) + q**-x / 2
    rising, power, factorial = x, q ** (-x - 1), 2.0
    for k, number in enumerate(BERNOULLI, 1):
        total += number / factorial * rising * power
        rising *= (x + 2 * k - 1) * (x + 2 * k)
        power /= q * q
        factorial *= (2 * k + 1) * (2 * k + 2)
    return total


def _polygamma(n: float, x: float) -> float:
    if not (math.isfinite(n) and n >= 0 and n == math.floor(n)):
        return math.nan
    return _digamma(x) if n == 0 else (-1) ** (int(n) + 1) * math.gamma(n + 1) * _zeta(n + 1, x)


def _bessel_i1e(x: np.ndarray) -> np.ndarray:
    """exp(-|x|) I1(x): its power series up to 8; the mean of exp(|x| (cos t - 1)) cos t; Hankel's asymptotic series from
    60 on."""
    angles = (np.arange(512) + 0.5) * math.pi / 512
    size = np.abs(np.asarray(x, np.float64))
    mean = np.mean(np.exp(size[..., None] * (np.cos(angles) - 1)) * np.cos(angles), axis=-1)
    large = np.maximum(size, 60)
    series, term = np.zeros(size.shape), np.ones(size.shape)
    for k in range(1, 31):
        series, term = series + term, term * ((2 * k - 1) ** 2 - 4) / (8 * k * large)
    series /= math.sqrt(2 * math.pi) * np.sqrt(large)
    term, power = np.minimum(size, 8) / 2, np.zeros(size.shape)
    for k in range(1, 40):
        power, term = power + term, term * (np.minimum(size, 8) / 2) ** 2 / (k * (k + 1))
    return np.copysign(np.where(size > 60, series, np.where(size <= 8, power * np.exp(-size), mean)), x)


def _asin_acos_kernel(z: np.ndarray) -> np.ndarray:
    """The real part of sqrt(1 - z) sqrt(1 + z), which far out is the size of im z, and the size of the imaginary part of
    arcsin(z)."""
    is_far = np.maximum(np.abs(z.real), np.abs(z.imag)) > 1e9
    near = np.where(is_far, 0, z)
    result = np.empty(z.shape, z.dtype)
    result.real = np.where(is_far, np.abs(z.imag), (np.sqrt(1 - near) * np.sqrt(1 + near)).real)
    result.imag = np.abs(np.arcsin(z).imag)
    return result


def _square(x: np.ndarray) -> np.ndarray:
    """Of complex numbers: (a + b) (a - b) and 2 a b, which overflow only where the square does."""
    if x.dtype.kind != "c":
        return np.square(x)
    a, b = x.real.astype(np.longdouble), x.imag.astype(np.longdouble)
    result = np.empty(x.shape, x.dtype)
    result.real, result.imag = (a - b) * (a + b), 2 * a * b
    return result


UNARY: dict[Any, Callable[[np.ndarray], np.ndarray]] = {
    ops.AcosOp: np.arccos,
    ops.AcoshOp: np.arccosh,
    ops.AsinOp: np.arcsin,
    ops.AsinAcosKernelOp: _asin_acos_kernel,
    ops.AsinhOp: np.arcsinh,
    ops.AtanOp: np.arctan,
    ops.AtanhOp: np.arctanh,
    ops.BesselI1eOp: _bessel_i1e,
    ops.ConjOp: np.conj,
    ops.CoshOp: np.cosh,
    ops.DigammaOp: _each(_digamma),
    ops.ErfOp: _each(math.erf),
    ops.ErfInvOp: _each(_erf_inv),
    ops.ErfcOp: _each(math.erfc),
    ops.LgammaOp: _each(_lgamma),
    ops.SinhOp: np.sinh,
    ops.SquareOp: _square,
    ops.TanOp: np.tan,
    ops.IsInfOp: np.isinf,
    ops.IsNegInfOp: np.isneginf,
    ops.IsPosInfOp: np.isposinf,
    ops.PolygammaOp: np.vectorize(_polygamma, otypes=[np.float64]),
    ops.ZetaOp: np.vectorize(_zeta, otypes=[np.float64]),
}


def _register() -> None:
    for op, function in UNARY.items():

        def evaluate(call: Any, *operands: np.ndarray, function: Callable = function) -> np.ndarray:
            return narrow(function(*map(widest, operands)), call.dtype())

        evaluates(op, elementwise=True)(evaluate)


_register()


@evaluates(ops.NextAfterOp, elementwise=True)
def evaluate_next_after(call, x, y):
    """The neighbour of x towards y in the type itself."""
    return np.nextafter(x, y)


@evaluates(ops.MulhiOp, elementwise=True)
def evaluate_mulhi(call, lhs, rhs):
    """The upper half of the product."""
    width = bit_width(lhs.dtype)
    product = wide(lhs).astype(object) * wide(rhs).astype(object)
    return narrow(np.array(product >> width), call.dtype())
