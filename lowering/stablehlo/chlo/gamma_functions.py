"""lgamma, digamma, polygamma and zeta in f64 StableHLO arithmetic. Used by legalize-chlo, which computes the functions
of narrower floats in f64 too: their formulas lose digits by cancellation."""

from __future__ import annotations

import math

from hlo.dialect.chlo.functions import DigammaOp, LgammaOp, PolygammaOp, ZetaOp
from hlo.lowering.finding import made_by
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    absolute,
    ceil,
    constant_like,
    cos,
    exp,
    floor,
    log,
    polynomial,
    power,
    select,
    sin,
)
from hlo.lowering.stablehlo.chlo.gamma_coefficients import DIGAMMA, DIGAMMA_ROOT, LGAMMA
from hlo.lowering.stablehlo.chlo.table import computes
from hlo.lowering.stablehlo.constants import splat

_INFINITY, _NAN = float("inf"), float("nan")
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""B2, B4, ..., B20."""


_LARGE = 10.0
"""From here on the asymptotic series have f64's digits."""


@computes(LgammaOp, "f64", is_long=True)
def lgamma(x: Tensor) -> Tensor:
    """log |gamma(x)|; infinite at 0, the negative integers and both infinities. Up to 10 by gamma(x) = (x - 1) gamma(x - 1)
    from a polynomial on [1, 2], beyond by Stirling's series (DLMF 5.11.1), negative ones reflected (DLMF 5.5.3)."""
    reflected = x < 0.0
    z = select(reflected, 1.0 - x, x)
    below_one, large = z < 1.0, z >= _LARGE
    y, product = _to_one_two(z), constant_like(x, 1.0)
    for below in _steps_down(z):
        product = select(below > 1.0, product * below, product)
    zeros = select(below_one, z * (z - 1.0), (y - 1.0) * (y - 2.0))  # z + 1 is rounded
    near = zeros * polynomial(y - 1.5, LGAMMA[::-1])
    logarithm = log(select(below_one | large, z, product))
    moderate = near + select(below_one, -logarithm, logarithm)
    inverse = 1.0 / z
    series = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI[:8], 1)]
    tail = inverse * polynomial(inverse * inverse, series[::-1]) + (0.5 * math.log(2 * math.pi) - 0.5)
    direct = select(large, (z - 0.5) * (logarithm - 1.0) + tail, moderate)
    result = select(reflected, log(math.pi / absolute(_sin_pi(x))) - direct, direct)
    result = select(absolute(x) < 1e-200, -log(absolute(x)), result)  # pi x has few digits where x is denormal
    pole = absolute(x).equals(_INFINITY) | ((x <= 0.0) & x.equals(floor(x)))
    return select(pole, constant_like(x, _INFINITY), result)


def _steps_down(z: Tensor) -> list[Tensor]:
    """z - 1, z - 2, ... as far as numbers below 10 have to go to reach [1, 2]; what is not above 1 is no step of theirs."""
    return [z - float(i) for i in range(1, int(_LARGE) - 1)]


def _to_one_two(z: Tensor) -> Tensor:
    """The number of [1, 2] that z is whole steps away from, z in [0, 10)."""
    above = z - select(z > 2.0, ceil(z) - 2.0, constant_like(z, 0.0))
    return select(z < 1.0, z + 1.0, above)


@computes(DigammaOp, "f64", is_long=True)
def digamma(x: Tensor) -> Tensor:
    """The derivative of lgamma; NaN at its poles, 0 and the negative integers. Up to 10 by psi(x) = psi(x - 1) + 1 / (x - 1)
    from a polynomial on [1, 2], beyond an asymptotic series (DLMF 5.5.2, 5.11.2), negative ones reflected (DLMF 5.5.4)."""
    reflected = x < 0.0
    z = select(reflected, 1.0 - x, x)
    y, inverse = _to_one_two(z), 1.0 / z
    near = ((y - DIGAMMA_ROOT[0]) - DIGAMMA_ROOT[1]) * polynomial(y - 1.5, DIGAMMA[::-1])
    moderate = select(z < 1.0, near - inverse, near)
    for below in _steps_down(z)[::-1]:
        moderate = select(below > 1.0, moderate + 1.0 / below, moderate)
    square = inverse * inverse
    series = [b / (2 * k) for k, b in enumerate(_BERNOULLI[:8], 1)]
    large = log(z) - 0.5 * inverse - square * polynomial(square, series[::-1])
    direct = select(z < _LARGE, moderate, large)
    angle = (x - floor(x + 0.5)) * math.pi
    reflection = direct - constant_like(x, math.pi) * cos(angle) / sin(angle)
    result = select(reflected, reflection, direct)
    pole = (x <= 0.0) & x.equals(floor(x))
    return select(pole, constant_like(x, _NAN), result)


@computes(ZetaOp, "f64", is_long=True)
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


@computes(PolygammaOp, "f64", is_long=True)
def polygamma(n: Tensor, x: Tensor) -> Tensor:
    """The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x) (DLMF 5.15.1, 25.11.12); NaN for n no natural
    number."""
    order = _known(n)
    if order == 0.0:
        return digamma(x)
    if order is not None and 0.0 < order <= 22.0 and order.is_integer():
        magnitude = zeta(n + 1.0, x) * float(math.factorial(int(order)))
        return magnitude if order % 2 else -magnitude
    magnitude = _factorial(n) * zeta(n + 1.0, x)
    signed = select(_is_odd(n), magnitude, -magnitude)
    result = select(n.equals(0.0), digamma(x), signed)
    return select((n < 0.0) | n.differs(floor(n)), constant_like(n, _NAN), result)


def _known(n: Tensor) -> float | None:
    """The number that all elements of a constant are, or of one that is made wider."""
    widened = made_by(n.value, "stablehlo.convert")
    return splat(n.value if widened is None else widened.operands[0])


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
