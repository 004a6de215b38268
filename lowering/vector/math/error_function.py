"""erf in f32: a polynomial near zero, 1 - exp(p(|x|)) beyond."""

from __future__ import annotations

from hlo.lowering.vector.math import coefficients as c
from hlo.lowering.vector.math.exponential import exp
from hlo.lowering.vector.math.number import Number, absolute, compare, copy_sign, horner, multiply_add, select


def erf(x: Number) -> Number:
    size = absolute(x)
    t = x * x
    near = multiply_add(x, horner(t, c.ERF_NEAR_F32), x)
    bounded = select(compare(size, ">", 3.95), 3.95, size)
    far = copy_sign(1.0 - exp(horner(bounded, c.ERFC_LOG_F32)), x)
    return select(compare(size, "<", 1.0), near, far)
