"""sin, cos, tan, atan, atan2. f32 angles are reduced as pairs of f32 numbers, good to 2^22 (those of tan, and on
processors without fused multiplications all, in f64 arithmetic, good to 2^31); larger ones are left to libm. Angles
that are bf16 or f16 numbers stay further away from the multiples of pi/2: they are reduced in f32 alone, good to
2^20."""

from __future__ import annotations

from collections.abc import Callable

from hlo.lowering.llvm.math import coefficients as c
from hlo.lowering.llvm.math.operations import LOW_BITS, float_from_bits, fma, horner, multiply_add, narrow, widen
from hlo.lowering.numbers import Number, select
from hlo.lowering.pair import two_product, two_sum

TWO_OVER_PI = 0.6366197723675814
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
LARGEST = {32: 2.0**31, 64: 2.0**25}
"""Up to here the reduction keeps full accuracy."""
HALF_PI_F32 = (1.57079637050628662109375, -4.371139000186243e-08, -1.7151245100059e-15)
LARGEST_NARROW = 2.0**20
"""The same for bf16 angles; those in f16 are all below."""
LARGEST_PAIR = 2.0**22
"""The same for f32 angles that are reduced as pairs: the number of quarter circles is one that `LOW_BITS` rounds."""


def reduce(x: Number) -> tuple[Number, Number]:
    """The quadrant (the lowest bits of an integer) and the rest r in [-pi/4, pi/4] of an f64 angle. No conversion to
    an integer: that of a NaN has no value, and with a NaN that is known while compiling neither has what follows."""
    n = (x * TWO_OVER_PI).math("roundeven")
    r = multiply_add(n, -HALF_PI[1], fma(n, -HALF_PI[0], x))
    return (n + LOW_BITS[64]).bits(), multiply_add(n, -HALF_PI[2], r)


def _sin_cos(r: Number) -> tuple[Number, Number]:
    """Both, to the accuracy of f32."""
    t = r * r
    sine = multiply_add(t * r, horner(t, c.SIN_F32), r)
    cosine = multiply_add(t * t, horner(t, c.COS_F32), multiply_add(t, -0.5, 1.0))
    return sine, cosine


def _reduce_f64(x: Number) -> tuple[Number, Number, Number]:
    """As `reduce`, and what r lacks of the rest. x - n pi/2 by the first part of pi/2 is exact (its last bit is not below
    2^-53), of the difference to the second part the error is known."""
    n = (x * TWO_OVER_PI).math("roundeven")
    second = two_product(n, x.of(-HALF_PI[1]))
    rest = two_sum(fma(n, -HALF_PI[0], x), second.high)
    return (n + LOW_BITS[64]).bits(), rest.high, rest.low + multiply_add(n, -HALF_PI[2], second.low)


def _reduce_narrow(x: Number) -> tuple[Number, Number]:
    """As `reduce`, of bf16 and f16 angles in f32: the sum with LOW_BITS rounds n, and leaves it in the number's low bits."""
    rounded = fma(x, TWO_OVER_PI, LOW_BITS[32])
    n = rounded - LOW_BITS[32]
    return rounded.bits(), fma(n, -HALF_PI_F32[1], fma(n, -HALF_PI_F32[0], x))


def _reduce_pair(x: Number) -> tuple[Number, Number, Number]:
    """As `reduce`, and what r lacks of the rest, in f32. x - n pi/2 by the first part of pi/2 is exact: a multiple of 2^-23 below 1."""
    rounded = fma(x, TWO_OVER_PI, LOW_BITS[32])
    n = rounded - LOW_BITS[32]
    first, second = fma(n, -HALF_PI_F32[0], x), two_product(n, x.of(HALF_PI_F32[1]))
    r = first - second.high
    lost = ((first - r) - second.high) - second.low
    return rounded.bits(), r, fma(n, -HALF_PI_F32[2], lost)


def _sin_cos_pair(r: Number, lost: Number) -> tuple[Number, Number]:
    """Of r + lost, in f32."""
    t = r * r
    sine = r + fma(t * r, horner(t, c.SIN_F32), lost)
    cosine = fma(t, -0.5, 1.0) + fma(t * t, horner(t, c.COS_F32), -(r * lost))
    return sine, cosine


def _sin_cos_f64(r: Number, lost: Number) -> tuple[Number, Number]:
    """Of r + lost; the last operation of each adds something small, and so rounds almost alone."""
    t = r * r
    half = t * 0.5
    flat = 1.0 - half
    sine = r + multiply_add(t * r, horner(t, c.SIN_F64), lost * flat)
    cosine = flat + (((1.0 - flat) - half) + multiply_add(t * t, horner(t, c.COS_F64), -(r * lost)))
    return sine, cosine


Reduction = Callable[[Number], tuple[Number, Number, Number]]
"""The quadrant of an angle, and sin and cos of the rest."""


def at_full_precision(x: Number) -> tuple[Number, Number, Number]:
    if x.width == 64:
        quadrant, r, lost = _reduce_f64(x)
        return quadrant, *_sin_cos_f64(r, lost)
    quadrant, r = reduce(widen(x))
    return quadrant.resized(32, signed=True), *_sin_cos(narrow(r))


def of_narrow(x: Number) -> tuple[Number, Number, Number]:
    """Of a bf16 or f16 number, as f32."""
    quadrant, r = _reduce_narrow(x)
    return quadrant, *_sin_cos(r)


def by_pairs(x: Number) -> tuple[Number, Number, Number]:
    """Of an f32 angle, with fused multiplications."""
    quadrant, r, lost = _reduce_pair(x)
    return quadrant, *_sin_cos_pair(r, lost)


def _in_quadrant(x: Number, quarters: int, reduced: Reduction) -> Number:
    quadrant, sine, cosine = reduced(x)
    quadrant = quadrant + quarters
    value = select((quadrant & 1).equals(0), sine, cosine)
    sign = (quadrant & 2) << (x.width - 2)
    return float_from_bits(value.bits() ^ sign)


def sin(x: Number, reduced: Reduction = at_full_precision) -> Number:
    return select(x.equals(0.0), x, _in_quadrant(x, 0, reduced))


def cos(x: Number, reduced: Reduction = at_full_precision) -> Number:
    return _in_quadrant(x, 1, reduced)


def tan(x: Number) -> Number:
    """sin / cos, in f64; the sign changes with each quadrant."""
    if x.width == 64:
        return _quotient(x, *at_full_precision(x))
    quadrant, r = reduce(widen(x))
    return _quotient(x, quadrant, *_sin_cos(r))


def narrow_tan(x: Number) -> Number:
    return _quotient(x, *of_narrow(x))


def _quotient(x: Number, quadrant: Number, sine: Number, cosine: Number) -> Number:
    odd = (quadrant & 1).differs(0)
    result = select(odd, -cosine, sine) / select(odd, sine, cosine)
    result = narrow(result) if result.width > x.width else result
    return select(x.equals(0.0), x, result)


TAN_PI_8, QUARTER_PI = 0.4142135623730951, 0.7853981633974483


def _atan_up_to_one(z: Number) -> Number:
    """atan of z in [0, 1]. f64 rotates what is above tan(pi/8) by an eighth of a circle: atan(z) = pi/4 + atan((z-1)/(z+1))."""
    if z.width == 32:
        t = z * z
        return multiply_add(t * z, horner(t, c.ATAN_F32), z)
    above = z > TAN_PI_8
    rotated = select(above, (z - 1.0) / (z + 1.0), z)
    t = rotated * rotated
    rest = multiply_add(t * rotated, horner(t, c.ATAN_F64), select(above, HALF_PI[1] / 2, z.of(0.0)))
    return select(above, z.of(QUARTER_PI), 0.0) + (rotated + rest)


def atan(x: Number) -> Number:
    """Above 1 by atan(x) = pi/2 - atan(1/x)."""
    size = abs(x)
    above = size > 1.0
    value = _atan_up_to_one(select(above, 1.0 / size, size))
    return select(above, (HALF_PI[0] - value) + HALF_PI_REST[x.width], value).math("copysign", x)


HALF_PI_REST = {32: -4.371139e-08, 64: 6.123233995736766e-17}
"""What pi/2 lacks in each width."""


def atan2(y: Number, x: Number) -> Number:
    """The angle of (x, y), all quadrants, zeros and infinities as IEEE 754 says."""
    a, b = abs(y), abs(x)
    steep = a > b
    low, high = select(steep, b, a), select(steep, a, b)
    ratio = low / high
    ratio = select(low.equals(high), 1.0, ratio)  # inf/inf; 0/0 follows
    ratio = select(high.equals(0.0), 0.0, ratio)
    angle = _atan_up_to_one(ratio)
    angle = select(steep, (HALF_PI[0] - angle) + HALF_PI_REST[x.width], angle)
    left = x.bits() < 0
    angle = select(left, (3.141592653589793 - angle) + 2 * HALF_PI_REST[x.width], angle)
    result = angle.math("copysign", y)
    return select(x.is_nan(), x, select(y.is_nan(), y, result))
