"""erf in f32: a polynomial near zero, 1 - exp(p(|x|)) beyond; to the precision of bf16 and f16 one polynomial."""

from __future__ import annotations

from math import pi, sqrt

from hlo.lowering.vector.math import coefficients as c
from hlo.lowering.vector.math.exponential import clamp, exp
from hlo.lowering.vector.math.exponents import ARITHMETIC, Exponents
from hlo.lowering.vector.math.number import Number, absolute, compare, copy_sign, horner, multiply_add, select

NARROW_ONE = 2.75
"""From here on erf in bf16 and f16 is 1."""


def erf(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    size = absolute(x)
    t = x * x
    near = multiply_add(x, horner(t, c.ERF_NEAR_F32), x)
    bounded = select(compare(size, ">", 3.95), 3.95, size)
    far = copy_sign(1.0 - exp(horner(bounded, c.ERFC_LOG_F32), exponents), x)
    return select(compare(size, "<", 1.0), near, far)


def narrow_erf(x: Number) -> Number:
    """What erf in bf16 or f16 is rounded from."""
    bounded = clamp(x, -NARROW_ONE, NARROW_ONE)
    t = bounded * bounded
    return bounded * multiply_add(t, horner(t, c.ERF_NARROW), 2 / sqrt(pi))
