"""erf in f32: a polynomial of each of 16 or 8 steps where an instruction looks up coefficients; elsewhere one near zero
and 1 - exp(p(|x|)) beyond. To the precision of bf16 and f16 one polynomial."""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

from hlo.lowering.llvm.math import coefficients as c
from hlo.lowering.llvm.math.exponential import clamp, exp
from hlo.lowering.llvm.math.exponents import ARITHMETIC, Exponents
from hlo.lowering.llvm.math.operations import LOW_BITS, fma, horner, multiply_add
from hlo.lowering.numbers import Number, select

NARROW_ONE = 2.75
"""From here on erf in bf16 and f16 is 1."""
STEPS_ONE = 3.93
"""From here on erf in f32 is 1."""


class Steps(NamedTuple):
    """Polynomials around whole numbers of steps of `size`, with the value there in front; in the first `near` of them x is added.
    `reaches_one`: the last one is 1 where erf is, for which the value in front must be exact enough."""

    size: float
    polynomials: list[list[float]]
    near: int
    reaches_one: bool


STEPS = {8: Steps(c.ERF_LONG_STEP, c.ERF_LONG_STEPS_F32, 1, False), 16: Steps(c.ERF_STEP, c.ERF_STEPS_F32, 2, True)}
"""By the number of entries that an instruction looks up."""


def erf(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    if exponents.entries:
        return _erf_by_steps(x, exponents, STEPS[exponents.entries])
    size = abs(x)
    t = x * x
    near = multiply_add(x, horner(t, c.ERF_NEAR_F32), x)
    bounded = select(size > 3.95, 3.95, size)
    far = (1.0 - exp(horner(bounded, c.ERFC_LOG_F32), exponents)).math("copysign", x)
    return select(size < 1.0, near, far)


def _erf_by_steps(x: Number, tables: Exponents, steps: Steps) -> Number:
    """A polynomial around the nearest whole number of steps, whose coefficients are looked up by that number: the lowest bits of
    a sum. The difference from there is exact. In the first steps it is one of x itself, x + x p(x). A NaN goes through."""
    size = abs(x)
    bounded = select(size > STEPS_ONE, STEPS_ONE, size)
    sum = fma(bounded, 1 / steps.size, LOW_BITS[x.width])
    step = sum - LOW_BITS[x.width]
    is_near = step < float(steps.near)
    rest = fma(step, -steps.size, bounded)
    if steps.near > 1:
        rest = select(is_near, bounded, rest)
    start, *coefficients = (list(power) for power in zip(*steps.polynomials))
    result = tables.look_up(coefficients.pop(), sum.bits())
    while coefficients:
        result = fma(result, rest, tables.look_up(coefficients.pop(), sum.bits()))
    result = fma(result, rest, select(is_near, bounded, tables.look_up(start, sum.bits())))
    if not steps.reaches_one:
        result = select(size > STEPS_ONE, 1.0, result)
    return result.math("copysign", x)


def narrow_erf(x: Number) -> Number:
    """What erf in bf16 or f16 is rounded from."""
    bounded = clamp(x, -NARROW_ONE, NARROW_ONE)
    t = bounded * bounded
    return bounded * multiply_add(t, horner(t, c.ERF_NARROW), 2 / sqrt(pi))
