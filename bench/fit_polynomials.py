"""Fits the polynomials of lowering/vector/math and lowering/stablehlo/chlo: minimax in relative error (60 digits), coefficients rounded
one after the other to the working precision, the later ones fitted again after each rounding.

    python -m bench.fit_polynomials [NAME ...]          prints every table, or those named, with its error; needs mpmath"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 60
POINTS = 80
HALF, ONE = mp.mpf(1) / 2, mp.mpf(1)
Function = Callable[[mp.mpf], mp.mpf]


@dataclass(frozen=True)
class Fit:
    """`target(x) ~ sum(c[k] * x**k)` on [low, high]; the error is weighed by `weight(x)`."""

    name: str
    target: Function
    low: float
    high: float
    degree: int
    dtype: type
    weight: Function = lambda x: mp.mpf(1)


def minimax(target: Function, weight: Function, low: float, high: float, powers: list[int], rounds: int = 25):
    """Coefficients for the given powers with nearly the least largest weighed error, and that error: least squares whose
    weights follow the error (Lawson's iteration)."""
    middle, half = (mp.mpf(low) + mp.mpf(high)) / 2, (mp.mpf(high) - mp.mpf(low)) / 2
    points = [middle - half * mp.cos(mp.pi * (k + HALF) / POINTS) for k in range(POINTS)]
    columns = np.array([[weight(x) * x**p for p in powers] for x in points])
    goal = np.array([weight(x) * target(x) for x in points])
    share = np.full(POINTS, mp.mpf(1) / POINTS)
    best: tuple[list, mp.mpf] = ([], mp.inf)
    for _ in range(rounds):
        weighed = columns * share[:, None]
        solution = list(mp.lu_solve(mp.matrix((weighed.T @ columns).tolist()), mp.matrix((weighed.T @ goal).tolist())))
        errors = np.array([abs(e) for e in columns @ np.array(solution) - goal])
        if errors.max() < best[1]:
            best = (solution, errors.max())
        share = share * errors
        share = share / share.sum()
    return best


def fit(job: Fit) -> tuple[list[float], float]:
    """Coefficients in the working precision, lowest power first, and the largest weighed error."""
    fixed: list[mp.mpf] = []
    powers = list(range(job.degree + 1))
    for k in powers:
        rest = lambda x, fixed=tuple(fixed): job.target(x) - sum(c * x**p for p, c in enumerate(fixed))
        coefficients, error = minimax(rest, job.weight, job.low, job.high, powers[k:])
        fixed.append(mp.mpf(float(job.dtype(float(coefficients[0])))))
    return [float(c) for c in fixed], float(error)


def series(function: Function, order: int) -> Function:
    """The function itself away from zero, its Taylor series (exact to 60 digits) near it."""
    terms = mp.taylor(function, 0, order)
    return lambda x: mp.polyval(terms[::-1], x) if abs(x) < 1e-3 else function(x)


def quotient(function: Function, subtract: list, power: int) -> Function:
    """(f(x) - sum(subtract[k] x^k)) / x^power, by series near zero."""
    terms = mp.taylor(function, 0, power + 14)

    def value(x):
        if abs(x) < mp.mpf("1e-2"):
            return mp.polyval(terms[power:][::-1], x)
        return (function(x) - sum(mp.mpf(c) * x**k for k, c in enumerate(subtract))) / x**power

    return value


def of_square(function: Function) -> Function:
    """g(t) = f(sqrt(t)) for an even f."""
    return lambda t: function(mp.sqrt(t))


LN2 = float(mp.log(2)) / 2 * 1.01
S = float(mp.sqrt(2))
exp_rest = quotient(mp.exp, [1, 1], 2)  # exp(r) = 1 + r + r^2 p(r)
log_rest = quotient(mp.log1p, [0, 1, -HALF], 3)  # log(1+f) = f - f^2/2 + f^3 p(f)
sin_rest = of_square(lambda x: quotient(mp.sin, [0, 1], 3)(x))  # sin r = r + r^3 p(r^2)
cos_rest = of_square(lambda x: quotient(mp.cos, [1, 0, -HALF], 4)(x))
atan_rest = of_square(lambda x: quotient(mp.atan, [0, 1], 3)(x))
erf_near = of_square(lambda x: quotient(lambda v: mp.erf(v) - v, [], 1)(x))  # erf x = x + x p(x^2)
atanh_rest = lambda t: quotient(mp.atanh, [0, 1], 3)(mp.sqrt(t))
atanh_tail = lambda t: quotient(mp.atanh, [0, 1, 0, mp.mpf(1) / 3], 5)(mp.sqrt(t))
DIGAMMA_ROOT = mp.findroot(mp.digamma, 1.46)
lgamma_rest = lambda t: mp.loggamma(t + 1.5) / ((t + HALF) * (t - HALF))  # lgamma(x) = (x-1)(x-2) p(x - 1.5)
digamma_rest = lambda t: mp.digamma(t + 1.5) / (t + 1.5 - DIGAMMA_ROOT)
sine_pi = of_square(lambda t: mp.sin(mp.pi * t) / t)  # sin(pi t) = t p(t^2)
cotangent_pi = of_square(lambda t: mp.pi * t * mp.cot(mp.pi * t) if t else ONE)  # pi cot(pi t) = p(t^2) / t
PI4 = float(mp.pi / 4) * 1.001


def bessel_near(t: mp.mpf) -> mp.mpf:
    """exp(-x) I1(x) = x p(x / 4 - 1)."""
    x = 4 * (t + 1)
    return mp.exp(-x) * mp.besseli(1, x) / x if x else HALF


def bessel_far(t: mp.mpf) -> mp.mpf:
    """exp(-x) I1(x) = p(16 / x - 1) / sqrt(x)."""
    return mp.exp(-16 / (t + 1)) * mp.besseli(1, 16 / (t + 1)) * mp.sqrt(16 / (t + 1))


erf_ratio = of_square(lambda x: mp.erf(x) / x)
erf_narrow = of_square(quotient(mp.erf, [0, 2 / mp.sqrt(mp.pi)], 3))  # erf x = 2 / sqrt(pi) x + x^3 p(x^2)
log_ratio, exp2_rest = quotient(mp.log1p, [0], 1), quotient(lambda v: mp.mpf(2) ** v, [1], 1)
log_tail = quotient(mp.log1p, [0, 1], 2)  # log(1+f) = f + f^2 p(f)
log2_ratio = lambda f: log_ratio(f) / mp.log(2)  # log2(1+f) = f p(f); 2^r = 1 + r p(r)
ERF_STEP, ERF_LONG_STEP = (
    4161 / 2**14,
    17297 / 2**15,
)  # erf(k step) is beside a number of f32 for all k above 1, and above 0
erf_second = quotient(lambda v: mp.erf(v) - v, [], 1)
erfc_log = lambda x: mp.log(mp.erfc(x))  # 1 - erf(x) = exp(p(x))


def erf_around(table: str, step: float, k: int, degree: int) -> Fit:
    """erf(s + t) = erf(s) + t p(t) around s = k steps."""
    s = mp.mpf(k * step)
    slope = 2 / mp.sqrt(mp.pi) * mp.exp(-s * s)
    target = lambda t: (mp.erf(s + t) - mp.erf(s)) / t if t else slope
    reach = 0.50001 * step
    return Fit(f"{table}, {k}", target, -reach, reach, degree, np.float32, lambda t: abs(t) / mp.erf(s + t))


def erf_steps() -> list[Fit]:
    """erf(x) = x + x p(x) in the first two of 16 steps, p even in the first one, and in the first of 8 steps."""
    reach, long = 0.50001 * ERF_STEP, 0.50001 * ERF_LONG_STEP
    first = Fit("ERF_STEPS_F32, 0, even powers", erf_near, 0, reach**2, 2, np.float32)
    second = Fit("ERF_STEPS_F32, 1", erf_second, reach * 0.9999, 3 * reach, 5, np.float32)
    others = [erf_around("ERF_STEPS_F32", ERF_STEP, k, 5) for k in range(2, 16)]
    first_long = Fit("ERF_LONG_STEPS_F32, 0, even powers", erf_near, 0, long**2, 3, np.float32)
    return [first, second, *others, first_long] + [
        erf_around("ERF_LONG_STEPS_F32", ERF_LONG_STEP, k, 7) for k in range(1, 8)
    ]


FITS = [
    Fit("EXP_F32", exp_rest, -LN2, LN2, 4, np.float32, lambda x: x**2 / mp.exp(x)),
    Fit("EXP_F64", exp_rest, -LN2, LN2, 10, np.float64, lambda x: x**2 / mp.exp(x)),
    Fit("EXPM1_F32", exp_rest, -LN2, LN2, 5, np.float32, lambda x: abs(x)),
    Fit("EXPM1_F64", exp_rest, -LN2, LN2, 11, np.float64, lambda x: abs(x)),
    Fit("LOG_NARROW", log_tail, S / 2 - 1, S - 1, 7, np.float32, lambda x: x / log_ratio(x)),
    Fit("LOG_F32", log_rest, S / 2 - 1, S - 1, 7, np.float32, lambda x: x**2),
    Fit("ATANH_F64", atanh_rest, 0, 0.0297, 6, np.float64, lambda x: x),
    Fit("LOG_PAIR_F64", atanh_tail, 0, 0.0295, 8, np.float64, lambda x: x**2),
    Fit("LOG2_WIDE", log2_ratio, S / 2 - 1, S - 1, 12, np.float64, lambda f: 1 / log2_ratio(f)),
    Fit("EXP2_WIDE", exp2_rest, -0.5, 0.5, 6, np.float64, lambda r: abs(r) / mp.mpf(2) ** r),
    Fit("SIN_F32", sin_rest, 0, PI4**2, 3, np.float32, lambda t: t),
    Fit("COS_F32", cos_rest, 0, PI4**2, 3, np.float32, lambda t: t**2),
    Fit("SIN_F64", sin_rest, 0, PI4**2, 6, np.float64, lambda t: t),
    Fit("COS_F64", cos_rest, 0, PI4**2, 6, np.float64, lambda t: t**2),
    Fit("ATAN_F32", atan_rest, 0, 1, 8, np.float32, lambda t: t),
    Fit("ATAN_F64", atan_rest, 0, 0.1718, 12, np.float64, lambda t: t),
    Fit("ERF_NEAR_F32", erf_near, 0, 1, 7, np.float32, lambda t: ONE),
    Fit("ERFC_LOG_F32", erfc_log, 0.98, 3.95, 8, np.float32, lambda x: mp.erfc(x) / mp.erf(x)),
    Fit("ERF_NARROW", erf_narrow, 0, 2.75**2, 8, np.float32, lambda t: t / erf_ratio(t)),
    *erf_steps(),
    Fit("LGAMMA", lgamma_rest, -0.5, 0.5, 21, np.float64, lambda t: 1 / lgamma_rest(t)),
    Fit("DIGAMMA", digamma_rest, -0.5, 0.5, 23, np.float64, lambda t: 1 / digamma_rest(t)),
    Fit("SINE_PI", sine_pi, 0, 0.25, 8, np.float64, lambda t: 1 / sine_pi(t)),
    Fit("COTANGENT_PI", cotangent_pi, 0, 0.25, 14, np.float64),
    Fit("LGAMMA_ROUNDED", lgamma_rest, -0.5, 0.5, 12, np.float64, lambda t: 1 / lgamma_rest(t)),
    Fit("DIGAMMA_ROUNDED", digamma_rest, -0.5, 0.5, 13, np.float64, lambda t: 1 / digamma_rest(t)),
    Fit("SINE_PI_ROUNDED", sine_pi, 0, 0.25, 5, np.float64, lambda t: 1 / sine_pi(t)),
    Fit("COTANGENT_PI_ROUNDED", cotangent_pi, 0, 0.25, 9, np.float64),
    Fit("BESSEL_NEAR_ROUNDED", bessel_near, -1, 1, 21, np.float64, lambda t: 1 / bessel_near(t)),
    Fit("BESSEL_FAR_ROUNDED", bessel_far, -1, 1, 10, np.float64, lambda t: 1 / bessel_far(t)),
]


def main() -> None:
    names = [job.name for job in FITS]
    parser = argparse.ArgumentParser(
        prog="bench.fit_polynomials", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    chosen = parser.parse_args().names
    if unknown := set(chosen) - set(names):
        parser.error(f"no such table: {', '.join(sorted(unknown))}; tables: {', '.join(names)}")
    for job in (f for f in FITS if not chosen or f.name in chosen):
        coefficients, error = fit(job)
        print(f"{job.name} = {coefficients!r}  # 2**{np.log2(error):.1f}")


if __name__ == "__main__":
    main()
