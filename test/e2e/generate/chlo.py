"""The chlo dialect: functions by SciPy, broadcasting ops by numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cases import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INF,
    INTEGERS,
    NAN,
    ROUNDING,
    Case,
    dense,
    file_as,
    function_type,
    ramp,
    suffix,
    tensor,
    values,
)
from elementwise import COMPARISONS, integer_divide, integer_remainder, shift, through_f32
from scipy import special

ANY = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.25, 1e-3, -30.0, INF, -INF, NAN)
UNIT = (0.0, -0.0, 1.0, -1.0, 0.5, -0.25, 1e-3, 0.875, 1.5, NAN)
GAMMA = (0.5, 1.0, 2.0, 3.25, 10.0, 1e-3, -0.5, -2.25, 30.0, NAN)
PLANE = (0.5 + 0.25j, -2 + 1j, 2 - 0.5j, -0.3 - 0.7j, 3, -3, 0.125j, 1.5 - 4j)


def unary(name: str, function: Callable, reals: Sequence[float], complex_too: bool = False) -> None:
    def cases() -> list[Case]:
        kinds = [*FLOATS, *(COMPLEX if complex_too else ())]
        return [_unary(name, function, np.array(PLANE if k in COMPLEX else reals).astype(DTYPES[k])) for k in kinds]

    file_as(f"chlo.{name}", cases)


def _unary(name: str, function: Callable, x: np.ndarray, tolerance: float | None = None) -> Case:
    want = np.asarray(through_f32(function)(x))
    want = want if want.dtype.kind == "b" else want.astype(x.dtype)
    tolerance = 2 * ROUNDING[x.dtype.name] if tolerance is None else tolerance
    body = f"%r = chlo.{name} %0 : {tensor(x)} -> {tensor(want)}"
    return Case(suffix(tensor(x)[7:].partition("x")[2][:-1]), [x], body, [want], tolerance)


for name, function, reals in (
    ("acos", np.arccos, UNIT), ("asin", np.arcsin, UNIT), ("atan", np.arctan, ANY), ("sinh", np.sinh, ANY),
    ("cosh", np.cosh, ANY), ("tan", np.tan, (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, NAN)),
    ("asinh", np.arcsinh, ANY), ("acosh", np.arccosh, (1.0, 1.5, 2.0, 30.0, INF, 0.5, NAN)),
    ("atanh", np.arctanh, UNIT), ("square", np.square, (0.0, -0.0, 1.5, -2.5, INF, NAN)),
):  # fmt: skip
    unary(name, function, reals, complex_too=True)
unary("erf", special.erf, ANY)
unary("erfc", special.erfc, ANY)
unary("erf_inv", special.erfinv, UNIT)
unary("lgamma", special.gammaln, GAMMA)
unary("digamma", special.digamma, GAMMA)
unary("bessel_i1e", special.i1e, ANY[:-3])
unary("is_inf", np.isinf, ANY)
unary("is_neg_inf", np.isneginf, ANY)
unary("is_pos_inf", np.isposinf, ANY)


def conj() -> list[Case]:
    return [_unary("conj", np.conj, np.array(PLANE, DTYPES[kind]), 0.0) for kind in COMPLEX]


def asin_acos_kernel() -> list[Case]:
    """What arcsin and arccos are made of: arcsin(z) = atan2(re z, re k) +- i im k."""

    def kernel(z: np.ndarray) -> np.ndarray:
        return (np.sqrt(1 - z) * np.sqrt(1 + z)).real + 1j * np.abs(np.arcsin(z).imag)

    return [_unary("_asin_acos_kernel", kernel, np.array(PLANE, DTYPES[kind])) for kind in COMPLEX]


file_as("chlo.conj", conj)
file_as("chlo._asin_acos_kernel", asin_acos_kernel)


def binary(name: str, function: Callable, pairs: Sequence[tuple[float, float]], tolerance: float = 2.0) -> None:
    def cases() -> list[Case]:
        out = []
        for kind in FLOATS:
            x, y = (np.array(column).astype(DTYPES[kind]) for column in zip(*pairs))
            want = np.asarray(through_f32(function)(x, y)).astype(x.dtype)
            body = f"%r = chlo.{name} %0, %1 : {tensor(x)}, {tensor(y)} -> {tensor(x)}"
            out.append(Case(kind, [x, y], body, [want], tolerance * ROUNDING[x.dtype.name]))
        return out

    file_as(f"chlo.{name}", cases)


binary("polygamma", special.polygamma, [(0, 1), (1, 2), (2, 0.5), (3, 4), (1, 1), (5, 2)], 8)
binary("zeta", special.zeta, [(2, 1), (3, 0.5), (1.5, 4), (4, 2), (10, 1)], 8)


def next_after() -> list[Case]:
    """The neighbour in the type itself: past powers of two, zeros, infinities."""
    out = []
    for kind in FLOATS:
        x = np.array([0, -0.0, 1, 1, -1, 2, INF, -INF, NAN, 1, 0, 3]).astype(DTYPES[kind])
        y = np.array([1, -1, 2, 0, -2, 0, 0, 0, 1, NAN, 0, 3]).astype(DTYPES[kind])
        body = f"%r = chlo.next_after %0, %1 : {tensor(x)}, {tensor(y)} -> {tensor(x)}"
        out.append(Case(kind, [x, y], body, [np.nextafter(x, y)]))
    return out


def mulhi() -> list[Case]:
    out = []
    for kind in INTEGERS:
        v = values(kind)
        x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(v, v))
        product = [int(a) * int(b) >> (8 * v.dtype.itemsize) for a, b in zip(x, y)]
        body = f"%r = chlo.mulhi %0, %1 : {tensor(x)}, {tensor(y)} -> {tensor(x)}"
        out.append(Case(kind, [x, y], body, [np.array(product, v.dtype)]))
    return out


file_as("chlo.next_after", next_after)
file_as("chlo.mulhi", mulhi)

SHAPES = (((2, 3), (3,), None), ((3,), (2, 3), None), ((2, 1), (1, 3), None), ((), (2, 2), None),
          ((2,), (2, 3), (0,)), ((2, 3, 2), (3,), (1,)), ((0, 2), (1, 2), None))  # fmt: skip


def placed(x: np.ndarray, dims: Sequence[int] | None, rank: int) -> np.ndarray:
    """The operand of lower rank with ones where its dimensions are not."""
    if dims is None or x.ndim == rank:
        return x
    return x.reshape([x.shape[dims.index(d)] if d in dims else 1 for d in range(rank)])


def broadcasting(name: str, function: Callable, kinds: Sequence[str], attributes: str = "", low: int = 0) -> None:
    def cases() -> list[Case]:
        pairs = [(kind, *SHAPES[0]) for kind in kinds] + [(kinds[0], *shapes) for shapes in SHAPES[1:]]
        return [_broadcast(name, function, number, *pair, attributes, low) for number, pair in enumerate(pairs)]

    file_as(f"chlo.broadcast_{name}", cases)


def _broadcast(name, function, number, kind, left, right, dims, attributes, low) -> Case:
    x, y = ((ramp(*s) * 3 % 7 + shift_by).astype(DTYPES[kind]) for s, shift_by in ((left, low), (right, 1)))
    rank = max(x.ndim, y.ndim)
    a, b = np.broadcast_arrays(placed(x, dims, rank), placed(y, dims, rank))
    want = np.asarray(function(a, b))
    want = np.ascontiguousarray(want).reshape(a.shape)
    given = [attributes, f"broadcast_dimensions = array<i64: {str(list(dims))[1:-1]}>" if dims else ""]
    words = ", ".join(w for w in given if w)
    body = f'%r = "chlo.broadcast_{name}"(%0, %1) {{{words}}} : {function_type([x, y], want)}'
    exact = name not in ("atan2", "power", "divide", "polygamma", "zeta")
    return Case(f"{suffix(kind)}_{number}", [x, y], body, [want], 0.0 if exact else 8 * ROUNDING.get(x.dtype.name, 0))


def of_type(function: Callable) -> Callable:
    return lambda a, b: np.asarray(function(a, b)).astype(a.dtype)


def by_integers(function: Callable, others: Callable) -> Callable:
    """The integer functions of elementwise.py take one dimension."""

    def call(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return function(a.ravel(), b.ravel()).reshape(a.shape) if a.dtype.kind in "iu" else others(a, b)

    return call


def shifting(right: bool, arithmetic: bool) -> Callable:
    return by_integers(lambda a, b: shift(a, b, right, arithmetic), np.add)


KINDS = ("f32", "i32", "ui8", "bf16", "f64", "complex<f32>")
broadcasting("add", of_type(np.add), KINDS)
broadcasting("subtract", of_type(np.subtract), KINDS)
broadcasting("multiply", of_type(np.multiply), KINDS)
broadcasting("divide", by_integers(integer_divide, of_type(through_f32(np.divide))), KINDS, low=1)
broadcasting("remainder", by_integers(integer_remainder, np.fmod), ("f32", "i32", "ui8", "f64"))
broadcasting("maximum", of_type(np.maximum), KINDS[:-1])
broadcasting("minimum", of_type(np.minimum), KINDS[:-1])
broadcasting("power", of_type(through_f32(np.power)), ("f32", "f64", "bf16"), low=1)
broadcasting("atan2", of_type(through_f32(np.arctan2)), ("f32", "f64", "bf16"))
broadcasting("next_after", np.nextafter, ("f32", "f64"))
broadcasting("polygamma", of_type(through_f32(special.polygamma)), ("f32", "f64"), low=1)
broadcasting("zeta", of_type(through_f32(special.zeta)), ("f32", "f64"), low=2)
broadcasting("and", np.bitwise_and, ("i32", "ui8", "i1"))
broadcasting("or", np.bitwise_or, ("i32", "ui8", "i1"))
broadcasting("xor", np.bitwise_xor, ("i32", "ui8", "i1"))
broadcasting("shift_left", shifting(False, False), ("i32", "ui8"))
broadcasting("shift_right_logical", shifting(True, False), ("i32", "ui8"))
broadcasting("shift_right_arithmetic", shifting(True, True), ("i32", "i8"))
broadcasting(
    "complex", lambda a, b: (a + 1j * b).astype(np.complex64 if a.dtype == np.float32 else complex), ("f32", "f64")
)


def broadcast_compare() -> list[Case]:
    out = []
    for direction, function in COMPARISONS.items():
        for number, (left, right, dims) in enumerate(SHAPES[:5]):
            attributes = f"comparison_direction = #chlo<comparison_direction {direction}>"
            out.append(_broadcast("compare", function, number, "f32", left, right, dims, attributes, 0))
            out[-1] = _renamed(out[-1], f"{direction}_{number}")
    return out


def _renamed(case: Case, name: str) -> Case:
    case.name = name
    return case


def broadcast_select() -> list[Case]:
    out = []
    x = ramp(2, 3)
    for name, p, a, b in (
        ("one_predicate", np.array(True), x, -x),
        ("scalar_values", x > 2, np.array(9, np.float32), np.array(-1, np.float32)),
        ("rows", np.array([True, False, True]), x, -x),
        ("integers", x > 2, x.astype(np.int32), np.array(5, np.int32)),
    ):
        want = np.where(p, a, b)
        body = f'%r = "chlo.broadcast_select"(%0, %1, %2) : {function_type([p, a, b], want)}'
        out.append(Case(name, [p, a, b], body, [want]))
    return out


def constant() -> list[Case]:
    out = []
    for kind in ("i1", "i8", "ui32", "i64", "bf16", "f32", "f64", "complex<f32>"):
        x = values(kind)[:4]
        body = f'%r = "chlo.constant"() {{value = {dense(x)}}} : () -> {tensor(x)}'
        out.append(Case(suffix(kind), [], body, [x]))
    return out


def constant_like() -> list[Case]:
    out = []
    for kind, text, value in (
        ("i32", "7 : i32", 7),
        ("f32", "2.5 : f32", 2.5),
        ("f64", "-1.0 : f64", -1),
        ("bf16", "0.5 : bf16", 0.5),
    ):
        for x in (ramp(2, 3).astype(DTYPES[kind]), np.zeros((), DTYPES[kind]), np.zeros((0, 2), DTYPES[kind])):
            body = f'%r = "chlo.constant_like"(%0) {{value = {text}}} : ({tensor(x)}) -> {tensor(x)}'
            out.append(Case(f"{kind}_{x.ndim}_{x.size}", [x], body, [np.full_like(x, value)]))
    return out


def top_k() -> list[Case]:
    """The largest first, of equal ones the first; NaN is above all numbers."""
    out = []
    for kind in ("i32", "ui8", "f32", "f64", "bf16"):
        x = (ramp(3, 7) * 5 % 11).astype(DTYPES[kind])
        out += [_top_k(f"{kind}_{k}", x, k) for k in (0, 1, 3, 7)]
    special_values = np.array([[1, NAN, -INF, INF, 2, NAN, -3]], np.float32)
    return [*out, _top_k("special", special_values, 6), _top_k("vector", ramp(5), 2)]


def _top_k(name: str, x: np.ndarray, k: int) -> Case:
    wide = x.astype(np.float64)
    keys = np.where(np.isnan(wide), INF, wide)
    order = np.array(
        [
            sorted(range(x.shape[-1]), key=lambda i: (-keys[row][i], not np.isnan(wide[row][i]), i))
            for row in np.ndindex(x.shape[:-1])
        ]
    )
    order = order.reshape(x.shape)[..., :k].astype(np.int32)
    wants = [np.take_along_axis(x, order.astype(int), -1), order]
    body = f"%r0, %r1 = chlo.top_k(%0, k = {k}) : {tensor(x)} -> ({', '.join(map(tensor, wants))})"
    return Case(name, [x], body, wants)


def ragged_dot() -> list[Case]:
    """Each group of rows has a matrix of its own; rows beyond the groups give 0."""
    out = []
    lhs, rhs = ramp(6, 4) % 5 - 2, ramp(3, 4, 5) % 7 - 3
    for name, sizes in (("groups", [2, 0, 3]), ("all", [1, 2, 3]), ("nothing", [0, 0, 0])):
        want, start = np.zeros((6, 5), np.float32), 0
        for matrix, size in zip(rhs, sizes):
            want[start : start + size] = lhs[start : start + size] @ matrix
            start += size
        g = np.array(sizes, np.int32)
        numbers = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
        body = f'%r = "chlo.ragged_dot"(%0, %1, %2) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}} : {function_type([lhs, rhs, g], want)}'
        out.append(Case(name, [lhs, rhs, g], body, [want]))
    return out


def scan() -> list[Case]:
    """Sums up to each element, times it; from the front and from the back, along each dimension."""
    return [
        _scan(dimension, reverse, shape)
        for shape in ((5, 3), (1, 2))
        for dimension in (0, 1)
        for reverse in (False, True)
    ]


def _scan(dimension: int, reverse: bool, shape: tuple[int, int]) -> Case:
    x = ramp(*shape)
    start = np.ones(shape[1 - dimension], np.float32)
    along = np.moveaxis(x, dimension, 0)
    ordered = along[::-1] if reverse else along
    sums = start + np.cumsum(ordered, 0, dtype=np.float32)
    made = (ordered * sums)[::-1] if reverse else ordered * sums
    row = tensor(start)
    segments = "operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>"
    outs = [np.ascontiguousarray(np.moveaxis(made, 0, dimension)), sums[-1]]
    body = f"""
%r0, %r1 = "chlo.scan"(%0, %1) <{{dimension = {dimension} : i64, is_reverse = {str(reverse).lower()}, {segments}}}> ({{
^bb0(%a: {row}, %c: {row}):
  %sum = stablehlo.add %a, %c : {row}
  %product = stablehlo.multiply %a, %sum : {row}
  stablehlo.return %product, %sum : {row}, {row}
}}) : {function_type([x, start], *outs)}"""
    name = f"dimension_{dimension}_{'x'.join(map(str, shape))}{'_reverse' if reverse else ''}"
    return Case(name, [x, start], body, outs)


EVERY: tuple[Any, ...] = (broadcast_compare, broadcast_select, constant, constant_like, top_k, ragged_dot, scan)
for cases in EVERY:
    file_as(f"chlo.{cases.__name__}", cases)
