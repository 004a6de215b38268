"""tanh through exp(2x) - 1; small arguments stay exact."""

from __future__ import annotations

from hlo.lowering.vector.math.exponential import expm1
from hlo.lowering.vector.math.number import Number, absolute, compare, copy_sign, fma, select

SATURATED = {32: 10.0, 64: 20.0}


def tanh(x: Number) -> Number:
    """tanh|x| = e / (e + 2), e = exp(2|x|) - 1; for small |x| what rounding e + 2 lost is made good."""
    size = absolute(x)
    size = select(compare(size, ">", SATURATED[x.bits]), SATURATED[x.bits], size)
    e = expm1(size + size)
    divisor = e + 2.0
    lost = select(compare(size, "<", 0.4), e - (divisor - 2.0), 0.0)
    quotient = e / divisor
    return copy_sign(fma(quotient * lost, -0.48, quotient), x)
