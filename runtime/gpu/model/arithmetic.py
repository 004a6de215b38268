"""What the ops on scalars compute, by their names: numpy functions over all threads at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlo.errors import HloError

Function = Callable[..., np.ndarray]

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def unsigned(x: np.ndarray) -> np.ndarray:
    return x if x.dtype.kind == "b" else x.view(UNSIGNED[x.dtype.itemsize])


def _as_unsigned(function: Function) -> Function:
    """Operands seen as unsigned, the result as signed again."""

    def run(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        result = function(unsigned(x), unsigned(y))
        return result if x.dtype.kind == "b" else result.view(x.dtype)

    return run


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rounded towards zero; where the op is undefined (y = 0, overflow) anything will do."""
    divisor = np.where(y == 0, np.ones_like(y), y)
    quotient = np.floor_divide(x, divisor)
    inexact = np.multiply(quotient, divisor) != x
    return np.where((quotient < 0) & inexact, quotient + np.ones_like(quotient), quotient)


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x - _quotient(x, y) * np.where(y == 0, np.ones_like(y), y)


def _unsigned_quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.floor_divide(x, np.where(y == 0, np.ones_like(y), y))


def _unsigned_remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.remainder(x, np.where(y == 0, np.ones_like(y), y))


def _in_range(y: np.ndarray) -> np.ndarray:
    """Shift amounts beyond the width give poison: nothing may depend on them."""
    return np.where(unsigned(y) < 8 * y.dtype.itemsize, y, np.zeros_like(y))


def _minimum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """-0 is less than 0; NaN wins."""
    return np.where((x == y) & np.signbit(x), x, np.minimum(x, y))


def _maximum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where((x == y) & np.signbit(y), x, np.maximum(x, y))


def _bits(function: Callable[[np.ndarray], np.ndarray]) -> Function:
    """A function of the bits of an integer, most significant first."""

    def run(x: np.ndarray) -> np.ndarray:
        width = 8 * x.dtype.itemsize
        bit_numbers = np.arange(width - 1, -1, -1, dtype=np.uint64)
        bits = (unsigned(x).astype(np.uint64)[:, None] >> bit_numbers) & np.uint64(1)
        return function(bits).astype(x.dtype)

    return run


def _leading_zeros(bits: np.ndarray) -> np.ndarray:
    return np.where(bits.any(1), bits.argmax(1), bits.shape[1])


def _through_double(function: Callable[..., Any]) -> Function:
    """Computed in f64 and rounded once, as a correctly rounded function would be (f64 itself stays)."""

    def run(*operands: np.ndarray) -> np.ndarray:
        return np.asarray(function(*[x.astype(np.float64) for x in operands])).astype(operands[0].dtype)

    return run


def fused_multiply_add(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """x y + z, rounded once: a product of two f64 needs twice the digits that even a long double may have."""
    if x.dtype.itemsize <= 4:
        return (x.astype(np.float64) * y + z).astype(x.dtype)
    a, b = x.astype(np.longdouble), y.astype(np.longdouble)
    product = a * b
    total = product + z
    (a_high, a_low), (b_high, b_low) = _halves(x), _halves(y)
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    moved = total - product
    lost += (product - (total - moved)) + (z - moved)
    return np.where(np.isfinite(total), total + lost, total).astype(x.dtype)


def _halves(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number of f64 as the sum of two of half the digits each."""
    high = (x.view(np.int64) & ~np.int64(2**27 - 1)).view(np.float64)
    return high.astype(np.longdouble), (x - high).astype(np.longdouble)


def _special(name: str) -> Function:
    """A function of scipy.special, which only programs that use one need."""

    def run(x: np.ndarray) -> np.ndarray:
        try:
            from scipy import special
        except ImportError:
            raise HloError(f"math.{name} in the GPU's numpy model needs SciPy: pip install 'hlo[lapack]'") from None
        return _through_double(getattr(special, name))(x)

    return run


def _round_away(x: np.ndarray) -> np.ndarray:
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    away = np.abs(x - whole) >= 0.5
    return np.copysign(np.abs(whole) + away.astype(x.dtype), x)


FUNCTIONS: dict[str, Function] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": _quotient,
    "arith.remsi": _remainder,
    "arith.divui": _as_unsigned(_unsigned_quotient),
    "arith.remui": _as_unsigned(_unsigned_remainder),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": lambda x, y: np.left_shift(x, _in_range(y)),
    "arith.shrsi": lambda x, y: np.right_shift(x, _in_range(y)),
    "arith.shrui": lambda x, y: _as_unsigned(np.right_shift)(x, _in_range(y)),
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.minui": _as_unsigned(np.minimum),
    "arith.maxui": _as_unsigned(np.maximum),
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.minimumf": _minimum,
    "arith.maximumf": _maximum,
    "arith.minnumf": np.fmin,
    "arith.maxnumf": np.fmax,
    "math.atan2": _through_double(np.arctan2),
    "math.powf": _through_double(np.power),
    "math.copysign": np.copysign,
    "math.fma": fused_multiply_add,
    "arith.select": np.where,
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": _round_away,
    "math.sqrt": np.sqrt,
    "math.rsqrt": _through_double(lambda x: 1 / np.sqrt(x)),
    "math.cbrt": _through_double(np.cbrt),
    "math.exp": _through_double(np.exp),
    "math.exp2": _through_double(np.exp2),
    "math.expm1": _through_double(np.expm1),
    "math.log": _through_double(np.log),
    "math.log2": _through_double(np.log2),
    "math.log10": _through_double(np.log10),
    "math.log1p": _through_double(np.log1p),
    "math.sin": _through_double(np.sin),
    "math.cos": _through_double(np.cos),
    "math.tan": _through_double(np.tan),
    "math.asin": _through_double(np.arcsin),
    "math.acos": _through_double(np.arccos),
    "math.atan": _through_double(np.arctan),
    "math.sinh": _through_double(np.sinh),
    "math.cosh": _through_double(np.cosh),
    "math.tanh": _through_double(np.tanh),
    "math.asinh": _through_double(np.arcsinh),
    "math.acosh": _through_double(np.arccosh),
    "math.atanh": _through_double(np.arctanh),
    "math.erf": _special("erf"),
    "math.erfc": _special("erfc"),
    "math.isnan": np.isnan,
    "math.isinf": np.isinf,
    "math.isfinite": np.isfinite,
    "math.ctpop": _bits(lambda bits: bits.sum(1)),
    "math.ctlz": _bits(_leading_zeros),
    "math.cttz": _bits(lambda bits: _leading_zeros(bits[:, ::-1])),
    "complex.re": np.real,
    "complex.im": np.imag,
}

COMPARE_INTEGERS: list[Function] = [
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    *(lambda x, y, f=f: f(unsigned(x), unsigned(y)) for f in (np.less, np.less_equal, np.greater, np.greater_equal)),
]
"""By the number of arith.cmpi's predicate."""


def _ordered(function: Function) -> Function:
    return lambda x, y: function(x, y) & ~(np.isnan(x) | np.isnan(y))


def _unordered(function: Function) -> Function:
    return lambda x, y: function(x, y) | np.isnan(x) | np.isnan(y)


_RELATIONS = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)

COMPARE_FLOATS: list[Function] = [
    lambda x, y: np.zeros(x.shape, bool),
    *map(_ordered, _RELATIONS),
    lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    *map(_unordered, _RELATIONS),
    lambda x, y: np.isnan(x) | np.isnan(y),
    lambda x, y: np.ones(x.shape, bool),
]
"""By the number of arith.cmpf's predicate."""


def convert(name: str, x: np.ndarray, to: np.dtype) -> np.ndarray:
    """The conversions of arith, by the op's name."""
    if name in ("arith.extui", "arith.uitofp", "arith.index_castui"):
        return unsigned(x).astype(to)
    if name == "arith.fptoui":
        return x.astype(np.float64).astype(UNSIGNED[to.itemsize]).view(to)
    if name == "arith.bitcast":
        return x.view(to)
    if name == "arith.trunci" and to.kind == "b":
        return (x & np.ones_like(x)).astype(bool)
    if name == "arith.extsi" and x.dtype.kind == "b":
        return -x.astype(to)
    if name == "arith.sitofp" and x.dtype.kind == "b":
        return -x.astype(np.float32).astype(to)
    return x.astype(to)


CONVERSIONS = [
    "arith.extui",
    "arith.extsi",
    "arith.trunci",
    "arith.extf",
    "arith.truncf",
    "arith.sitofp",
    "arith.uitofp",
    "arith.fptosi",
    "arith.fptoui",
    "arith.index_cast",
    "arith.index_castui",
    "arith.bitcast",
]
