"""Writes the self-checking programs of this folder: constants in, one op, numpy's result as the expected one.

    python test/e2e/generate.py          writes every file; --check only says whether they are up to date

The expected values are computed here by numpy (and ml_dtypes), from the specification's words; nothing of the compiler is
imported. `optimization_barrier` keeps the compiler from folding the constants."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

FOLDER = Path(__file__).parent
INF, NAN = np.inf, np.nan

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    **{f"i{n}": np.dtype(f"int{n}") for n in (8, 16, 32, 64)},
    **{f"ui{n}": np.dtype(f"uint{n}") for n in (8, 16, 32, 64)},
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    **{f"{u}i{n}": np.dtype(getattr(ml_dtypes, f"{u}int{n}")) for u in ("", "u") for n in (2, 4)},
    **{f"f8{name}": np.dtype(getattr(ml_dtypes, f"float8_{name.lower()}")) for name in ("E3M4", "E4M3", "E4M3FN")},
    **{f"f8{name}": np.dtype(getattr(ml_dtypes, f"float8_{name.lower()}")) for name in ("E4M3FNUZ", "E4M3B11FNUZ")},
    **{f"f8{name}": np.dtype(getattr(ml_dtypes, f"float8_{name.lower()}")) for name in ("E5M2", "E5M2FNUZ")},
}
SMALL_INTEGERS, SMALL_FLOATS = ("i2", "i4", "ui2", "ui4"), tuple(n for n in DTYPES if n.startswith("f8"))
SIGNED, UNSIGNED = ("i8", "i16", "i32", "i64"), ("ui8", "ui16", "ui32", "ui64")
INTEGERS = SIGNED + UNSIGNED
FLOATS, COMPLEX = ("bf16", "f16", "f32", "f64"), ("complex<f32>", "complex<f64>")
NUMBERS = INTEGERS + FLOATS + COMPLEX


def type_name(array: np.ndarray) -> str:
    return next(n for n, d in DTYPES.items() if np.dtype(d) == array.dtype)


def tensor(array: np.ndarray) -> str:
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{type_name(array)}>"


def dense(array: np.ndarray) -> str:
    """`dense<[1.0, 2.0]> : tensor<2xf32>`; floats that are not finite by their bits."""

    def text(values: Any) -> str:
        if isinstance(values, np.ndarray) and values.ndim:
            return "[" + ", ".join(text(v) for v in values) + "]"
        return scalar(np.asarray(values))

    return f"dense<{text(array) if array.size else ''}> : {tensor(array)}"


def scalar(value: np.ndarray) -> str:
    dtype = value.dtype
    if dtype.kind == "b":
        return str(bool(value)).lower()
    if dtype.kind in "iu" or "int" in dtype.name:
        return str(int(value))
    if dtype.kind == "c":
        return f"({scalar(value.real)}, {scalar(value.imag)})"
    if not np.isfinite(value.astype(np.float32 if dtype.itemsize == 1 else np.float64)):
        bits = value.view(f"u{dtype.itemsize}")
        return f"0x{int(bits):0{dtype.itemsize * 2}X}"
    shortest = np.format_float_scientific(value, trim="0") if dtype.itemsize >= 4 else f"{float(value):e}"
    return shortest if "." in shortest else shortest.replace("e", ".0e")


@dataclass
class Case:
    """One function of a file. `body` uses %0, %1, ... for the inputs and defines %r (or %r0, %r1, ...)."""

    name: str
    inputs: Sequence[np.ndarray]
    body: str
    expected: Sequence[np.ndarray]
    tolerance: float = 0.0

    def text(self) -> str:
        lines = [f"func.func @{self.name}() {{"]
        for i, x in enumerate(self.inputs):
            lines.append(f"  %c{i} = stablehlo.constant {dense(x)}")
            lines.append(f"  %{i} = stablehlo.optimization_barrier %c{i} : {tensor(x)}")
        lines += [f"  {line}" for line in self.body.strip().splitlines()]
        for i, want in enumerate(self.expected):
            result = "%r" if len(self.expected) == 1 else f"%r{i}"
            lines.append(f"  {self._check(want)} {result}, {dense(want)}{self._suffix(want)}")
        return "\n".join([*lines, "  return", "}"])

    def _check(self, want: np.ndarray) -> str:
        return "check.expect_almost_eq_const" if self._is_close(want) else "check.expect_eq_const"

    def _suffix(self, want: np.ndarray) -> str:
        return f", tolerance = {self.tolerance:e}" if self._is_close(want) else ""

    def _is_close(self, want: np.ndarray) -> bool:
        return bool(self.tolerance) and want.dtype.kind not in "iub"


FILES: dict[str, Callable[[], list[Case]]] = {}


def file(function: Callable[[], list[Case]]) -> Callable[[], list[Case]]:
    FILES[function.__name__.rstrip("_")] = function
    return function


def values(kind: str) -> np.ndarray:
    """Everyday and special values of an element type."""
    dtype = np.dtype(DTYPES[kind])
    if dtype.kind == "b":
        return np.array([False, True, True, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min // 2], dtype)
    reals = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.25, 1e-3, -100.0, INF, -INF, NAN]
    if dtype.kind == "c":
        finite = [0.0, 1.0, -1.0, 0.5, -2.5, 3.25]
        return np.array([complex(a, b) for a in finite for b in (0.25, -1.5)], dtype)
    return np.array(reals).astype(dtype)


def suffix(kind: str) -> str:
    return kind.replace("<", "_").replace(">", "")


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


ROUNDING = {
    "bfloat16": 1e-2,
    "float16": 2e-3,
    "float32": 2e-6,
    "float64": 1e-13,
    "complex64": 4e-6,
    "complex128": 1e-12,
}


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
unary("exponential_minus_one", FLOATS, np.expm1, exact=False)
unary("log", FLOATS + COMPLEX, np.log, exact=False)
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


@file
def convert() -> list[Case]:
    out = []
    for source in ("i1", "i8", "ui8", "i32", "ui32", "i64", "bf16", "f16", "f32", "f64"):
        for target in ("i1", "i8", "ui16", "i32", "ui64", "bf16", "f16", "f32", "f64", "complex<f32>"):
            if source == target:
                continue
            x = values(source)
            if np.dtype(DTYPES[source]).kind not in "biu":
                x = np.array([0.0, 1.0, 0.5, 3.25, 100.0, 120.75], np.float64).astype(DTYPES[source])
            want = (x != 0) if target == "i1" else x.astype(DTYPES[target])
            body = f"%r = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(want)}"
            out.append(Case(f"{suffix(source)}_to_{suffix(target)}", [x], body, [want]))
    return out


@file
def bitcast_convert() -> list[Case]:
    x = np.array([1.5, -0.0, INF], np.float32)
    same = Case(
        "same_width", [x], "%r = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3xui32>", [x.view(np.uint32)]
    )
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3x2xi16>"
    narrower = Case("to_narrower", [x], body, [x.view(np.int16).reshape(3, 2)])
    y = np.arange(8, dtype=np.uint8).reshape(2, 4)
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<2x4xui8>) -> tensor<2xi32>"
    return [same, narrower, Case("to_wider", [y], body, [y.view(np.int32).reshape(2)])]


@file
def complex_() -> list[Case]:
    x, y = np.array([1, -2.5], np.float32), np.array([0, 7], np.float32)
    body = "%r = stablehlo.complex %0, %1 : tensor<2xcomplex<f32>>"
    return [Case("f32", [x, y], body, [(x + 1j * y).astype(np.complex64)])]


def ramp(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def function_type(inputs: Sequence[np.ndarray], *results: np.ndarray) -> str:
    outs = ", ".join(map(tensor, results))
    return f"({', '.join(map(tensor, inputs))}) -> {outs if len(results) == 1 else f'({outs})'}"


def simple(
    name: str, op: str, inputs: Sequence[np.ndarray], want: np.ndarray, rest: str = "", tolerance: float = 0.0
) -> Case:
    operands = ", ".join(f"%{i}" for i in range(len(inputs)))
    return Case(
        name, inputs, f"%r = stablehlo.{op} {operands}{rest} : {function_type(inputs, want)}", [want], tolerance
    )


@file
def broadcast_in_dim() -> list[Case]:
    x = ramp(2, 1)
    return [
        simple("degenerate", "broadcast_in_dim", [x], np.broadcast_to(x, (2, 3)).copy(), ", dims = [0, 1]"),
        simple(
            "new_dims",
            "broadcast_in_dim",
            [ramp(3)],
            np.broadcast_to(ramp(3)[None, :, None], (2, 3, 4)).copy(),
            ", dims = [1]",
        ),
        simple("scalar", "broadcast_in_dim", [np.array(5, np.int32)], np.full((2, 2), 5, np.int32), ", dims = []"),
        simple("transposing", "broadcast_in_dim", [ramp(2, 3)], ramp(2, 3).T.copy(), ", dims = [1, 0]"),
        simple("empty", "broadcast_in_dim", [ramp(1)], np.zeros((0, 3), np.float32), ", dims = [1]"),
    ]


@file
def reshape() -> list[Case]:
    x = ramp(2, 6)
    return [
        simple("split", "reshape", [x], x.reshape(3, 2, 2)),
        simple("to_scalar", "reshape", [ramp(1, 1)], ramp(1).reshape(())),
        simple("from_scalar", "reshape", [np.array(3, np.int8)], np.array([[3]], np.int8)),
        simple("booleans", "reshape", [x > 4], (x > 4).reshape(12)),
        simple("empty", "reshape", [ramp(0, 3)], ramp(3, 2, 0)),
    ]


@file
def transpose() -> list[Case]:
    x, y = ramp(2, 3, 4), ramp(33, 18)
    return [
        simple("three", "transpose", [x], np.transpose(x, (2, 0, 1)).copy(), ", dims = [2, 0, 1]"),
        simple("matrix", "transpose", [y], y.T.copy(), ", dims = [1, 0]"),
        simple("bytes", "transpose", [y.astype(np.uint8)], y.astype(np.uint8).T.copy(), ", dims = [1, 0]"),
        simple("complex", "transpose", [y.astype(np.complex64)], y.astype(np.complex64).T.copy(), ", dims = [1, 0]"),
    ]


@file
def slice_() -> list[Case]:
    x = ramp(5, 9)
    return [
        simple("strided", "slice", [x], x[1:4, 0:9:3].copy(), " [1:4, 0:9:3]"),
        simple("empty", "slice", [x], x[2:2].copy(), " [2:2, 0:9]"),
        simple("whole", "slice", [x], x, " [0:5, 0:9]"),
    ]


@file
def reverse() -> list[Case]:
    x = ramp(3, 20)
    return [
        Case("last", [x], f"%r = stablehlo.reverse %0, dims = [1] : {tensor(x)}", [x[:, ::-1].copy()]),
        Case("both", [x], f"%r = stablehlo.reverse %0, dims = [0, 1] : {tensor(x)}", [x[::-1, ::-1].copy()]),
        Case("none", [x], f"%r = stablehlo.reverse %0, dims = [] : {tensor(x)}", [x]),
    ]


@file
def concatenate() -> list[Case]:
    x, y, z = ramp(2, 3), ramp(2, 5), ramp(2, 0)
    return [
        simple("inner", "concatenate", [x, y, z], np.concatenate([x, y, z], 1), ", dim = 1"),
        simple("outer", "concatenate", [x, x], np.concatenate([x, x], 0), ", dim = 0"),
        simple("booleans", "concatenate", [x > 1, y > 2], np.concatenate([x > 1, y > 2], 1), ", dim = 1"),
    ]


@file
def pad() -> list[Case]:
    x, v = ramp(2, 3), np.array(-1, np.float32)
    out = np.full((5, 8), -1, np.float32)
    out[1:4:2, 2:7:2] = x
    negative = np.full((2, 2), -1, np.float32)
    negative[:, :2] = x[:, 1:]
    return [
        simple("all_kinds", "pad", [x, v], out, ", low = [1, 2], high = [1, 1], interior = [1, 1]"),
        simple("negative", "pad", [x, v], negative, ", low = [0, -1], high = [0, 0], interior = [0, 0]"),
        simple(
            "empty",
            "pad",
            [ramp(0), np.array(7, np.float32)],
            np.full(2, 7, np.float32),
            ", low = [1], high = [1], interior = [0]",
        ),
    ]


@file
def iota() -> list[Case]:
    out = []
    for kind in ("i8", "ui32", "i64", "bf16", "f32", "complex<f32>"):
        want = np.broadcast_to(np.arange(3).astype(DTYPES[kind])[None, :, None], (2, 3, 2)).copy()
        out.append(Case(suffix(kind), [], f"%r = stablehlo.iota dim = 1 : {tensor(want)}", [want]))
    return out


@file
def dynamic_slice() -> list[Case]:
    x = ramp(4, 5)
    out = []
    for name, (i, j) in {"inside": (1, 2), "clamped_high": (3, 4), "clamped_low": (-5, -1)}.items():
        a, b = min(max(i, 0), 2), min(max(j, 0), 2)
        starts = [np.array(i, np.int32), np.array(j, np.int32)]
        out.append(simple(name, "dynamic_slice", [x, *starts], x[a : a + 2, b : b + 3].copy(), ", sizes = [2, 3]"))
    return out


@file
def dynamic_update_slice() -> list[Case]:
    x, u = ramp(4, 5), -1 - ramp(2, 3)
    out = []
    for name, (i, j) in {"inside": (1, 2), "clamped_high": (3, 4), "clamped_low": (-5, -1)}.items():
        a, b = min(max(i, 0), 2), min(max(j, 0), 2)
        want = x.copy()
        want[a : a + 2, b : b + 3] = u
        out.append(simple(name, "dynamic_update_slice", [x, u, np.array(i, np.int64), np.array(j, np.int64)], want))
    return out


@file
def reduce() -> list[Case]:
    out = []
    x = ramp(3, 4, 5)
    for name, dims in {
        "inner": (2,),
        "outer": (0,),
        "middle": (1,),
        "two": (0, 2),
        "all": (0, 1, 2),
        "none": (),
    }.items():
        want = x.sum(dims) if dims else x
        body = f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = {list(dims)} : {function_type([x, np.float32(0)], np.asarray(want))}"
        out.append(Case(f"sum_{name}", [x, np.array(0, np.float32)], body, [np.asarray(want)], 1e-6))
    for kind, op, function, start in (
        ("i32", "maximum", np.max, -(2**31)),
        ("ui8", "minimum", np.min, 255),
        ("f64", "maximum", np.max, -INF),
        ("i1", "or", np.any, False),
        ("i1", "and", np.all, True),
        ("complex<f32>", "add", np.sum, 0),
        ("bf16", "maximum", np.max, -INF),
        ("i64", "multiply", np.prod, 1),
    ):
        y = (ramp(3, 21) % 5 + 1).astype(DTYPES[kind])
        init = np.array(start).astype(y.dtype)
        want = np.asarray(function(y, 1)).astype(y.dtype)
        body = f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.{op} across dimensions = [1] : {function_type([y, init], want)}"
        out.append(Case(f"{op}_{suffix(kind)}", [y, init], body, [want]))
    return [*out, _argmax(), _empty_reduction()]


def _argmax() -> Case:
    x = np.array([[1, 7, 7, 3], [NAN, 2, 9, NAN]], np.float32)
    i = np.broadcast_to(np.arange(4, dtype=np.int32), (2, 4)).copy()
    body = """
%r0, %r1 = stablehlo.reduce(%0 init: %2), (%1 init: %3) across dimensions = [1] : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
 reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
  %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %first = stablehlo.or %gt, %nan : tensor<i1>
  %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %tie = stablehlo.and %eq, %lt : tensor<i1>
  %pick = stablehlo.or %first, %tie : tensor<i1>
  %v = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
  %w = stablehlo.select %pick, %i, %j : tensor<i1>, tensor<i32>
  stablehlo.return %v, %w : tensor<f32>, tensor<i32>
 }"""
    inputs = [x, i, np.array(-INF, np.float32), np.array(0, np.int32)]
    return Case("argmax", inputs, body, [np.array([7, NAN], np.float32), np.array([1, 0], np.int32)])


def _empty_reduction() -> Case:
    x, init = ramp(3, 0), np.array(4, np.float32)
    want = np.full(3, 4, np.float32)
    body = f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : {function_type([x, init], want)}"
    return Case("over_nothing", [x, init], body, [want])


@file
def dot_general() -> list[Case]:
    out = []
    a, b = ramp(3, 4, 5) % 7, ramp(3, 5, 2) % 5
    for kind in ("i32", "ui8", "bf16", "f16", "f32", "f64", "complex<f32>"):
        x, y = a.astype(DTYPES[kind]), b.astype(DTYPES[kind])
        want = np.matmul(a.astype(np.int64), b.astype(np.int64)).astype(
            np.complex64 if "complex" in kind else np.float64
        )
        want = want.astype(np.int64).astype(x.dtype) if x.dtype.kind in "iu" else want.astype(x.dtype)
        rest = ", batching_dims = [0] x [0], contracting_dims = [2] x [1]"
        out.append(simple(suffix(kind), "dot_general", [x, y], want, rest, 1e-6))
    x, y = ramp(4, 6), ramp(6, 4)
    out.append(
        simple(
            "two_contracted",
            "dot_general",
            [x, y],
            np.asarray((x * y.T).sum(), np.float32),
            ", contracting_dims = [0, 1] x [1, 0]",
            1e-6,
        )
    )
    out.append(
        simple("outer", "dot_general", [ramp(2), ramp(3)], np.outer(ramp(2), ramp(3)), ", contracting_dims = [] x []")
    )
    i, j = (ramp(2, 40) % 100 - 50).astype(np.int8), (ramp(40, 3) % 90 - 45).astype(np.int8)
    out.append(
        simple(
            "wider_result",
            "dot_general",
            [i, j],
            i.astype(np.int32) @ j.astype(np.int32),
            ", contracting_dims = [1] x [0]",
        )
    )
    out.append(
        simple(
            "over_nothing",
            "dot_general",
            [ramp(2, 0), ramp(0, 3)],
            np.zeros((2, 3), np.float32),
            ", contracting_dims = [1] x [0]",
        )
    )
    return out


@file
def if_() -> list[Case]:
    out = []
    for name, p in (("taken", True), ("not_taken", False)):
        x = ramp(3)
        body = """
%r = "stablehlo.if"(%0) ({
  %t = stablehlo.add %1, %1 : tensor<3xf32>
  stablehlo.return %t : tensor<3xf32>
}, {
  stablehlo.return %1 : tensor<3xf32>
}) : (tensor<i1>) -> tensor<3xf32>"""
        out.append(Case(name, [np.array(p), x], body, [x + x if p else x]))
    return out


@file
def case() -> list[Case]:
    out = []
    for index, factor in ((0, 1), (1, 2), (2, 3), (-1, 3), (7, 3)):
        x = ramp(3)
        body = '%r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {\n  %a = stablehlo.add %1, %1 : tensor<3xf32>\n  stablehlo.return %a : tensor<3xf32>\n}, {\n  %b = stablehlo.add %1, %1 : tensor<3xf32>\n  %c = stablehlo.add %b, %1 : tensor<3xf32>\n  stablehlo.return %c : tensor<3xf32>\n}) : (tensor<i32>) -> tensor<3xf32>'
        out.append(Case(f"index_{index}".replace("-", "minus_"), [np.array(index, np.int32), x], body, [x * factor]))
    return out


@file
def while_() -> list[Case]:
    body = """
%r0, %r1 = stablehlo.while(%i = %0, %s = %1) : tensor<i32>, tensor<3xf32>
 cond {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
 } do {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %t = stablehlo.add %s, %s : tensor<3xf32>
  stablehlo.return %j, %t : tensor<i32>, tensor<3xf32>
 }"""
    x = ramp(3) + 1
    doubling = Case("doubling", [np.array(0, np.int32), x], body, [np.array(5, np.int32), x * 32])
    never = Case("never_entered", [np.array(9, np.int32), x], body, [np.array(9, np.int32), x])
    swap = """
%i, %r0, %r1 = stablehlo.while(%k = %0, %a = %1, %b = %2) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
 cond {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %p = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
 } do {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %k, %one : tensor<i32>
  stablehlo.return %j, %b, %a : tensor<i32>, tensor<3xf32>, tensor<3xf32>
 }"""
    return [doubling, never, Case("swapping", [np.array(0, np.int32), x, -x], swap, [-x, x])]


@file
def sort() -> list[Case]:
    body = """
%r = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}) : (tensor<3x33xf32>) -> tensor<3x33xf32>"""
    x = np.random.default_rng(0).standard_normal((3, 33)).astype(np.float32)
    keys = np.array([3, 1, 2, 3, 1, 2, 0], np.int32)
    order = np.arange(7, dtype=np.int32)
    pairs = """
%r0, %r1 = "stablehlo.sort"(%0, %1) <{dimension = 0 : i64, is_stable = true}> ({
^bb0(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>):
  %p = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}) : (tensor<7xi32>, tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>)"""
    by_key = np.argsort(-keys, kind="stable").astype(np.int32)
    return [
        Case("rows", [x], body, [np.sort(x, 1)]),
        Case("stable_pairs", [keys, order], pairs, [keys[by_key], by_key]),
    ]


@file
def gather() -> list[Case]:
    x = ramp(4, 3)
    i = np.array([[2], [0], [9], [-3]], np.int32)
    body = """
%r = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>"""
    return [Case("rows_clamped", [x, i], body, [x[np.clip(i[:, 0], 0, 3)]])]


@file
def scatter() -> list[Case]:
    x = ramp(4, 3)
    i = np.array([[2], [0], [2], [9], [-1]], np.int32)
    u = -1 - ramp(5, 3)
    body = """
%r = "stablehlo.scatter"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>"""
    want = x.copy()
    for row, update in zip(i[:, 0], u):
        if 0 <= row < 4:
            want[row] += update
    return [Case("add_rows_skipping_outside", [x, i, u], body, [want])]


@file
def reduce_window() -> list[Case]:
    x, init = ramp(4, 6), np.array(-INF, np.float32)
    body = """
%r = "stablehlo.reduce_window"(%0, %1) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %m = stablehlo.maximum %a, %b : tensor<f32>
  stablehlo.return %m : tensor<f32>
}) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x6xf32>"""
    padded = np.pad(x, ((0, 0), (1, 1)), constant_values=-INF)
    want = np.array([[padded[2 * r : 2 * r + 2, c : c + 3].max() for c in range(6)] for r in range(2)], np.float32)
    return [Case("max_pool", [x, init], body, [want])]


@file
def convolution() -> list[Case]:
    x, w = ramp(1, 5, 6, 2) % 9, ramp(3, 2, 2, 4) % 5
    body = f"%r = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [2, 1], pad = [[1, 0], [0, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({tensor(x)}, {tensor(w)}) -> tensor<1x2x6x4xf32>"
    padded = np.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0)))
    want = np.zeros((1, 2, 6, 4), np.float32)
    for r in range(2):
        for c in range(6):
            want[0, r, c] = np.tensordot(padded[0, 2 * r : 2 * r + 3, c : c + 2], w, 3)
    return [Case("strided_padded", [x, w], body, [want], 1e-6)]


def _wrapped(numbers: np.ndarray, kind: str) -> np.ndarray:
    width = int(kind[-1])
    low = numbers & (2**width - 1)
    signed = np.where(low >> (width - 1), low - 2**width, low)
    return (low if kind[0] == "u" else signed).astype(DTYPES[kind])


@file
def element_types() -> list[Case]:
    """Types that no processor computes with: small integers wrap, small floats are computed in f32 and rounded."""
    out = []
    for kind in SMALL_INTEGERS:
        everything = np.arange(2 ** int(kind[-1]), dtype=np.uint8).view(DTYPES[kind])
        x, y = np.concatenate([everything] * 3), np.concatenate([np.roll(everything, n) for n in range(3)])
        for op, function in (("add", np.add), ("multiply", np.multiply), ("maximum", np.maximum)):
            want = _wrapped(function(x.astype(int), y.astype(int)), kind)
            out.append(simple(f"{op}_{kind}", op, [x, y], want))
        out.append(conversion(everything, everything.astype(np.int32)))
        out.append(conversion(np.arange(-9, 20, dtype=np.int32), _wrapped(np.arange(-9, 20), kind)))
    for kind in SMALL_FLOATS:
        x = np.arange(0, 256, 5, dtype=np.uint8).view(DTYPES[kind])
        with np.errstate(all="ignore"):
            wide = x.astype(np.float32)
            out.append(simple(f"add_{kind}", "add", [x, x[::-1].copy()], (wide + wide[::-1]).astype(x.dtype)))
            out.append(simple(f"divide_{kind}", "divide", [x, x[::-1].copy()], (wide / wide[::-1]).astype(x.dtype)))
        out.append(conversion(x, wide))
        numbers = np.ldexp(np.linspace(-2, 2, 97), np.arange(97) % 20 - 10).astype(np.float32)
        out.append(conversion(numbers, numbers.astype(x.dtype)))
    return out


def conversion(x: np.ndarray, want: np.ndarray) -> Case:
    body = f"%r = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(want)}"
    return Case(f"convert_{type_name(x)}_to_{type_name(want)}", [x], body, [want])


@file
def uniform_quantize() -> list[Case]:
    x = np.array([[-200, -1.3, 0.0], [0.26, 0.25, 500]], np.float32)
    out = []
    for name, kind, scales, zeros in (
        ("tensor", "!quant.uniform<i8:f32, 0.5:3>", 0.5, 3),
        ("axis", "!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>", [0.1, 0.25, 2], [-3, 0, 7]),
    ):
        scales, zeros = np.array(scales, np.float32), np.array(zeros, np.float32)
        stored = np.clip(np.rint(x / scales) + zeros, -128, 127)
        t = f"tensor<2x3x{kind}>"
        body = f"%q = stablehlo.uniform_quantize %0 : ({tensor(x)}) -> {t}\n%r = stablehlo.uniform_dequantize %q : ({t}) -> {tensor(x)}"
        out.append(Case(f"per_{name}", [x], body, [((stored - zeros) * scales).astype(np.float32)]))
    return out


@file
def dynamic_pad() -> list[Case]:
    """Amounts that the program computes, for a result of a static shape."""
    x, value = ramp(2, 3), np.array(-1, np.float32)
    low, high, interior = (np.array(v, np.int64) for v in ((1, -1), (0, 2), (1, 0)))
    want = np.full((4, 4), -1, np.float32)
    want[1::2, :2] = x[:, 1:]
    types = f"({', '.join(map(tensor, (x, value, low, high, interior)))}) -> {tensor(want)}"
    return [
        Case(
            "run_time_amounts",
            [x, value, low, high, interior],
            f"%r = stablehlo.dynamic_pad %0, %1, %2, %3, %4 : {types}",
            [want],
        )
    ]


@file
def real_dynamic_slice() -> list[Case]:
    x = ramp(4, 6)
    start, limit, stride = (np.array(v, np.int64) for v in ((1, 0), (3, 6), (1, 2)))
    want = x[1:3, 0:6:2].copy()
    types = f"({', '.join(map(tensor, (x, start, limit, stride)))}) -> {tensor(want)}"
    return [
        Case(
            "run_time_amounts",
            [x, start, limit, stride],
            f"%r = stablehlo.real_dynamic_slice %0, %1, %2, %3 : {types}",
            [want],
        )
    ]


def contents(name: str) -> str:
    cases = FILES[name]()
    head = f"// {name}: numpy's results are the expected ones. Made by generate.py.\n// RUN: hlo-run --check --target=%target %s\n"
    return head + "\n" + "\n\n".join(c.text() for c in cases) + "\n"


def main() -> int:
    stale = []
    for name in FILES:
        path = FOLDER / f"{name}.mlir"
        text = contents(name)
        if not path.exists() or path.read_text() != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text)
    print(f"{len(FILES)} files, {len(stale)} {'stale' if '--check' in sys.argv else 'written'}")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
