"""Elementwise ops on complex numbers, in real arithmetic that does not overflow where the result does not."""

from __future__ import annotations

import math

from mlir import ir

from hlo.lowering.linalg.scalar.floats import argument, is_finite
from hlo.lowering.numbers import ARITHMETIC, Complex, Number, select
from hlo.lowering.pair import two_sum

INFINITY = float("inf")


def absolute(z: Complex) -> Number:
    """sqrt(re^2 + im^2), scaled by the larger part; infinite if a part is."""
    x, y = abs(z.re), abs(z.im)
    large, small = x.arith("maximumf", y), x.arith("minimumf", y)
    ratio = small / large
    length = select(large.equals(0.0), large, large * (ratio * ratio + 1.0).math("sqrt"))
    return select(x.equals(INFINITY) | y.equals(INFINITY), INFINITY, length)


def divide(a: Complex, b: Complex) -> Complex:
    """a / b: infinite or NaN parts where b is zero, zero where a is finite and b infinite."""
    by = _divide_in_f64 if isinstance(a.re.type, ir.F32Type) else _divide_scaled
    quotient = select(is_zero(b), _times(a, a.re.of(INFINITY)), by(a, b))
    return _finite_by_infinite(a, b, quotient)


def _divide_in_f64(a: Complex, b: Complex) -> Complex:
    """a times the conjugate of b by |b|^2: products of f32 are exact in f64, and all that is finite fits with room to spare."""
    narrow, wide = a.re.type, ir.F64Type.get()
    (x, y), (u, v) = ((z.re.extended(wide), z.im.extended(wide)) for z in (a, b))
    inverse = x.of(1.0) / (u * u + v * v)
    return Complex(((x * u + y * v) * inverse).truncated(narrow), ((y * u - x * v) * inverse).truncated(narrow))


def _divide_scaled(a: Complex, b: Complex) -> Complex:
    """Smith's algorithm, which divides the divisor's smaller part by its larger one, on numbers scaled away from both ends of
    the range: there a sum of two products overflows or loses its bits although the quotient does not."""
    (a_scale, a_back), (b_scale, _) = _scaling(_larger_part(a), 1), _scaling(_larger_part(b), 1)
    a_near, b_near = _times(a, a_scale), _times(b, b_scale)
    real_larger = abs(b.re) >= abs(b.im)
    large, small = select(real_larger, b_near.re, b_near.im), select(real_larger, b_near.im, b_near.re)
    ratio = small / large
    denominator = large + small * ratio
    first = Complex(a_near.re + a_near.im * ratio, a_near.im - a_near.re * ratio)
    second = Complex(a_near.re * ratio + a_near.im, a_near.im * ratio - a_near.re)
    chosen = select(real_larger, first, second)
    return _times(Complex(chosen.re / denominator, chosen.im / denominator), b_scale * a_back)


def divide_by_real(a: Complex, b: Complex) -> Complex:
    """Smith's algorithm for a divisor whose imaginary part is 0.0. Both parts of the dividend stay in both quotients:
    times 0.0 they make NaN of infinities, as in `divide`."""
    ratio = b.im.math("copysign", b.re)
    is_zero = b.re.equals(0.0)
    re, im = select(is_zero, a.re, a.re + a.im * ratio), select(is_zero, a.im, a.im - a.re * ratio)
    divisor = select(is_zero, abs(b.re), b.re)
    return Complex(re / divisor, im / divisor)


def _times(z: Complex, factor: Number) -> Complex:
    return Complex(z.re * factor, z.im * factor)


def _finite_by_infinite(a: Complex, b: Complex, quotient: Complex) -> Complex:
    a_finite = (abs(a.re) < INFINITY) & (abs(a.im) < INFINITY)
    b_infinite = abs(b.re).equals(INFINITY) | abs(b.im).equals(INFINITY)
    zero = quotient.re.of(0.0)
    return select(a_finite & b_infinite, Complex(zero, zero), quotient)


def exponential(z: Complex) -> Complex:
    """exp(re) (cos im + i sin im); parts that fit although exp(re) does not are scaled in two steps. Where im has no angle,
    exp(-inf) is 0 and exp(inf) infinite (C99, G.6.3.1)."""
    shift = _exponent_shift(z.re)
    is_big = z.re > shift
    size = select(is_big, z.re - shift, z.re).math("exp")
    rest = select(is_big, z.re.of(shift).math("exp"), 1.0)
    re, im = (
        z.im.math("cos") * rest * size,
        z.im.math("sin") * rest * size,
    )  # a sine below the normal numbers grows first
    lacks_angle = ~is_finite(z.im)
    re = select(lacks_angle & z.re.equals(INFINITY), INFINITY, re)
    vanishes = lacks_angle & z.re.equals(-INFINITY)
    return Complex(select(vanishes, 0.0, re), select(vanishes, 0.0, select(z.im.equals(0.0), z.im, im)))


def _exponent_shift(x: Number) -> float:
    """A whole number below which exp does not overflow; up to twice as much, x - shift is exact."""
    return 80.0 if isinstance(x.type, ir.F32Type) else 700.0


def exponential_minus_one(z: Complex) -> Complex:
    half_sine = (z.im * 0.5).math("sin")
    minus_one = z.re.math("expm1")
    near = Complex(minus_one * z.im.math("cos") - 2.0 * half_sine * half_sine, (minus_one + 1.0) * z.im.math("sin"))
    whole = exponential(z)
    far = Complex(whole.re - 1.0, whole.im)
    return select(abs(z.re) < 1.0, near, far)


LN_2 = 0.6931471805599453


def exp2(z: Complex) -> Complex:
    """2^re (cos a + i sin a) of the angle a = im ln 2, in two steps, each of which fits; as `exponential` where there is no angle."""
    angle, half = z.im * LN_2, (z.re * 0.5).math("exp2")
    re, im = angle.math("cos") * half * half, angle.math("sin") * half * half
    limit = exponential(Complex(z.re, angle))
    im = select(z.im.equals(0.0), z.im, im)
    has_angle = is_finite(z.im)
    return Complex(select(has_angle, re, limit.re), select(has_angle, im, limit.im))


def log(z: Complex) -> Complex:
    return Complex(_log_absolute(z), argument(z.im, z.re))


def log2(z: Complex) -> Complex:
    natural = log(z)
    return Complex(natural.re / LN_2, natural.im / LN_2)


def _log_absolute(z: Complex) -> Number:
    """log |z|, whose square may neither fit nor cancel: log1p(|z|^2 - 1) / 2 where |z| is near 1 (with what the squares'
    rounding loses; what is subtracted first is so exactly), else log of the larger part and log1p of the parts' squared ratio."""
    x, y = abs(z.re), abs(z.im)
    large, small = x.arith("maximumf", y), x.arith("minimumf", y)
    first, second = large * large, small * small
    lost = large.math("fma", large, -first) + small.math("fma", small, -second)
    whole = first + second
    is_near = (whole > 0.5) & (whole < 4.0)
    ratio = select(large.equals(0.0), large, small / large)
    exact = select(first < 0.5, (first - 0.5) + (second - 0.5), (first - 1.0) + second)
    rest = select(is_near, exact + lost, ratio * ratio).math("log1p") * 0.5
    result = rest + select(is_near, 0.0, large.math("log"))
    return select(x.equals(INFINITY) | y.equals(INFINITY), INFINITY, result)


def log_plus_one(z: Complex) -> Complex:
    """The real part is log1p(|1 + z|^2 - 1) / 2 where |1 + z| is near 1: the circle on which it is 0 passes through numbers of
    every size."""
    sum_ = Complex(z.re + 1.0, z.im)
    excess = _excess_of_square(z)
    is_near = (excess > -0.5) & (excess < 3.0)
    return Complex(select(is_near, excess.math("log1p") * 0.5, _log_absolute(sum_)), argument(z.im, sum_.re))


def _excess_of_square(z: Complex) -> Number:
    """|1 + z|^2 - 1 = 2 re + im^2 + re^2, with what the squares and the sums lose."""
    total, lost = z.re * 2.0, z.re.of(0.0)
    squares = [(part * part, part) for part in (z.im, z.re)]
    for term in (*(square for square, _ in squares), *(part.math("fma", part, -square) for square, part in squares)):
        exact = two_sum(total, term)
        total, lost = exact.high, lost + exact.low
    return total + lost


def _hyperbolic(x: Number) -> tuple[Number, Number, Number]:
    """sinh and cosh divided by a factor, and the factor: 1, or where exp would overflow another. There x - shift is exact."""
    size = abs(x)
    minus_one = x.math("expm1")
    inverse = 1.0 / (minus_one + 1.0)
    shift = _exponent_shift(x)
    is_big = size > shift
    grows, falls = select(is_big, size - shift, size).math("exp") * 0.5, (-size).math("exp") * 0.5
    sinh = select(size < 1.0, (minus_one + minus_one * inverse) * 0.5, (grows - falls).math("copysign", x))
    return sinh, grows + falls, select(is_big, x.of(shift).math("exp"), 1.0)


def sine(z: Complex) -> Complex:
    sinh, cosh, factor = _hyperbolic(z.im)  # the factor first: a sine may be below the normal numbers
    return Complex(_product(z.re.math("sin") * factor, cosh), _product(z.re.math("cos") * factor, sinh))


def cosine(z: Complex) -> Complex:
    sinh, cosh, factor = _hyperbolic(z.im)
    return Complex(z.re.math("cos") * factor * cosh, -_product(z.re.math("sin") * factor, sinh))


def _product(a: Number, b: Number) -> Number:
    """A zero times a factor that is infinite or NaN stays a zero."""
    is_zero = a.equals(0.0) | b.equals(0.0)
    zero = a.of(0.0).math("copysign", a) * a.of(1.0).math("copysign", b)
    return select(is_zero, zero, a * b)


def _zero_or_product(a: Number, b: Number) -> Number:
    return select(a.equals(0.0), a, a * b)


def tanh(z: Complex) -> Complex:
    """Kahan's formulas; from |re| = 20 on, tanh(re) is 1 and only the imaginary part still falls. Where im has no angle,
    the result is NaN, unless re is infinite or 0, which it keeps (C11, G.6.2.6)."""
    tangent = z.im.math("tan")
    sinh, _, _ = _hyperbolic(z.re)  # where its factor is not 1, `far` is chosen
    beta = tangent * tangent + 1.0
    squared = sinh * sinh
    denominator = beta * squared + 1.0
    near = Complex(beta * (squared + 1.0).math("sqrt") * sinh / denominator, tangent / denominator)
    decay = (abs(z.re) * -2.0).math("exp") * 4.0
    one, zero = (z.re.of(size) for size in (1.0, 0.0))
    limit = one.math("copysign", z.re)
    rotation = z.im.math("sin") * z.im.math("cos")
    is_infinite = abs(z.re).equals(INFINITY)
    far = Complex(
        select(rotation.is_nan() & ~is_infinite, rotation, limit),
        select(is_infinite, zero.math("copysign", rotation), rotation * decay),
    )
    result = select(abs(z.re) > 20.0, far, near)
    return Complex(select(z.re.equals(0.0), z.re, result.re), select(z.im.equals(0.0), z.im, result.im))


def tan(z: Complex) -> Complex:
    """-i tanh(i z)"""
    rotated = tanh(Complex(-z.im, z.re))
    return Complex(rotated.im, -rotated.re)


def sqrt(z: Complex) -> Complex:
    """The root with a non-negative real part. Parts are scaled by a power of 4 that keeps |z| + |re| in range."""
    large = _larger_part(z)
    scale, back = _scaling(large, 2)
    x, y = abs(z.re) * scale, abs(z.im) * scale
    root = ((x + absolute(Complex(x, y))) * 0.5).math("sqrt")
    other = y / (root * 2.0)
    is_positive = z.re >= 0.0
    re = select(is_positive, root, other) * back
    im = (select(is_positive, other, root) * back).math("copysign", z.im)
    is_zero = large.equals(0.0)
    result = Complex(select(is_zero, 0.0, re), select(is_zero, z.im, im))
    return _sqrt_of_infinity(z, result)


def _larger_part(z: Complex) -> Number:
    return abs(z.re).arith("maximumf", abs(z.im))


def _scaling(large: Number, root: int) -> tuple[Number, Number]:
    """A factor that brings numbers whose larger part is near either end of the range into it, and what the root (of degree
    `root`) of the scaled number is to be multiplied by."""
    is_f32 = isinstance(large.type, ir.F32Type)
    big, tiny = (1e37, 1e-30) if is_f32 else (1e307, 1e-290)
    grown, shrunk = (24 if is_f32 else 60), 3
    scale = select(large > big, 2.0 ** (-shrunk * root), select(large < tiny, large.of(2.0 ** (grown * root)), 1.0))
    back = select(large > big, 2.0**shrunk, select(large < tiny, large.of(2.0**-grown), 1.0))
    return scale, back


def _sqrt_of_infinity(z: Complex, finite: Complex) -> Complex:
    zero, infinity = z.re.of(0.0), z.re.of(INFINITY)
    nan = z.im.is_nan()
    signed_zero = select(nan, z.im, zero.math("copysign", z.im))
    signed_infinity = infinity.math("copysign", z.im)
    result = select(z.re.equals(INFINITY), Complex(infinity, signed_zero), finite)
    negative = Complex(select(nan, z.im, zero), signed_infinity)
    result = select(z.re.equals(-INFINITY), negative, result)
    return select(abs(z.im).equals(INFINITY), Complex(infinity, signed_infinity), result)


def rsqrt(z: Complex) -> Complex:
    return divide(_real(z, 1.0), sqrt(z))


def cbrt(z: Complex) -> Complex:
    """By size and angle. The size is that of a scaled number: it neither overflows nor loses the bits of subnormal parts."""
    scale, back = _scaling(_larger_part(z), 3)
    size = absolute(_times(z, scale)).math("cbrt") * back
    return _polar(size, argument(z.im, z.re) / 3.0)


def _polar(size: Number, angle: Number) -> Complex:
    """An infinite number at angle 0 is real."""
    im = select(angle.equals(0.0), angle, _zero_or_product(size, angle.math("sin")))
    return Complex(_zero_or_product(size, angle.math("cos")), im)


def logistic(z: Complex) -> Complex:
    """1 / (1 + exp(-z)), as exp(z) / (1 + exp(z)) on the left half plane, where exp(-z) overflows."""
    is_left = z.re < 0.0
    size = exponential(select(is_left, z, -z))
    one = _real(z, 1.0)
    return divide(select(is_left, size, one), one + size)


def power(z: Complex, exponent: Complex) -> Complex:
    """|z|^re and exp(-im arg z) are the size, im log |z| + re arg z the angle: log |z| is not part of an exponent, where its
    rounding would grow, unless one of the two leaves the range of normal numbers. 0 to a positive real number is 0, to
    anything else NaN, as in XLA; anything to the 0 is 1."""
    length, phase = absolute(z), argument(z.im, z.re)
    rotated = _zero_or_product(exponent.im, phase)
    power, factor = length.math("powf", exponent.re), (-rotated).math("exp")
    whole = exponent.re * _log_absolute(z) - rotated
    is_big = whole > _exponent_shift(whole)  # parts may fit where the size does not: half of it does
    size = select(is_big, whole - math.log(2.0), whole).math("exp")
    size = select(_is_extreme(length) | _is_extreme(power) | _is_extreme(factor) | is_big, size, power * factor)
    angle = _zero_or_product(exponent.im, _log_absolute(z)) + exponent.re * phase
    result = _times(_polar(size, angle), select(is_big, z.re.of(2.0), 1.0))
    nan = z.re.of(float("nan"))
    is_positive = exponent.im.equals(0.0) & (exponent.re > 0.0)
    at_zero = select(is_positive, _real(z, 0.0), Complex(nan, nan))
    result = select(is_zero(z), at_zero, result)
    return select(is_zero(exponent), _real(z, 1.0), result)


def _is_extreme(x: Number) -> Number:
    least, most = (1e-37, 1e38) if isinstance(x.type, ir.F32Type) else (1e-307, 1e308)
    return (x < least) | (x > most)


def atan2(y: Complex, x: Complex) -> Complex:
    """-i log((x + i y) / sqrt(x^2 + y^2)), which is -i (log u - log v) / 2 of u = x + i y and v = x - i y, and another pi
    where the root is not the one near u: so small angles keep their bits. Numbers whose squares do not fit are brought
    near 1 first, both alike."""
    size = _larger_part(x).arith("maximumf", _larger_part(y))
    step = 2.0**80 if isinstance(x.re.type, ir.F32Type) else 2.0**600
    scale = select(size > 1.0 / step**0.75, select(size > step**0.75, 1.0 / step, x.re.of(1.0)), step)
    x, y = _times(x, scale), _times(y, scale)
    u, v = Complex(x.re - y.im, x.im + y.re), Complex(x.re + y.im, x.im - y.re)
    im = _half_log_ratio(v, u, (x.re * y.im - x.im * y.re) * 4.0)
    half = argument((x.re * y.re + x.im * y.im) * 2.0, u.re * v.re + u.im * v.im) * 0.5
    is_opposite = _is_opposite(u, sqrt(x * x + y * y), half)
    return Complex(select(is_opposite, half - half.of(math.pi).math("copysign", half), half), im)


def _half_log_ratio(v: Complex, u: Complex, difference: Number) -> Number:
    """log |v / u| / 2, where `difference` is |v|^2 - |u|^2, which a difference of the squares would round."""
    nearer = (u.re * u.re + u.im * u.im).arith("minimumf", v.re * v.re + v.im * v.im)
    near = ((abs(difference) / nearer).math("log1p") * 0.25).math("copysign", difference)
    return select(abs(difference) > nearer * 1e6, (_log_absolute(v) - _log_absolute(u)) * 0.5, near)


def _is_opposite(u: Complex, root: Complex, angle: Number) -> Number:
    """Whether u / root is at `angle` and half a turn: by its cosine or its sine, the larger one."""
    cosine, sine = u.re * root.re + u.im * root.im, u.im * root.re - u.re * root.im
    return select(abs(cosine) >= abs(sine), cosine < 0.0, (sine < 0.0) ^ (angle < 0.0))


def is_zero(z: Complex) -> Number:
    return z.re.equals(0.0) & z.im.equals(0.0)


def sign(z: Complex) -> Complex:
    """z / |z|, of a scaled number, whose size fits; 0 of a zero."""
    scale, _ = _scaling(_larger_part(z), 1)
    scaled = _times(z, scale)
    length = absolute(scaled)
    return select(is_zero(z), z, Complex(scaled.re / length, scaled.im / length))


def _real(z: Complex, number: float) -> Complex:
    return Complex(z.re.of(number), z.re.of(0.0))


def _extreme(direction: str):
    """maximum or minimum by the lexicographic order of (real, imaginary) parts; the one that holds a NaN."""

    def choose(a: Complex, b: Complex) -> Complex:
        before = (lambda x, y: x > y) if direction == "maximum" else (lambda x, y: x < y)
        first = before(a.re, b.re) | (a.re.equals(b.re) & before(a.im, b.im))
        other_is_number = b.re.equals(b.re) & b.im.equals(b.im)
        return select((first & other_is_number) | a.re.is_nan() | a.im.is_nan(), a, b)

    return choose


maximum, minimum = _extreme("maximum"), _extreme("minimum")

COMPLEX = {
    **ARITHMETIC,
    "abs": absolute,
    "atan2": atan2,
    "cbrt": cbrt,
    "clamp": lambda low, x, high: minimum(maximum(x, low), high),
    "cosine": cosine,
    "divide": divide,
    "exp2": exp2,
    "exponential": exponential,
    "exponential_minus_one": exponential_minus_one,
    "imag": lambda z: z.im,
    "log": log,
    "log2": log2,
    "log_plus_one": log_plus_one,
    "logistic": logistic,
    "maximum": maximum,
    "minimum": minimum,
    "power": power,
    "real": lambda z: z.re,
    "rsqrt": rsqrt,
    "sign": sign,
    "sine": sine,
    "sqrt": sqrt,
    "tan": tan,
    "tanh": tanh,
}

BY_REAL = {"divide": divide_by_real}
"""What is simpler where the last operand is known to be real."""
