"""erf in f32: a polynomial of each of 16 steps where an instruction looks up coefficients; elsewhere one near zero and 1 - exp(p(|x|)) beyond.
To the precision of bf16 and f16 one polynomial."""

from __future__ import annotations

from math import pi, sqrt

from hlo.lowering.numbers import Number, select
from hlo.lowering.vector.math import coefficients as c
from hlo.lowering.vector.math.exponential import clamp, exp
from hlo.lowering.vector.math.exponents import ARITHMETIC, Exponents
from hlo.lowering.vector.math.operations import LOW_BITS, fma, horner, multiply_add

NARROW_ONE = 2.75
"""From here on erf in bf16 and f16 is 1."""
STEPS_ONE = 3.93
"""From here on erf in f32 is 1, and so is the polynomial of the last step."""


def erf(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    if exponents.has_tables:
        return _erf_by_steps(x, exponents)
    size = abs(x)
    t = x * x
    near = multiply_add(x, horner(t, c.ERF_NEAR_F32), x)
    bounded = select(size > 3.95, 3.95, size)
    far = (1.0 - exp(horner(bounded, c.ERFC_LOG_F32), exponents)).math("copysign", x)
    return select(size < 1.0, near, far)


def _erf_by_steps(x: Number, tables: Exponents) -> Number:
    """A polynomial around the nearest whole number of steps, whose coefficients are looked up by that number: the lowest bits of
    a sum. The difference from there is exact. In the first two steps it is one of x itself, x + x p(x). A NaN goes through."""
    size = abs(x)
    bounded = select(size > STEPS_ONE, STEPS_ONE, size)
    sum = fma(bounded, 1 / c.ERF_STEP, LOW_BITS[x.width])
    step = sum - LOW_BITS[x.width]
    is_near = step < 2.0
    start, *coefficients = (tables.look_up(list(power), sum.bits()) for power in zip(*c.ERF_STEPS_F32))
    rest = select(is_near, bounded, fma(step, -c.ERF_STEP, bounded))
    *lower, result = coefficients
    for coefficient in reversed(lower):
        result = fma(result, rest, coefficient)
    return fma(result, rest, select(is_near, bounded, start)).math("copysign", x)


def narrow_erf(x: Number) -> Number:
    """What erf in bf16 or f16 is rounded from."""
    bounded = clamp(x, -NARROW_ONE, NARROW_ONE)
    t = bounded * bounded
    return bounded * multiply_add(t, horner(t, c.ERF_NARROW), 2 / sqrt(pi))
