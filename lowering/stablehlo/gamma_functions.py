"""lgamma, digamma, polygamma and zeta in f64 StableHLO arithmetic. Used by legalize-chlo, which computes the functions
of narrower floats in f64 too: their formulas lose digits by cancellation."""

from __future__ import annotations

import math

from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    absolute,
    constant_like,
    cos,
    exp,
    floor,
    log,
    log1p,
    polynomial,
    power,
    select,
    sin,
)

_INFINITY, _NAN = float("inf"), float("nan")
# Lanczos' approximation with g = 7: P. Godfrey, "A note on the computation of the convergent Lanczos complex Gamma
# approximation" (2001).
_LANCZOS_G = 7.0
_LANCZOS_BASE = 0.99999999999980993227684700473478
_LANCZOS = (
    676.520368121885098567009190444019,
    -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,
    -176.61502916214059906584551354,
    12.507343278686904814458936853,
    -0.13857109526572011689554707,
    9.984369578019570859563e-6,
    1.50563273514931155834e-7,
)
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""B2, B4, ..., B20."""


def lgamma(x: Tensor) -> Tensor:
    """log |gamma(x)|; infinite at 0, the negative integers and both infinities. Below 1/2 by the reflection formula."""
    reflected = x < 0.5
    z = select(reflected, -x, x - 1.0)
    total = constant_like(x, _LANCZOS_BASE)
    for i, coefficient in enumerate(_LANCZOS):
        total = total + constant_like(x, coefficient) / (z + float(i + 1))
    base = z + (_LANCZOS_G + 0.5)
    log_base = log1p(z / (_LANCZOS_G + 0.5)) + math.log(_LANCZOS_G + 0.5)
    direct = (z + 0.5 - base / log_base) * log_base + (0.5 * math.log(2 * math.pi)) + log(total)
    result = select(reflected, math.log(math.pi) - log(absolute(_sin_pi(x))) - direct, direct)
    result = select(absolute(x - 1.5).equals(0.5), constant_like(x, 0.0), result)  # exactly 0 at 1 and 2
    result = select(absolute(x) < 1e-200, -log(absolute(x)), result)  # pi x has few digits where x is denormal
    pole = absolute(x).equals(_INFINITY) | ((x <= 0.0) & x.equals(floor(x)))
    return select(pole, constant_like(x, _INFINITY), result)


def digamma(x: Tensor) -> Tensor:
    """The derivative of lgamma; NaN at its poles, 0 and the negative integers. An asymptotic series from 10 on, reached by
    psi(x) = psi(x + 1) - 1 / x (DLMF 5.5.2, 5.11.2), and reflected below 1/2 (DLMF 5.5.4)."""
    reflected = x < 0.5
    z = select(reflected, 1.0 - x, x)
    steps = constant_like(x, 0.0)
    for i in range(10):
        steps = steps + 1.0 / (z + float(i))
    small = z < 10.0
    y = select(small, z + 10.0, z)
    square = 1.0 / (y * y)
    series = [b / (2 * k) for k, b in enumerate(_BERNOULLI[:8], 1)]
    tail = square * polynomial(square, series[::-1])
    direct = log(y) - 0.5 / y - tail - select(small, steps, 0.0)
    fraction = x - floor(x + 0.5)
    angle = fraction * math.pi
    reflection = direct - constant_like(x, math.pi) * cos(angle) / sin(angle)
    result = select(reflected, reflection, direct)
    pole = (x <= 0.0) & x.equals(floor(x))
    return select(pole, constant_like(x, _NAN), result)


def zeta(s: Tensor, q: Tensor) -> Tensor:
    """Hurwitz' zeta function sum (k + q)^-s for s > 1 by the Euler-Maclaurin formula (DLMF 25.11.43). Infinite at s = 1;
    NaN for s < 1; for q <= 0 NaN unless s is an integer, infinite at integers if s is even: of odd s it has another sign
    on each side of its poles there."""
    shift = 9
    total, term = power(q, -s), q
    for _ in range(shift):
        term = term + 1.0
        total = total + power(term, -s)
    last = power(term, -s)
    total = total + last * term / (s - 1.0) - last * 0.5
    total = total + _euler_maclaurin_tail(s, term, last)
    not_positive = q <= 0.0
    total = select(not_positive & s.differs(floor(s)), constant_like(s, _NAN), total)
    pole = select(_is_odd(s), constant_like(s, _NAN), constant_like(s, _INFINITY))
    total = select(not_positive & s.equals(floor(s)) & q.equals(floor(q)), pole, total)
    total = select(s < 1.0, constant_like(s, _NAN), total)
    return select(s.equals(1.0), constant_like(s, _INFINITY), total)


def _euler_maclaurin_tail(s: Tensor, a: Tensor, power_of_a: Tensor) -> Tensor:
    """sum B2k / (2k)! s (s+1) ... (s+2k-2) a^-(s+2k-1)."""
    total = constant_like(s, 0.0)
    factor = s * power_of_a / a
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + factor * (bernoulli / math.factorial(2 * k))
        factor = factor * (s + float(2 * k - 1)) * (s + float(2 * k)) / (a * a)
    return total


def polygamma(n: Tensor, x: Tensor) -> Tensor:
    """The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x) (DLMF 5.15.1, 25.11.12); NaN for n no natural
    number."""
    magnitude = _factorial(n) * zeta(n + 1.0, x)
    signed = select(_is_odd(n), magnitude, -magnitude)
    result = select(n.equals(0.0), digamma(x), signed)
    return select((n < 0.0) | n.differs(floor(n)), constant_like(n, _NAN), result)


def _is_odd(n: Tensor) -> Tensor:
    """Of integers."""
    return (n * 0.5).differs(floor(n * 0.5))


def _factorial(n: Tensor) -> Tensor:
    """n! of natural numbers: exact up to 22!, which is the last that f64 holds; exp(lgamma) would lose a unit for each
    unit of the logarithm."""
    product = constant_like(n, 1.0)
    for k in range(2, 23):
        product = product * select(n >= float(k), constant_like(n, float(k)), constant_like(n, 1.0))
    return select(n > 22.0, exp(lgamma(n + 1.0)), product)


def _sin_pi(x: Tensor) -> Tensor:
    """|sin(pi x)| of the distance to the nearest integer, which is exact."""
    return sin((x - floor(x + 0.5)) * math.pi)
