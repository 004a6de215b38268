"""What StableHLO ops do to constants, by numpy, from the specification. Used by fold-constants.

Only ops whose result is the same on every target are here: exact ones, and those that IEEE 754 rounds in one way."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import hlo.dialect.stablehlo  # noqa: F401  (its classes are in OPS)
from hlo.dialect.definition import OPS
from hlo.dialect.types import shape
from hlo.lowering.stablehlo.constants import dtype_of

_COMPARE = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


def _compare(op: Any, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray | None:
    if op.compare_type in ("TOTALORDER", "WEAKORDER") or lhs.dtype.kind == "c":
        return None
    return _COMPARE[op.comparison_direction](lhs, rhs)


def _divide(op: Any, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray | None:
    """Integers round towards zero. Division by zero and of the least number by -1 are implementation-defined."""
    if lhs.dtype.kind not in "iu":
        return lhs / rhs
    if _has_no_quotient(lhs, rhs):
        return None
    quotient = lhs // rhs
    return quotient + ((quotient < 0) & (quotient * rhs != lhs)).astype(lhs.dtype)


def _remainder(op: Any, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray | None:
    """With the sign of the dividend."""
    if lhs.dtype.kind not in "iu":
        return None
    return None if _has_no_quotient(lhs, rhs) else np.fmod(lhs, rhs)


def _has_no_quotient(lhs: np.ndarray, rhs: np.ndarray) -> bool:
    overflows = lhs.dtype.kind == "i" and bool(((lhs == np.iinfo(lhs.dtype).min) & (rhs == -1)).any())
    return bool((rhs == 0).any()) or overflows


def _maximum(op: Any, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray | None:
    return None if _zeros_differ(lhs, rhs) else np.maximum(lhs, rhs)


def _minimum(op: Any, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray | None:
    return None if _zeros_differ(lhs, rhs) else np.minimum(lhs, rhs)


def _zeros_differ(lhs: np.ndarray, rhs: np.ndarray) -> bool:
    """Whether 0.0 meets -0.0, of which numpy may choose the wrong one."""
    if lhs.dtype.kind in "iub":
        return False
    return bool(((lhs == 0) & (rhs == 0) & (np.signbit(lhs) != np.signbit(rhs))).any())


def _sign(op: Any, operand: np.ndarray) -> np.ndarray | None:
    return np.sign(operand) if operand.dtype.kind in "iu" else None


def _clamp(op: Any, least: np.ndarray, operand: np.ndarray, greatest: np.ndarray) -> np.ndarray | None:
    return np.minimum(np.maximum(operand, least), greatest) if operand.dtype.kind in "iu" else None


def _shift(left: bool, signed: bool) -> Callable[[Any, np.ndarray, np.ndarray], np.ndarray]:
    """Bits shifted out are lost; an amount of the width or more, or negative, loses all."""

    def evaluate(op: Any, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
        bits = 8 * lhs.dtype.itemsize
        view = np.dtype(f"{'i' if signed else 'u'}{lhs.dtype.itemsize}")
        amount = rhs.astype(f"u{rhs.dtype.itemsize}")
        value = lhs.astype(view)
        clipped = np.minimum(amount, bits - 1).astype(view)
        shifted = value << clipped if left else value >> clipped
        filler = np.where(value < 0, -1, 0).astype(view) if signed else np.zeros_like(value)
        return np.where(amount >= bits, filler, shifted).astype(lhs.dtype)

    return evaluate


def _convert(op: Any, operand: np.ndarray) -> np.ndarray | None:
    """Floats to integers only where the number fits: the rest is implementation-defined."""
    dtype = dtype_of(op.result.type.element_type)
    if dtype is None:
        return None
    if operand.dtype.kind == "c" and dtype.kind != "c":
        return None if dtype.kind == "b" else _convert(op, operand.real)
    if dtype.kind == "b":
        return operand != 0
    if str(dtype) == "bfloat16" and not _is_exact_f32(operand):
        return None  # ml_dtypes goes through f32, which rounds twice
    if operand.dtype.kind in "iub" or dtype.kind not in "iu":
        return operand.astype(dtype)
    limits, wide = np.iinfo(dtype), np.trunc(operand.astype(np.float64))
    fits = (wide >= float(limits.min)) & (wide < float(limits.max) + (1 if limits.bits < 64 else 0))
    return wide.astype(dtype) if bool(fits.all()) else None


def _complex(op: Any, real: np.ndarray, imaginary: np.ndarray) -> np.ndarray:
    result = np.empty(real.shape, dtype_of(op.result.type.element_type))
    result.real, result.imag = real, imaginary
    return result


def _is_exact_f32(operand: np.ndarray) -> bool:
    narrow = operand.astype(np.float32)
    return bool(((narrow.astype(operand.dtype) == operand) | (operand != operand)).all())


def _broadcast_in_dim(op: Any, operand: np.ndarray) -> np.ndarray:
    sizes = [1] * len(shape(op.result.type))
    for size, dimension in zip(operand.shape, op.broadcast_dimensions, strict=True):
        sizes[dimension] = size
    if list(op.broadcast_dimensions) != sorted(op.broadcast_dimensions):
        order = np.argsort(op.broadcast_dimensions)
        operand = operand.transpose(order)
    return np.broadcast_to(operand.reshape(sizes), shape(op.result.type))


def _slice(op: Any, operand: np.ndarray) -> np.ndarray:
    bounds = zip(op.start_indices, op.limit_indices, op.strides, strict=True)
    return operand[tuple(slice(*b) for b in bounds)]


_LARGEST_IOTA = 16
"""A longer one is cheaper to compute than to read."""


def _iota(op: Any) -> np.ndarray | None:
    dtype, sizes, d = dtype_of(op.output.type.element_type), shape(op.output.type), op.iota_dimension
    if dtype is None or math.prod(sizes) > _LARGEST_IOTA:
        return None
    indices = np.arange(sizes[d]).astype(dtype).reshape([-1 if i == d else 1 for i in range(len(sizes))])
    return np.broadcast_to(indices, sizes)


EVALUATE: dict[str, Callable[..., np.ndarray | None]] = {
    "abs": lambda op, x: np.abs(x),
    "add": lambda op, x, y: x + y,
    "and": lambda op, x, y: x & y,
    "broadcast_in_dim": _broadcast_in_dim,
    "ceil": lambda op, x: np.ceil(x),
    "clamp": _clamp,
    "compare": _compare,
    "complex": _complex,
    "concatenate": lambda op, *xs: np.concatenate(xs, op.dimension),
    "convert": _convert,
    "divide": _divide,
    "floor": lambda op, x: np.floor(x),
    "iota": _iota,
    "imag": lambda op, x: x.imag,
    "is_finite": lambda op, x: np.isfinite(x),
    "maximum": _maximum,
    "minimum": _minimum,
    "multiply": lambda op, x, y: x * y,
    "negate": lambda op, x: -x,
    "not": lambda op, x: ~x,
    "or": lambda op, x, y: x | y,
    "real": lambda op, x: x.real,
    "remainder": _remainder,
    "reshape": lambda op, x: x.reshape(shape(op.result.type)),
    "reverse": lambda op, x: np.flip(x, op.dimensions),
    "select": lambda op, pred, x, y: np.asarray(np.where(pred, x, y)),
    "shift_left": _shift(left=True, signed=False),
    "shift_right_arithmetic": _shift(left=False, signed=True),
    "shift_right_logical": _shift(left=False, signed=False),
    "sign": _sign,
    "slice": _slice,
    "subtract": lambda op, x, y: x - y,
    "transpose": lambda op, x: x.transpose(op.permutation),
    "xor": lambda op, x, y: x ^ y,
}
"""By mnemonic: the op and the values of its operands in, the result out, or None where it is not certain."""


def evaluated(op: Any, operands: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """What an op makes of the values of its operands; None where one is not known (or there is none), or the result is not certain."""
    evaluate = EVALUATE.get(op.operation.name.removeprefix("stablehlo."))
    if evaluate is None or not operands or any(x is None for x in operands):
        return None
    with np.errstate(all="ignore"):
        return evaluate(op, *operands)


ELEMENTWISE = frozenset(name for name in EVALUATE if OPS[f"stablehlo.{name}"].ELEMENTWISE)
SAME_ELEMENT = frozenset({"broadcast_in_dim", "reshape", "reverse", "slice", "transpose"})
"""Ops that only move elements: a splat stays one."""
ON_COMPLEX = SAME_ELEMENT | {"add", "complex", "concatenate", "convert", "imag", "negate", "real", "select", "subtract"}
"""Ops whose result is certain where elements are complex: products and quotients depend on how they are computed."""
