"""numpy's functions of float64 numbers, for primitives where XLA flushes subnormal numbers or rounds them more than once.

JAX stays the oracle of integers, complex numbers, shapes and of everything that is not named here."""

from __future__ import annotations

import numpy as np
from scipy import special


def maximum(x, y):
    """IEEE 754 maximum: NaN from either, +0 above -0. Complex numbers by their parts in turn."""
    if x.dtype.kind == "c":
        return np.maximum(x, y)
    return np.where((x == 0) & (y == 0), x + y, np.maximum(x, y))


def minimum(x, y):
    return np.minimum(x, y) if x.dtype.kind == "c" else -maximum(-x, -y)


def clamp(low, x, high):
    return minimum(maximum(x, low), high)


def sign(x):
    return np.where((x == 0) | np.isnan(x), x, np.copysign(1.0, x))


def remainder(x, y):
    return np.where(x == 0, np.where((y == 0) | np.isnan(y), np.nan, x), np.fmod(x, y))


def power(x, y):
    return np.power(x, y)


FUNCTIONS = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "add": np.add,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "clamp": clamp,
    "copy": np.positive,
    "cos": np.cos,
    "cosh": np.cosh,
    "digamma": lambda x: np.where(x == 0, np.nan, special.digamma(x)),  # 0 is a pole like the others, as in JAX
    "div": np.divide,
    "eq": np.equal,
    "erf": special.erf,
    "erf_inv": lambda x: np.copysign(special.erfinv(x), x),
    "erfc": special.erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "ge": np.greater_equal,
    "gt": np.greater,
    "is_finite": np.isfinite,
    "le": np.less_equal,
    "lgamma": lambda x: special.gammaln(np.where(x == -np.inf, np.inf, x)),
    "log": np.log,
    "log1p": np.log1p,
    "logistic": special.expit,
    "lt": np.less,
    "max": maximum,
    "min": minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "pow": power,
    "rem": remainder,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sign": sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "sub": np.subtract,
    "tan": np.tan,
    "tanh": np.tanh,
}
REAL_ONLY = {
    "atan2",
    "cbrt",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "exp2",
    "lgamma",
    "log1p",
    "logistic",
    "max",
    "min",
    "rem",
    "sign",
}
"""numpy has no such function of complex numbers: JAX's is taken."""
