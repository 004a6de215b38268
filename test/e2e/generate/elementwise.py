"""Elementwise ops: everyday and special values of each element type, every pair of them for two operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cases import (
    COMPLEX,
    DTYPES,
    FILES,
    FLOATS,
    INF,
    INTEGERS,
    NAN,
    NUMBERS,
    ROUNDING,
    SIGNED,
    Case,
    file,
    suffix,
    tensor,
    values,
)


def through_f32(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The function on bf16 and f16 by way of f32, f32 by way of f64: one rounding."""

    def call(*arrays: np.ndarray) -> np.ndarray:
        dtype = arrays[0].dtype
        wider = {"bfloat16": np.float32, "float16": np.float32, "float32": np.float64}.get(dtype.name)
        with np.errstate(all="ignore"):
            if wider is None:
                return np.asarray(function(*arrays))
            result = np.asarray(function(*(a.astype(wider) for a in arrays)))
            return result if result.dtype.kind == "b" else result.astype(dtype)

    return call


def unary(op: str, kinds: Sequence[str], function: Callable, exact: bool = True, only: Callable | None = None) -> None:
    """A file for an elementwise op of one operand."""

    def cases() -> list[Case]:
        out = []
        for kind in kinds:
            x = values(kind)
            x = x[only(x)] if only else x
            want = through_f32(function)(x)
            body = f"%r = stablehlo.{op} %0 : {_signature([x], want)}"
            out.append(Case(suffix(kind), [x], body, [want], 0.0 if exact else ROUNDING.get(x.dtype.name, 0.0)))
        return out

    FILES[op] = cases


def binary(
    op: str, kinds: Sequence[str], function: Callable, exact: bool = True, right: Callable | None = None
) -> None:
    """A file for an elementwise op of two operands: every pair of values."""

    def cases() -> list[Case]:
        out = []
        for kind in kinds:
            v = values(kind)
            x, y = (a.ravel() for a in np.meshgrid(v, v))
            y = right(y) if right else y
            x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
            with np.errstate(all="ignore"):
                want = through_f32(function)(x, y)
            if want.dtype.kind == "c":  # infinities of complex products have more than one right spelling
                keep = np.isfinite(want)
                x, y, want = x[keep], y[keep], want[keep]
            body = f"%r = stablehlo.{op} %0, %1 : {_signature([x, y], want)}"
            out.append(Case(suffix(kind), [x, y], body, [want], 0.0 if exact else ROUNDING.get(x.dtype.name, 0.0)))
        return out

    FILES[op] = cases


def _signature(inputs: Sequence[np.ndarray], want: np.ndarray) -> str:
    if all(x.dtype == want.dtype and x.shape == want.shape for x in inputs):
        return tensor(want)
    return f"({', '.join(map(tensor, inputs))}) -> {tensor(want)}"


def finite(x: np.ndarray) -> np.ndarray:
    return np.isfinite(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64))


def integer_divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Towards zero; by zero all bits set, the smallest by -1 itself."""
    out = []
    info = np.iinfo(x.dtype)
    for a, b in zip(x.tolist(), y.tolist()):
        q = (-1 if info.min else info.max) if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        out.append(info.min if q > info.max else q)
    return np.array(out, x.dtype)


def integer_remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = [a if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1) for a, b in zip(x.tolist(), y.tolist())]
    return np.array(out, x.dtype)


def by_kind(integers: Callable, others: Callable) -> Callable:
    return lambda *xs: integers(*xs) if xs[0].dtype.kind in "iu" else others(*xs)


def shift(x: np.ndarray, y: np.ndarray, right: bool, arithmetic: bool) -> np.ndarray:
    bits = x.dtype.itemsize * 8
    unsigned = x.astype(f"u{x.dtype.itemsize}")
    out = []
    for a, u, n in zip(x.tolist(), unsigned.tolist(), y.astype(f"u{y.dtype.itemsize}").tolist()):
        if arithmetic:
            signed = u - (1 << bits) if u >> (bits - 1) else u
            out.append(signed >> min(n, bits - 1))
        else:
            out.append(0 if n >= bits else (u >> n if right else u << n))
        del a
    return np.array([v % (1 << bits) for v in out], f"u{x.dtype.itemsize}").astype(x.dtype)


def bits_of(function: Callable[[str], int]) -> Callable:
    def call(x: np.ndarray) -> np.ndarray:
        width = x.dtype.itemsize * 8
        return np.array([function(f"{v % (1 << width):0{width}b}") for v in x.tolist()], x.dtype)

    return call


unary("abs", SIGNED + FLOATS, lambda x: np.abs(x))
unary("negate", INTEGERS + FLOATS + COMPLEX, lambda x: 0 - x if x.dtype.kind in "iu" else -x)
unary("sign", SIGNED + FLOATS, lambda x: np.where(x == 0, x, np.sign(x)).astype(x.dtype))
unary("floor", FLOATS, np.floor)
unary("ceil", FLOATS, np.ceil)
unary("round_nearest_even", FLOATS, np.round)
unary("round_nearest_afz", FLOATS, lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x))
unary("is_finite", FLOATS, np.isfinite)
unary("not", ("i1", *INTEGERS), lambda x: ~x)
unary("popcnt", INTEGERS, bits_of(lambda b: b.count("1")))
unary("count_leading_zeros", INTEGERS, bits_of(lambda b: len(b) - len(b.lstrip("0"))))
unary("sqrt", FLOATS, np.sqrt)
unary("real", COMPLEX, lambda x: np.real(x).copy())
unary("imag", COMPLEX, lambda x: np.imag(x).copy())
unary("rsqrt", FLOATS, lambda x: 1 / np.sqrt(x), exact=False)
unary("cbrt", FLOATS, np.cbrt, exact=False)
unary("exponential", FLOATS + COMPLEX, np.exp, exact=False)
unary("exp2", FLOATS + COMPLEX, lambda x: np.power(2, x).astype(x.dtype), exact=False)
unary("exponential_minus_one", FLOATS, np.expm1, exact=False)
unary("log", FLOATS + COMPLEX, np.log, exact=False)
unary("log2", FLOATS + COMPLEX, lambda x: np.log2(x), exact=False)
unary("log_plus_one", FLOATS, np.log1p, exact=False)
unary("logistic", FLOATS, lambda x: 1 / (1 + np.exp(-x)), exact=False)
unary("tanh", FLOATS + COMPLEX, np.tanh, exact=False)
unary("sine", FLOATS + COMPLEX, np.sin, exact=False)
unary("cosine", FLOATS + COMPLEX, np.cos, exact=False)
unary("tan", FLOATS, np.tan, exact=False)

binary("add", ("i1", *NUMBERS), lambda x, y: x | y if x.dtype.kind == "b" else x + y)
binary("subtract", NUMBERS, lambda x, y: x - y)
binary("multiply", ("i1", *NUMBERS), lambda x, y: x & y if x.dtype.kind == "b" else x * y, exact=False)
binary("divide", NUMBERS, by_kind(integer_divide, lambda x, y: x / y), exact=False)
binary("remainder", INTEGERS + FLOATS, by_kind(integer_remainder, np.fmod))
binary("maximum", ("i1", *INTEGERS, *FLOATS), np.maximum)
binary("minimum", ("i1", *INTEGERS, *FLOATS), np.minimum)
binary("and", ("i1", *INTEGERS), np.bitwise_and)
binary("or", ("i1", *INTEGERS), np.bitwise_or)
binary("xor", ("i1", *INTEGERS), np.bitwise_xor)
binary("atan2", FLOATS, np.arctan2, exact=False)
binary("power", FLOATS, np.power, exact=False)
binary("shift_left", INTEGERS, lambda x, y: shift(x, y, False, False))
binary("shift_right_logical", INTEGERS, lambda x, y: shift(x, y, True, False))
binary("shift_right_arithmetic", INTEGERS, lambda x, y: shift(x, y, True, True))


COMPARISONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


def _compare_complex(direction: str, kind: type[np.complexfloating]) -> Case:
    """By the lexicographic order of (real, imaginary) parts."""
    parts = [-INF, -1.0, -0.0, 0.0, 2.0, NAN]
    numbers = np.array([complex(re, im) for re in parts for im in parts], kind)
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(numbers, numbers))
    function, strict = COMPARISONS[direction], COMPARISONS[direction[0] + "T"] if direction[0] in "GL" else None
    want = strict(x.real, y.real) | ((x.real == y.real) & function(x.imag, y.imag)) if strict else function(x, y)
    body = f"%r = stablehlo.compare {direction}, %0, %1, FLOAT : ({tensor(x)}, {tensor(y)}) -> {tensor(want)}"
    return Case(f"complex{8 * x.itemsize}_{direction}", [x, y], body, [want])


@file
def compare() -> list[Case]:
    out = []
    for kind in ("i1", "i32", "ui32", "f32", "bf16", "f64"):
        v = values(kind)
        x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(v, v))
        for direction, function in COMPARISONS.items():
            want = function(x, y)
            types = {"i": "SIGNED", "u": "UNSIGNED", "b": "UNSIGNED"}.get(x.dtype.kind, "FLOAT")
            body = f"%r = stablehlo.compare {direction}, %0, %1, {types} : ({tensor(x)}, {tensor(y)}) -> {tensor(want)}"
            out.append(Case(f"{suffix(kind)}_{direction}", [x, y], body, [want]))
    out += [_compare_complex(direction, kind) for kind in (np.complex64, np.complex128) for direction in COMPARISONS]
    order = np.array([-NAN, -INF, -1.0, -0.0, 0.0, 1.0, INF, NAN], np.float32)
    order[0] = np.array(0xFFC00000, np.uint32).view(np.float32)
    rank = np.arange(8)
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(order, order))
    a, b = (g.ravel() for g in np.meshgrid(rank, rank))
    for direction, function in COMPARISONS.items():
        body = f"%r = stablehlo.compare {direction}, %0, %1, TOTALORDER : ({tensor(x)}, {tensor(y)}) -> tensor<64xi1>"
        out.append(Case(f"total_order_{direction}", [x, y], body, [function(a, b)]))
    return out


@file
def select() -> list[Case]:
    p, x = np.array([True, False, True]), np.array([1, 2, 3], np.float32)
    y = -x
    types = f"{tensor(p)}, {tensor(x)}"
    whole = Case("elementwise", [p, x, y], f"%r = stablehlo.select %0, %1, %2 : {types}", [np.where(p, x, y)])
    one = np.array(False)
    scalar_predicate = Case(
        "scalar_predicate", [one, x, y], f"%r = stablehlo.select %0, %1, %2 : {tensor(one)}, {tensor(x)}", [y]
    )
    return [whole, scalar_predicate]


@file
def clamp() -> list[Case]:
    out = []
    for kind in ("i32", "ui8", "f32", "f64", "bf16"):
        dtype = DTYPES[kind]
        low, x, high = (np.array(v).astype(dtype) for v in ([2, 2, 2, 2], [1, 2, 5, 9], [6, 6, 6, 6]))
        body = f"%r = stablehlo.clamp %0, %1, %2 : {tensor(x)}"
        out.append(Case(suffix(kind), [low, x, high], body, [np.minimum(np.maximum(x, low), high)]))
    low, high, x = np.array(0.0, np.float32), np.array(1.0, np.float32), np.array([-2, 0.5, 3, NAN], np.float32)
    body = "%r = stablehlo.clamp %0, %1, %2 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"
    out.append(Case("scalar_bounds", [low, x, high], body, [np.array([0, 0.5, 1, NAN], np.float32)]))
    return out
