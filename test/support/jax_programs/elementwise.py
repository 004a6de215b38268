"""jnp and lax functions of one element, for all element types."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special
from ml_dtypes import bfloat16

from .arrays import booleans, integers, normal, positive, unit

REAL = (jnp.sin, jnp.cos, jnp.tan, jnp.tanh, jnp.sinh, jnp.cosh, jnp.exp, jnp.expm1, jnp.exp2, jnp.floor, jnp.ceil,
        jnp.round, jnp.trunc, jnp.abs, jnp.sign, jnp.square, jnp.arctan, jnp.arcsinh, jnp.cbrt, jnp.sinc, jax.nn.gelu,
        jax.nn.softplus, jax.nn.sigmoid, jax.nn.elu, jax.nn.selu, jax.nn.swish, jax.nn.mish, jax.nn.hard_tanh,
        jax.nn.log_sigmoid, jax.nn.relu6, jax.nn.celu, jax.nn.squareplus, jnp.isfinite, jnp.isnan, jnp.nan_to_num)  # fmt: skip
POSITIVE = (jnp.log, jnp.log1p, jnp.log2, jnp.log10, jnp.sqrt, lax.rsqrt, jnp.reciprocal, special.gammaln, special.digamma,
            special.entr, special.i0e, special.i1e, special.i0, special.i1)  # fmt: skip
UNIT = (
    jnp.arcsin,
    jnp.arccos,
    jnp.arctanh,
    special.erf,
    special.erfc,
    special.erfinv,
    lambda x: jnp.arccosh(1 + x * x),
)
PAIRS = (jnp.arctan2, jnp.hypot, jnp.logaddexp, jnp.logaddexp2, jnp.fmod, jnp.remainder, jnp.floor_divide, jnp.maximum,
         jnp.minimum, jnp.copysign, jnp.nextafter, jnp.heaviside, jnp.less, jnp.equal, jnp.fmax, jnp.divide, jnp.subtract)  # fmt: skip
INTEGER = (jnp.add, jnp.subtract, jnp.multiply, jnp.bitwise_and, jnp.bitwise_or, jnp.bitwise_xor, jnp.maximum, jnp.minimum,
           jnp.floor_divide, jnp.remainder, jnp.left_shift, jnp.right_shift, lax.shift_right_logical, jnp.greater_equal,
           jnp.not_equal, lax.div, lax.rem)  # fmt: skip
COMPLEX = (jnp.exp, jnp.log, jnp.sin, jnp.cos, jnp.tan, jnp.tanh, jnp.sqrt, jnp.abs, jnp.conj, jnp.real, jnp.imag, jnp.angle,
           jnp.square, jnp.reciprocal, jnp.expm1, jnp.log1p, jnp.sinh, jnp.cosh, lax.rsqrt, jnp.sign, jnp.arcsin, jnp.arccos, jnp.arctan,
           jnp.arcsinh, jnp.arctanh)  # fmt: skip


def each(functions, *more):
    return lambda *arguments: [f(*arguments) for f in functions]


def conversions(x):
    kinds = (
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "float16",
        "bfloat16",
        "float32",
        "bool",
        "complex64",
    )
    return [x.astype(k).astype("float32" if k in ("float16", "bfloat16") else k) for k in kinds]


def integer_cases():
    for dtype in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32):
        low = 0 if np.dtype(dtype).kind == "u" else -100
        a, b = integers(4, 9, low=low, high=100, dtype=dtype), integers(4, 9, low=1, high=6, dtype=dtype)
        yield f"integer_pairs_{np.dtype(dtype).name}", each(INTEGER), (a, b)
        yield f"integer_singles_{np.dtype(dtype).name}", each((jnp.abs, jnp.negative, jnp.invert, jnp.sign, jnp.square,
               lax.population_count, lax.clz, lambda x: x**3, lambda x: jnp.clip(x, 2, 50))), (a,)  # fmt: skip


def half_cases():
    for dtype in (np.float16, bfloat16):
        name = np.dtype(dtype).name
        x, y = normal(5, 7, dtype=dtype), positive(5, 7, dtype=dtype)
        for f in (
            jnp.sin,
            jnp.exp,
            jnp.tanh,
            jnp.floor,
            jnp.sqrt,
            jnp.log,
            jnp.negative,
            jnp.cbrt,
            jnp.round,
            jnp.log1p,
        ):
            yield f"{name}_{f.__name__}", f, (y,), 1e-2
        yield (
            f"{name}_pairs",
            each((jnp.add, jnp.multiply, jnp.divide, jnp.maximum, jnp.less, jnp.nextafter, lax.pow)),
            (y, x),
            2e-2,
        )
        yield (
            f"{name}_to_integers",
            lambda x: (x.astype(jnp.int32), x.astype(jnp.int8), x.astype(jnp.float32), x > 0),
            (x,),
            0,
        )


SPECIAL = {
    "betainc": (special.betainc, (positive(12), positive(12), np.abs(unit(12))), 2e-4),
    "gammainc": (special.gammainc, (positive(12), positive(12)), 2e-4),
    "gammaincc": (special.gammaincc, (positive(12), positive(12)), 2e-4),
    "zeta": (special.zeta, (1 + positive(12), positive(12)), 2e-4),
    "polygamma": (special.polygamma, (integers(12, low=1, high=4), positive(12)), 2e-4),
    "ndtri": (special.ndtri, (np.abs(unit(12)),), 1e-4),
    "log_ndtr": (special.log_ndtr, (normal(12),), 1e-4),
    "expit_logit": (lambda x: (special.expit(x), special.logit(jnp.abs(x))), (unit(12),)),
    "igamma_gradient": (jax.grad(lambda a, x: special.gammainc(a, x).sum(), (0, 1)), (positive(6), positive(6)), 1e-3),
    "lgamma_gradient": (jax.grad(lambda x: special.gammaln(x).sum()), (positive(9),), 1e-4),
}

PROGRAMS = [
    ("real", each(REAL), (normal(7, 13) * 2,), 1e-4),
    ("positive", each(POSITIVE), (positive(7, 13),), 1e-4),
    ("unit", each(UNIT), (unit(50),), 1e-4),
    ("pairs", each(PAIRS), (normal(3, 1, 7), normal(5, 1)), 1e-4),
    (
        "pow",
        lambda x, y: (x**y, x**2.5, 2.0**y, jnp.power(x, 3), jnp.float_power(x, y)),
        (positive(20), normal(20)),
        1e-4,
    ),
    ("integer_pow", lambda x: [x**n for n in (-3, -1, 0, 1, 5, 8)], (normal(11),), 1e-4),
    ("complex", each(COMPLEX), (normal(6, 5, dtype=np.complex64),), 1e-4),
    (
        "complex_pairs",
        lambda a, b: (a * b, a / b, a**b, a == b, jnp.where(jnp.abs(a) > 1, a, b)),
        (normal(9, dtype=np.complex64), normal(9, dtype=np.complex64)),
        1e-4,
    ),
    (
        "booleans",
        lambda a, b: (a & b, a | b, a ^ b, ~a, a == b, a < b, a.astype(jnp.int8) + b, jnp.where(a, 1, 2)),
        (booleans(9), booleans(9)),
    ),
    ("conversions_float", conversions, (positive(21) * 50,)),
    ("conversions_int", conversions, (integers(21, high=200),)),
    (
        "bitcasts",
        lambda x: (
            lax.bitcast_convert_type(x, jnp.int32),
            lax.bitcast_convert_type(x, jnp.uint8),
            lax.bitcast_convert_type(x, jnp.float16).astype(jnp.float32),
        ),
        (normal(5, 3),),
    ),
    (
        "special_values",
        each(
            (
                jnp.exp,
                jnp.log,
                jnp.sqrt,
                jnp.tanh,
                jnp.sin,
                jnp.floor,
                jnp.sign,
                jnp.abs,
                jnp.isinf,
                jnp.isnan,
                jnp.arctan,
                jnp.log1p,
                jnp.expm1,
                jax.nn.sigmoid,
            )
        ),
        (np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 88.9, 1], np.float32),),
    ),
    ("frexp_ldexp", lambda x: (jnp.frexp(x), jnp.ldexp(x, 3), jnp.modf(x)), (normal(9),)),
    (
        "divmod_gcd",
        lambda a, b: (jnp.divmod(a, b), jnp.gcd(a, b), jnp.lcm(a, b)),
        (integers(15, high=90), integers(15, low=1, high=30)),
    ),
    (
        "clip_where_select",
        lambda x: (
            jnp.clip(x, -0.5, 0.5),
            jnp.where(x > 0, x, 0),
            lax.clamp(-1.0, x, 0.3),
            jnp.select([x < -1, x > 1], [x, 2 * x], 0.0),
        ),
        (normal(4, 5),),
    ),
    ("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), (normal(12),)),
    (
        "interp_polyval",
        lambda x: (
            jnp.interp(x, jnp.linspace(-2, 2, 9), jnp.linspace(0, 1, 9) ** 2),
            jnp.polyval(jnp.array([1.0, -2, 0.5]), x),
        ),
        (normal(14),),
    ),
    *integer_cases(),
    *half_cases(),
    *((name, *rest) for name, rest in SPECIAL.items()),
]
