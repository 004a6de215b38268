"""Cumulative ops that carry more than a sum or product from element to element."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import ELEMENTS, dtype_of
from hlo.torch.graph_builder import dimension_of, highest, lowest
from hlo.torch.registry import rule


@rule("cummax")
def cummax(b: Any, x: Value, dim: int) -> tuple[Value, Value]:
    return _extremes(b, x, dim, "GE", lowest)


@rule("cummin")
def cummin(b: Any, x: Value, dim: int) -> tuple[Value, Value]:
    return _extremes(b, x, dim, "LE", highest)


def _extremes(b: Any, x: Value, dim: int, order: str, least: Any) -> tuple[Value, Value]:
    """The greatest (or least) of all elements up to each one, and its last index; NaN is beyond all numbers. Floats are
    compared as integers: each comparison waits for the one before, and these take a quarter of the time. The element
    itself goes with its integer, with the sign of a zero."""
    if not x.rank or 0 in x.shape:
        return x, b.full(x.shape, 0, torch.int64)
    along, is_float = dimension_of(dim, x.rank), dtype_of(x).is_floating_point
    beyond = highest if order == "GE" else lowest
    inputs = [x, b.positions(x.shape, along)]
    if is_float:
        inputs = [_ordered(b, x, beyond), *inputs]
    count = len(inputs)

    def later(*both: Value) -> tuple[Value, ...]:
        found, new = both[:count], both[count:]
        takes = b.compare(new[0], found[0], order)
        return tuple(b.select(takes, y, z) for y, z in zip(new, found))

    starts = [b.number(least(dtype_of(v)), dtype_of(v)) for v in inputs[:-1]] + [b.number(0, torch.int64)]
    return tuple(running(b, inputs, starts, later, along)[-2:])  # type: ignore[return-value]


_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def _ordered(b: Any, x: Value, beyond: Any) -> Value:
    """Integers in the order of the floats, with one zero, and with NaN at the end that is `beyond`."""
    kind = _BITS[dtype_of(x).itemsize]
    bits = b.op("bitcast_convert", b.select(b.eq(x, 0), b.full(x.shape, 0, dtype_of(x)), x), dtype=ELEMENTS[kind])
    sign = b.shift_right_arithmetic(bits, b.full(bits.shape, 8 * kind.itemsize - 1, kind))
    ordered = b.xor(bits, b.and_(sign, b.full(bits.shape, highest(kind), kind)))
    return b.select(b.eq(x, x), ordered, b.full(x.shape, beyond(kind), kind))


def running(b: Any, inputs: Any, starts: Any, body: Any, along: int) -> Any:
    """The reduction of all elements up to each one: windows that reach back to the beginning."""
    shape = (inputs if isinstance(inputs, Value) else inputs[0]).shape
    window = [size if d == along else 1 for d, size in enumerate(shape)]
    padding = [(size - 1, 0) if d == along else (0, 0) for d, size in enumerate(shape)]
    return b.reduce_window(inputs, starts, body, window, padding=padding)


def _limit(x: Any, dim: int) -> str | None:
    return "complex numbers" if x.dtype.is_complex else None


@rule("logcumsumexp", limit=_limit)
def logcumsumexp(b: Any, x: Value, dim: int) -> Value:
    """log(exp(x0) + ... + exp(xi)), from logarithm to logarithm, so that no sum overflows; in f64, as PyTorch does."""
    if not x.rank or 0 in x.shape:
        return x
    along, wide = dimension_of(dim, x.rank), b.cast(x, torch.float64)
    rest = [n for d, n in enumerate(x.shape) if d != along]

    def step(value: Value, total: Value) -> tuple[Value, ...]:
        made = _log_of_sum(b, value, total)
        return made, made

    start = b.full(rest, -math.inf, dtype_of(wide))
    return b.cast(b.scan([wide], [start], step, along)[0], dtype_of(x))


def _log_of_sum(b: Any, x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y)); infinities that are equal stay what they are."""
    low, high = b.minimum(x, y), b.maximum(x, y)
    is_same = b.and_(b.eq(low, high), b.eq(b.abs(low), math.inf))
    return b.select(is_same, high, b.add(b.log_plus_one(b.exponential(b.subtract(low, high))), high))
