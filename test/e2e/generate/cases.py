"""One function of a self-checking file: constants in, an op, the expected result; and arrays as MLIR text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

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


ROUNDING = {
    "bfloat16": 1e-2,
    "float16": 2e-3,
    "float32": 2e-6,
    "float64": 1e-13,
    "complex64": 4e-6,
    "complex128": 1e-12,
}
"""Tolerances where several results are right, by the array's element type."""


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
    functions: str = ""
    """Other functions that the body names: private ones are not run by themselves."""

    def text(self) -> str:
        lines = [f"func.func @{self.name}() {{"]
        for i, x in enumerate(self.inputs):
            lines.append(f"  %c{i} = stablehlo.constant {dense(x)}")
            lines.append(f"  %{i} = stablehlo.optimization_barrier %c{i} : {tensor(x)}")
        lines += [f"  {line}" for line in self.body.strip().splitlines()]
        for i, want in enumerate(self.expected):
            result = "%r" if len(self.expected) == 1 else f"%r{i}"
            lines.append(f"  {self._check(want)} {result}, {dense(want)}{self._suffix(want)}")
        ended = "\n".join([*lines, "  return", "}"])
        return f"{ended}\n\n{self.functions}" if self.functions else ended

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


def file_as(name: str, function: Callable[[], list[Case]]) -> None:
    """A file whose name is no Python name: of an op of another dialect, `chlo.tan`."""
    FILES[name] = function


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
