"""lgamma, digamma, polygamma and zeta in f64 StableHLO arithmetic. Used by legalize-chlo, which computes the functions
of narrower floats in f64 too: their formulas lose digits by cancellation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul

from hlo.dialect.chlo.functions import DigammaOp, LgammaOp, PolygammaOp, ZetaOp
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    absolute,
    ceil,
    constant_like,
    exp,
    floor,
    log,
    polynomial,
    power,
    select,
)
from hlo.lowering.stablehlo.chlo.gamma_coefficients import DIGAMMA_ROOT, F64, ROUNDED, Polynomials
from hlo.lowering.stablehlo.chlo.table import computes_in_f64
from hlo.lowering.stablehlo.constants import splat

_INFINITY, _NAN = float("inf"), float("nan")
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""B2, B4, ..., B20."""


@dataclass(frozen=True)
class _Precision:
    """How far series go. `large`: from here on the asymptotic series, of `asymptotic` terms, have the digits that
    count; `euler_maclaurin`: terms of that formula."""

    polynomials: Polynomials
    large: float
    asymptotic: int
    euler_maclaurin: int

    @staticmethod
    def of(is_rounded: bool) -> _Precision:
        return _ROUNDED if is_rounded else _WHOLE

    def tail(self, terms: Sequence[float], x: Tensor) -> Tensor:
        """The asymptotic series in x, lowest power first."""
        return polynomial(x, terms[: self.asymptotic][::-1])

    def steps_down(self, z: Tensor) -> list[Tensor]:
        """z - 1, z - 2, ... as far as numbers below `large` have to go to reach [1, 2]; what is not above 1 is no step of theirs."""
        return [z - float(i) for i in range(1, int(self.large) - 1)]


_WHOLE = _Precision(F64, large=10.0, asymptotic=8, euler_maclaurin=10)
_ROUNDED = _Precision(ROUNDED, large=5.0, asymptotic=6, euler_maclaurin=5)


@computes_in_f64(LgammaOp)
def lgamma(x: Tensor, is_rounded: bool) -> Tensor:
    """log |gamma(x)|; infinite at 0, the negative integers and both infinities. Small numbers by gamma(x) = (x - 1) gamma(x - 1)
    from a polynomial on [1, 2], large ones by Stirling's series (DLMF 5.11.1), negative ones reflected (DLMF 5.5.3)."""
    precision = _Precision.of(is_rounded)
    reflected = x < 0.0
    z = select(reflected, 1.0 - x, x)
    below_one, large = z < 1.0, z >= precision.large
    y, product = _to_one_two(z), constant_like(x, 1.0)
    for below in precision.steps_down(z):
        product = select(below > 1.0, product * below, product)
    zeros = select(below_one, z * (z - 1.0), (y - 1.0) * (y - 2.0))  # z + 1 is rounded
    near = zeros * polynomial(y - 1.5, precision.polynomials.lgamma[::-1])
    logarithm = log(select(below_one | large, z, product))
    moderate = near + select(below_one, -logarithm, logarithm)
    inverse = 1.0 / z
    series = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1)]
    tail = inverse * precision.tail(series, inverse * inverse) + (0.5 * math.log(2 * math.pi) - 0.5)
    direct = select(large, (z - 0.5) * (logarithm - 1.0) + tail, moderate)
    distance = _from_integer(x)
    sine = absolute(distance) * polynomial(distance * distance, precision.polynomials.sine[::-1])
    result = select(reflected, log(math.pi / sine) - direct, direct)
    if not is_rounded:
        result = select(absolute(x) < 1e-200, -log(absolute(x)), result)  # pi x has few digits where x is denormal
    pole = absolute(x).equals(_INFINITY) | ((x <= 0.0) & x.equals(floor(x)))
    return select(pole, constant_like(x, _INFINITY), result)


def _to_one_two(z: Tensor) -> Tensor:
    """The number of [1, 2] that z is whole steps away from, z >= 0 and not large."""
    above = z - select(z > 2.0, ceil(z) - 2.0, constant_like(z, 0.0))
    return select(z < 1.0, z + 1.0, above)


def _from_integer(x: Tensor) -> Tensor:
    """The distance, from -1/2 to 1/2, from the nearest integer: it is exact."""
    return x - floor(x + 0.5)


@computes_in_f64(DigammaOp)
def digamma(x: Tensor, is_rounded: bool) -> Tensor:
    """The derivative of lgamma; NaN at its poles, 0 and the negative integers. Small numbers by psi(x) = psi(x - 1) + 1 / (x - 1)
    from a polynomial on [1, 2], large ones by an asymptotic series (DLMF 5.5.2, 5.11.2), negative ones reflected (DLMF 5.5.4)."""
    precision = _Precision.of(is_rounded)
    reflected = x < 0.0
    z = select(reflected, 1.0 - x, x)
    y, inverse = _to_one_two(z), 1.0 / z
    near = ((y - DIGAMMA_ROOT[0]) - DIGAMMA_ROOT[1]) * polynomial(y - 1.5, precision.polynomials.digamma[::-1])
    moderate = select(z < 1.0, near - inverse, near)
    for below in precision.steps_down(z)[::-1]:
        moderate = select(below > 1.0, moderate + 1.0 / below, moderate)
    square = inverse * inverse
    series = [b / (2 * k) for k, b in enumerate(_BERNOULLI, 1)]
    large = log(z) - 0.5 * inverse - square * precision.tail(series, square)
    direct = select(z < precision.large, moderate, large)
    distance = _from_integer(x)
    cotangent = polynomial(distance * distance, precision.polynomials.cotangent[::-1]) / distance
    result = select(reflected, direct - cotangent, direct)
    pole = (x <= 0.0) & x.equals(floor(x))
    return select(pole, constant_like(x, _NAN), result)


@computes_in_f64(ZetaOp)
def zeta(s: Tensor, q: Tensor, is_rounded: bool) -> Tensor:
    """Hurwitz' zeta function sum (k + q)^-s for s > 1 by the Euler-Maclaurin formula (DLMF 25.11.43). Infinite at s = 1;
    NaN for s < 1; for q <= 0 NaN unless s is an integer, infinite at integers if s is even: of odd s it has another sign
    on each side of its poles there."""
    shift = 9
    inverse_power = _inverse_power(s, is_rounded)
    total, term = inverse_power(q), q
    for _ in range(shift):
        term = term + 1.0
        last = inverse_power(term)
        total = total + last
    total = total + last * term / (s - 1.0) - last * 0.5
    total = total + _euler_maclaurin_tail(s, term, last, _Precision.of(is_rounded).euler_maclaurin)
    not_positive = q <= 0.0
    total = select(not_positive & s.differs(floor(s)), constant_like(s, _NAN), total)
    pole = select(_is_odd(s), constant_like(s, _NAN), constant_like(s, _INFINITY))
    total = select(not_positive & s.equals(floor(s)) & q.equals(floor(q)), pole, total)
    total = select(s < 1.0, constant_like(s, _NAN), total)
    return select(s.equals(1.0), constant_like(s, _INFINITY), total)


_FEW = 8
"""A known exponent up to which a power is a product."""


def _inverse_power(s: Tensor, is_rounded: bool) -> Callable[[Tensor], Tensor]:
    """x to x ** -s; of negative x where s is an integer. Where results are rounded, f64's exponential of -s log |x| has
    digits enough: in their range it is up to 104, times f64's precision."""
    if not is_rounded:
        return lambda x: power(x, -s)
    known = splat(s.value)
    if known is not None and known.is_integer() and 1 <= known <= _FEW:
        return lambda x: 1.0 / reduce(mul, [x] * int(known))
    odd = _is_odd(s)

    def of(x: Tensor) -> Tensor:
        magnitude = exp(-s * log(absolute(x)))
        return select((x < 0.0) & odd, -magnitude, magnitude)

    return of


def _euler_maclaurin_tail(s: Tensor, a: Tensor, power_of_a: Tensor, terms: int) -> Tensor:
    """sum B2k / (2k)! s (s+1) ... (s+2k-2) a^-(s+2k-1)."""
    total, inverse = constant_like(s, 0.0), 1.0 / a
    factor, square = s * power_of_a * inverse, inverse * inverse
    for k, bernoulli in enumerate(_BERNOULLI[:terms], 1):
        total = total + factor * (bernoulli / math.factorial(2 * k))
        factor = factor * ((s + float(2 * k - 1)) * (s + float(2 * k)) * square)
    return total


@computes_in_f64(PolygammaOp)
def polygamma(n: Tensor, x: Tensor, is_rounded: bool) -> Tensor:
    """The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x) (DLMF 5.15.1, 25.11.12); NaN for n no natural
    number."""
    order = _known(n)
    if order == 0.0:
        return digamma(x, is_rounded)
    if order is not None and 0.0 < order <= 22.0 and order.is_integer():
        magnitude = zeta(constant_like(n, order + 1.0), x, is_rounded) * float(math.factorial(int(order)))
        return magnitude if order % 2 else -magnitude
    magnitude = _factorial(n, is_rounded) * zeta(n + 1.0, x, is_rounded)
    signed = select(_is_odd(n), magnitude, -magnitude)
    result = select(n.equals(0.0), digamma(x, is_rounded), signed)
    return select((n < 0.0) | n.differs(floor(n)), constant_like(n, _NAN), result)


def _known(n: Tensor) -> float | None:
    """The number that all elements of a constant are, or of one that is made wider."""
    widened = made_by(n.value, "stablehlo.convert")
    return splat(n.value if widened is None else widened.operands[0])


def _is_odd(n: Tensor) -> Tensor:
    """Of integers."""
    return (n * 0.5).differs(floor(n * 0.5))


def _factorial(n: Tensor, is_rounded: bool) -> Tensor:
    """n! of natural numbers: exact up to 22!, which is the last that f64 holds; exp(lgamma) would lose a unit for each
    unit of the logarithm."""
    product = constant_like(n, 1.0)
    for k in range(2, 23):
        product = product * select(n >= float(k), constant_like(n, float(k)), constant_like(n, 1.0))
    return select(n > 22.0, exp(lgamma(n + 1.0, is_rounded)), product)
