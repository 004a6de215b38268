"""erf, erfc and erf_inv of f32 and f64 in StableHLO arithmetic. Used by legalize-chlo.

For |x| < 1, erf(x) = x p(x^2). Elsewhere (from 0.5 on where the result is erfc) erfc(x) = exp(-x^2) q(u) / (1 + 2x)
with u = (x - K) / (x + K), the change of variable of Schonfelder, "Chebyshev expansions for the error and related
functions", Math. Comp. 32 (1978). The polynomials are Chebyshev interpolations computed with 60 digits."""

from __future__ import annotations

from hlo.dialect.chlo.functions import ErfcOp, ErfInvOp, ErfOp
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    absolute,
    bitcast,
    exp,
    log,
    minimum,
    polynomial,
    select,
    sqrt,
    unsigned_like,
    with_sign_of,
)
from hlo.lowering.stablehlo.chlo.table import computes


@dataclass(frozen=True)
class _Coefficients:
    erf: tuple[float, ...]
    """erf(x) / x in x^2 on [0, 1]."""
    erfc: tuple[float, ...]
    """erfc(x) exp(x^2) (1 + 2x) in u."""
    largest: float
    """erfc is zero from here on."""
    low_bits: int
    """The bits of a float to clear so that its square is exact."""
    exp: tuple[float, ...]
    """(exp(d) - 1) / d for what the square then lacks, d: by Taylor's series, for d in [-0.08, 0] in f32 and [-0.00003, 0] in f64."""


_K = 3.75
# fmt: off
_F32 = _Coefficients(
    erf=(7.875875063e-5, -0.0008016864287, 0.005189087423, -0.02685421201, 0.1128359472, -0.3761262667, 1.128379166),
    erfc=(0.0008241129456, 0.001832495465, -0.01001754767, 0.02826598498, -0.05864383107,
          0.09232509719, -0.1088077651, 0.08227521501, 0.003585530137, -0.1402405694, 1.23751263),
    largest=10.5,
    low_bits=12,
    exp=(1 / 120, 1 / 24, 1 / 6, 0.5, 1.0),
)
_F64 = _Coefficients(
    erf=(-4.23094582429533782e-12, 8.70904512905310669e-11, -1.21645600572834501e-9, 1.4792401209404813e-8,
         -1.63646421581676153e-7, 1.64620454414684189e-6, -0.0000149256475675193321, 0.000120553329028887354,
         -0.00085483270219348296, 0.00522397762542329831, -0.0268661706451298408, 0.112837916709551202,
         -0.376126389031837524, 1.12837916709551257),
    erfc=(6.87480672393728685e-10, 4.20768360926367541e-10, -6.32864408237020003e-9,
          -4.21130698834924725e-9, 4.09508101835732955e-8, 2.41499966590457365e-8,
          -2.61301835438252818e-7, -5.81988800670727893e-8, 1.75360973976812652e-6,
          -9.72865047482674525e-7, -0.0000114451394780458257, 0.0000223839125976758354,
          0.000051649437838566058, -0.000290153978489464945, 0.000293713588451597024,
          0.00175562583217624666, -0.00974657954678203818, 0.028362277421549407,
          -0.0586933985906122553, 0.0923043211601960052, -0.108803930141704889,
          0.0822767384901510945, 0.00358541548546365026, -0.140240598585547019, 1.23751263083782758),
    largest=27.5,
    low_bits=27,
    exp=(1 / 6, 0.5, 1.0),
)
# erf_inv(x) / x in w - 2.5, w = -log(1 - x^2) < 5, and in sqrt(w) - 3 above: M. Giles, "Approximating the erfinv
# function", GPU Computing Gems (2011), single precision.
_GILES_CENTRE = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                 -0.00417768164, 0.246640727, 1.50140941)
_GILES_TAIL = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
               0.00943887047, 1.00167406, 2.83297682)
# the same in sqrt(w) - 4 for 5 <= w < 37, to 2e-7: where Newton's method starts for f64
_TAIL_F64 = (-3.82275866789e-7, 1.60563224827e-6, 1.3112645733e-6, -1.56525872537e-5, 2.63691124264e-5,
             -2.08107969072e-5, 4.23119835077e-5, -0.00012848210906, 0.000331133505074, -0.000864591106303,
             0.00125701954019, 1.0094926986, 3.83978392516)
# fmt: on


@computes(ErfOp, is_long=True)
def erf(x: Tensor) -> Tensor:
    table = _table(x)
    magnitude = absolute(x)
    far = with_sign_of(1.0 - _erfc_far(magnitude, table), x)
    return select(magnitude < 1.0, x * polynomial(x * x, table.erf), far)


@computes(ErfcOp, is_long=True)
def erfc(x: Tensor) -> Tensor:
    table = _table(x)
    magnitude = absolute(x)
    far = _erfc_far(magnitude, table)
    near = 1.0 - x * polynomial(x * x, table.erf)
    return select(magnitude < 0.5, near, select(x < 0.0, 2.0 - far, far))


@computes(ErfInvOp, is_long=True)
def erf_inv(x: Tensor) -> Tensor:
    """Infinite at -1 and 1, NaN beyond."""
    w = -log((1.0 - x) * (1.0 + x))
    near = polynomial(w - 2.5, _GILES_CENTRE)
    if _is_f64(x):
        start = x * select(w < 5.0, near, polynomial(sqrt(w) - 4.0, _TAIL_F64))
        inverse = _refined(start, x)
    else:
        inverse = x * select(w < 5.0, near, polynomial(sqrt(w) - 3.0, _GILES_TAIL))
    return select(absolute(x).equals(1.0), x * float("inf"), inverse)


def _refined(inverse: Tensor, x: Tensor) -> Tensor:
    """One step of Halley's method on erf(y) = x; near 1 on erfc(|y|) = 1 - |x|, which loses no digits."""
    magnitude, target = absolute(inverse), absolute(x)
    far = (1.0 - target) - erfc(magnitude)
    error = select(target < 0.5, erf(magnitude) - target, far)
    step = error * 0.886226925452758 * exp(magnitude * magnitude)
    return with_sign_of(magnitude - step / (1.0 + magnitude * step), x)


def _erfc_far(magnitude: Tensor, table: _Coefficients) -> Tensor:
    """erfc of |x| >= 0.5. exp(-x^2) is exp(-h^2) exp((h - x)(h + x)) with h the upper half of x's digits: the rounding
    error of x^2 would be multiplied by x^2."""
    x = minimum(magnitude, table.largest)
    high = _upper_digits(x, table.low_bits)
    rest = (high - x) * (high + x)
    coarse = exp(-(high * high))
    gauss = coarse + coarse * (rest * polynomial(rest, table.exp))
    return gauss * polynomial((x - _K) / (x + _K), table.erfc) / (x * 2.0 + 1.0)


def _upper_digits(x: Tensor, low_bits: int) -> Tensor:
    bits = bitcast(x, unsigned_like(x))
    return bitcast(bits & -(1 << low_bits), x.element)


def _table(x: Tensor) -> _Coefficients:
    return _F64 if _is_f64(x) else _F32


def _is_f64(x: Tensor) -> bool:
    return str(x.element) == "f64"
