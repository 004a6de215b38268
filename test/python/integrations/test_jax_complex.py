"""jax.numpy's functions of complex numbers beside numpy's in a wider type: zeros of both signs, the smallest and largest numbers,
infinities and NaN in both parts, for both complex types.

What is finite must be near: within 16 units of the larger part, since the bound of each function (docs/accuracy.md) is of the
modulus, and JAX composes some of several (log2, exp2, power). What is not finite must not be finite here; which part is
infinite and which NaN is C99's Annex G for the functions that it has, which test_complex_special_values.py checks."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hlo

UNARY = (
    *(
        "abs",
        "sign",
        "square",
        "reciprocal",
        "exp",
        "expm1",
        "exp2",
        "log",
        "log1p",
        "log2",
        "log10",
        "sqrt",
        "sin",
        "cos",
    ),
    *("tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "angle", "conj"),
)
BINARY = ("add", "subtract", "multiply", "divide")
WIDER = {np.complex64: np.complex128, np.complex128: np.clongdouble}
UNITS = 16


def points(kind):
    f = np.finfo(kind)
    tiny, largest = float(f.tiny), float(f.max)
    numbers = [0.0, float(f.smallest_subnormal), tiny, np.sqrt(tiny) / 2, 1e-3, 0.5, 1.0, 2.0, 50.0]
    numbers += [np.sqrt(largest) * 2, largest / 2, largest, np.inf]
    signed = np.array([*numbers, *(-n for n in numbers), np.nan], f.dtype)
    z = np.empty((len(signed), len(signed)), kind)
    z.real, z.imag = signed[:, None], signed[None, :]
    return z.reshape(-1)


def open_points(name, z):
    """What is left open of a function, and why."""
    size = np.abs(z.real) + np.abs(z.imag)
    if name == "sign":  # z / |z|, the specification's formula, of an infinity is NaN; numpy makes it 1
        return np.isinf(z.real) | np.isinf(z.imag)
    if name == "expm1":  # the exponential of -inf is 0 whatever the angle; numpy makes NaN of one that is not finite
        return np.isneginf(z.real) & ~np.isfinite(z.imag)
    if name == "exp2":  # JAX multiplies by ln 2 first, which rounds the angle; and NaN stays NaN
        return (np.abs(z.imag) > 1e3) | np.isnan(z.imag)
    if name == "log1p":  # numpy loses the real part of small numbers
        return size < 1e-3
    if name == "reciprocal":  # 1 / z of an infinity is 0, as in C99; numpy makes NaN
        return np.isinf(z.real) | np.isinf(z.imag)
    return np.zeros(z.shape, bool)


def agrees(found, wanted):
    """Near where numpy's result is finite in the type of `found`, and otherwise not finite."""
    narrow = wanted.astype(found.dtype)
    f = np.finfo(found.dtype)
    near = np.abs(found - narrow) <= UNITS * f.eps * np.clip(np.abs(narrow), f.tiny, f.max)
    return np.where(np.isfinite(narrow), near, ~np.isfinite(found))


def check(names, kind, program, arguments):
    with jax.enable_x64(True):
        text = jax.jit(program).lower(*arguments).as_text()
    found = hlo.compile(text)(*arguments)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, result in zip(names, found, strict=True):
            wanted = getattr(np, name)(*(a.astype(WIDER[kind]) for a in arguments))
            wrong = np.flatnonzero(~agrees(result, wanted) & ~open_points(name, arguments[0]))
            shown = [([a[i] for a in arguments], result[i], wanted[i]) for i in wrong[:5]]
            assert not len(wrong), f"{name}: {len(wrong)} points differ, {shown}"


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="numpy has no type wider than f64 here")
@pytest.mark.parametrize("kind", WIDER)
def test_functions_of_one_number(kind):
    check(UNARY, kind, lambda z: [getattr(jnp, name)(z) for name in UNARY], [points(kind)])


@pytest.mark.parametrize("kind", [np.complex64])
def test_arithmetic(kind):
    """Each point with others. A product whose parts overflow on the way may be NaN where numpy's is (docs/specification.md), so
    that only what stays in range is compared; a quotient must be right wherever it is finite."""
    x = points(kind)
    x = x[np.isfinite(x)]
    pairs = [np.concatenate([np.roll(x, shift) for shift in (0, 0, 0, 0)]),
             np.concatenate([np.roll(x, shift) for shift in (1, 7, 100, 333)])]  # fmt: skip
    largest = np.sqrt(np.finfo(kind).max) / 2
    in_range = [np.where(np.maximum(np.abs(a.real), np.abs(a.imag)) < largest, a, 1).astype(kind) for a in pairs]
    check(BINARY[:3], kind, lambda a, b: [getattr(jnp, name)(a, b) for name in BINARY[:3]], in_range)
    nonzero = [pairs[0], np.where(pairs[1] == 0, 1, pairs[1]).astype(kind)]
    check(BINARY[3:], kind, lambda a, b: [jnp.divide(a, b)], nonzero)


def test_powers():
    """Of numbers whose logarithms are right to a unit: the exponent's rounding is |b log a| units of the result."""
    kind = np.complex64
    generator = np.random.default_rng(0)
    a, b = (generator.normal(size=(500, 2)) @ (1, 1j) for _ in range(2))
    a, b = (a * np.exp2(generator.integers(-20, 20, 500))).astype(kind), b.astype(kind)
    with jax.enable_x64(True):
        text = jax.jit(jnp.power).lower(a, b).as_text()
    found = hlo.compile(text)(a, b)[0]
    wanted = np.power(a.astype(np.complex128), b.astype(np.complex128))
    units = np.abs(found - wanted) / (np.finfo(kind).eps * np.abs(wanted))
    assert (units <= 8 + 4 * np.abs(b * np.log(a.astype(np.complex128)))).all()
