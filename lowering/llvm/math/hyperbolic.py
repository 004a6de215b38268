"""tanh through exp(2x) - 1; small arguments stay exact."""

from __future__ import annotations

from hlo.lowering.llvm.math.exponential import EXPM1, LN2, LOG2E
from hlo.lowering.llvm.math.exponents import BIAS
from hlo.lowering.llvm.math.operations import float_from_bits, fma, horner, multiply_add
from hlo.lowering.numbers import Number, select

SATURATED = {32: 10.0, 64: 20.0}
HALF_LN2 = {32: (0.34657359027997264,), 64: tuple(part / 2 for part in LN2[64])}
"""ln 2 / 2, in two parts where the error of one counts: 30 times the f32 nearest to it is within 2**-25."""


def tanh(x: Number) -> Number:
    """tanh|x| = e / (e + 2), e = exp(2|x|) - 1; for small |x| what rounding e + 2 lost is made good."""
    size = abs(x)
    e = _doubled_expm1(select(size > SATURATED[x.width], SATURATED[x.width], size))
    divisor = e + 2.0
    lost = select(size < 0.4, e - (divisor - 2.0), 0.0)
    quotient = e / divisor
    return multiply_add(quotient * lost, -0.48, quotient).math("copysign", x)


def _doubled_expm1(x: Number) -> Number:
    """exp(2x) - 1 for x from 0 to 20 (or NaN): 2x = n ln2 + 2u. Adding `whole`, whose last bit counts ones, rounds n, and leaves
    n and the exponent's bias in the number's low bits."""
    bias, shift = BIAS[x.width]
    whole = 1.5 * 2.0**shift + bias
    rounded = multiply_add(x, 2 * LOG2E, whole)
    n, u = rounded - whole, x
    step = fma if x.width == 32 else multiply_add  # a product of n and one of two parts is exact
    for part in HALF_LN2[x.width]:
        u = step(n, -part, u)
    power = float_from_bits(rounded.bits() << shift)
    p = multiply_add(horner(u, [4 * 2.0**k * c for k, c in enumerate(EXPM1[x.width])]), u * u, u + u)
    return multiply_add(power, p, power - 1.0)
