"""The inverse trigonometric and hyperbolic functions, and sinh, cosh, of floats and of complex numbers, in StableHLO
arithmetic. Used by legalize-chlo.

The complex inverses are those of W. Kahan, "Branch cuts for complex elementary functions" (1987)."""

from __future__ import annotations

import math

from hlo.dialect.chlo.functions import (
    AcoshOp,
    AcosOp,
    AsinAcosKernelOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CoshOp,
    SinhOp,
)
from hlo.dialect.types import is_complex
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    absolute,
    atan2,
    constant_like,
    copy_sign,
    cos,
    exp,
    expm1,
    imag,
    log,
    log1p,
    make_complex,
    maximum,
    minimum,
    real,
    select,
    sin,
    sqrt,
    with_sign_of,
)
from hlo.lowering.stablehlo.chlo.table import computes

_LOG2 = math.log(2.0)
_LARGE = 1e9
"""Where x * x + 1 is x * x in f32 and f64."""
_TINY = 1e-17
"""Where 2 + x is 2 in f32 and f64, and x * x a normal number."""


@computes(SinhOp)
def sinh(x: Tensor) -> Tensor:
    if is_complex(x.element):
        re, im = real(x), imag(x)
        return make_complex(_product(sinh(re), cos(im)), _product(cosh(re), sin(im)))
    magnitude = absolute(x)
    e = expm1(minimum(magnitude, 20.0))
    small = (e + e / (e + 1.0)) * 0.5
    return with_sign_of(select(magnitude < 20.0, small, _half_exp(magnitude)), x)


@computes(CoshOp)
def cosh(x: Tensor) -> Tensor:
    if is_complex(x.element):
        re, im = real(x), imag(x)
        return make_complex(cosh(re) * cos(im), _product(sinh(re), sin(im)))
    half = _half_exp(absolute(x))
    return half + 0.25 / half


def _product(size: Tensor, factor: Tensor) -> Tensor:
    """size * factor, where a zero times what is infinite or NaN stays a zero."""
    one = constant_like(size, 1.0)
    zero = copy_sign(one, size) * copy_sign(constant_like(size, 0.0), factor)
    return select(size.equals(0.0) | factor.equals(0.0), zero, size * factor)


def _half_exp(x: Tensor) -> Tensor:
    """exp(x) / 2, which overflows later than exp(x): for large x it is the halved square of exp(x / 2)."""
    large = x > 80.0
    e = exp(select(large, x * 0.5, x))
    return e * 0.5 * select(large, e, 1.0)


@computes(AsinOp)
def asin(x: Tensor) -> Tensor:
    if not is_complex(x.element):
        return atan2(x, sqrt((1.0 - x) * (1.0 + x)))
    minus, plus = _roots(x)
    re = atan2(real(x), real(minus) * real(plus) - imag(minus) * imag(plus))
    near = make_complex(re, asinh(real(minus) * imag(plus) - imag(minus) * real(plus)))
    far = make_complex(atan2(real(x), absolute(imag(x))), copy_sign(_log_of_twice(x), imag(x)))
    return select(_is_far_out(x), far, near)


@computes(AsinAcosKernelOp)
def asin_acos_kernel(z: Tensor) -> Tensor:
    """What arcsin and arccos of a complex number are made of: arcsin(z) = atan2(re z, re k) +- i im k."""
    minus, plus = _roots(z)
    re = real(minus) * real(plus) - imag(minus) * imag(plus)
    near = make_complex(re, absolute(asinh(real(minus) * imag(plus) - imag(minus) * real(plus))))
    return select(_is_far_out(z), make_complex(absolute(imag(z)), _log_of_twice(z)), near)


@computes(AcosOp)
def acos(x: Tensor) -> Tensor:
    if not is_complex(x.element):
        return atan2(sqrt((1.0 - x) * (1.0 + x)), x)
    minus, plus = _roots(x)
    re = atan2(real(minus), real(plus)) * 2.0
    near = make_complex(re, asinh(real(plus) * imag(minus) - imag(plus) * real(minus)))
    far = make_complex(atan2(absolute(imag(x)), real(x)), copy_sign(_log_of_twice(x), -imag(x)))
    return select(_is_far_out(x), far, near)


@computes(AtanOp)
def atan(x: Tensor) -> Tensor:
    """Of complex numbers: -i atanh(i z)."""
    if not is_complex(x.element):
        return atan2(x, 1.0)
    rotated = atanh(make_complex(-imag(x), real(x)))
    return make_complex(imag(rotated), -real(rotated))


@computes(AsinhOp)
def asinh(x: Tensor) -> Tensor:
    """Of complex numbers: -i asin(i z)."""
    if is_complex(x.element):
        rotated = asin(make_complex(-imag(x), real(x)))
        return make_complex(imag(rotated), -real(rotated))
    magnitude = absolute(x)
    square = magnitude * magnitude
    near = log1p(magnitude + square / (1.0 + sqrt(square + 1.0)))
    return with_sign_of(select(magnitude > _limit(x), log(magnitude) + _LOG2, near), x)


@computes(AcoshOp)
def acosh(x: Tensor) -> Tensor:
    if is_complex(x.element):
        re, im = real(x), imag(x)
        minus, plus = sqrt(make_complex(re - 1.0, im)), sqrt(make_complex(re + 1.0, im))
        result = asinh(real(minus) * real(plus) + imag(minus) * imag(plus))
        near = make_complex(result, atan2(imag(minus), real(plus)) * 2.0)
        return select(_is_far_out(x), make_complex(_log_of_twice(x), atan2(im, re)), near)
    over = x - 1.0
    near = log1p(over + sqrt(over) * sqrt(over + 2.0))
    return select(x > _limit(x), log(x) + _LOG2, near)


@computes(AtanhOp)
def atanh(x: Tensor) -> Tensor:
    if is_complex(x.element):
        re, im = real(x), imag(x)
        square = im * im
        rest = 1.0 - absolute(re)
        result = log1p(absolute(re) * 4.0 / (rest * rest + square)) * 0.25
        distance = absolute(make_complex(rest, im))
        result = select(distance < _TINY, (_LOG2 - log(distance)) * 0.5, result)
        angle = atan2(im * 2.0, (1.0 - re) * (1.0 + re) - square) * 0.5
        near = make_complex(with_sign_of(result, re), angle)
        return select(_is_far_out(x), _atanh_far_out(re, im), near)
    magnitude = absolute(x)
    return with_sign_of(log1p(magnitude * 2.0 / (1.0 - magnitude)) * 0.5, x)


def _atanh_far_out(re: Tensor, im: Tensor) -> Tensor:
    """1 / z, rotated by a right angle; both parts scaled by the larger one, so that no square overflows."""
    size = maximum(absolute(re), absolute(im))
    x, y = re / size, im / size
    square = x * x + y * y
    is_infinite = _is_infinite(make_complex(re, im))
    part = copy_sign(select(is_infinite, 0.0, absolute(x) / square / size), re)
    right_angle = select(im.differs(im), im, copy_sign(constant_like(im, math.pi / 2), im))
    return make_complex(part, select(is_infinite, right_angle, right_angle - y / square / size))


def _is_far_out(x: Tensor) -> Tensor:
    """Whether z * z + 1 is z * z: the inverse functions are logarithms of 2 z, whose square may overflow."""
    return (absolute(real(x)) > _LARGE) | (absolute(imag(x)) > _LARGE)


def _log_of_twice(x: Tensor) -> Tensor:
    """log |2 z|, infinite where z is."""
    return real(log(x)) + _LOG2


def _is_infinite(x: Tensor) -> Tensor:
    return absolute(real(x)).equals(math.inf) | absolute(imag(x)).equals(math.inf)


def _limit(x: Tensor) -> Tensor:
    return constant_like(x, _LARGE)


def _roots(x: Tensor) -> tuple[Tensor, Tensor]:
    """The square roots of 1 - z and 1 + z."""
    re, im = real(x), imag(x)
    return sqrt(make_complex(1.0 - re, -im)), sqrt(make_complex(1.0 + re, im))
