"""Ops with a body on scalars: reductions, windows, map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import reduction as ops
from hlo.reference.conversion import converted
from hlo.reference.data_movement import pad
from hlo.reference.table import evaluates

SHORT = 16
"""Up to this many elements are reduced from left to right."""


@evaluates(ops.ReduceOp)
def evaluate_reduce(call, *operands):
    count = len(operands) // 2
    arrays = promoted(call, operands)
    inputs, inits = arrays[:count], arrays[count:]
    kept = [d for d in range(inputs[0].ndim) if d not in call.dimensions]
    shape = [inputs[0].shape[d] for d in kept]
    size = int(np.prod([inputs[0].shape[d] for d in call.dimensions], dtype=np.int64))
    rows = [x.transpose([*kept, *sorted(call.dimensions)]).reshape([*shape, size]) for x in inputs]
    while rows[0].shape[-1] > SHORT:
        rows = _neighbours(call, rows)
    state = [np.broadcast_to(i, shape) for i in inits]
    for k in range(rows[0].shape[-1]):
        state = call.apply(0, *state, *(r[..., k] for r in rows))
    return list(state)


def promoted(call: Any, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What a function computes with, in the types of its results, which may be wider than those of the operands; `arrays`: as many as
    there are results, once or several times over."""
    types = [call.dtype(number) for number in range(len(call.op.operation.results))]
    return [x if x.dtype == t else converted(x, t) for x, t in zip(arrays, types * (len(arrays) // len(types)))]


def _neighbours(call: Any, rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Elements 0 and 1, 2 and 3, ... combined: the order stays, the length is halved."""
    even = rows[0].shape[-1] // 2 * 2
    combined = call.apply(0, *(r[..., 0:even:2] for r in rows), *(r[..., 1:even:2] for r in rows))
    return [np.concatenate([c, r[..., even:]], axis=-1) for c, r in zip(combined, rows)]


@evaluates(ops.ReduceWindowOp)
def evaluate_reduce_window(call, *operands):
    windows = call.window_dimensions, call.window_strides, call.base_dilations, call.window_dilations, call.padding
    return reduced_windows(partial(call.apply, 0), promoted(call, operands), *windows)


def reduced_windows(
    apply: Callable[..., Sequence[np.ndarray]],
    operands: Sequence[np.ndarray],
    sizes: Sequence[int],
    strides: Sequence[int],
    base_dilations: Sequence[int],
    dilations: Sequence[int],
    padding: Any,
) -> list[np.ndarray]:
    """The reductions of all windows by a function of scalars; operands: arrays, then an initial value for each."""
    count = len(operands) // 2
    inputs, inits = operands[:count], operands[count:]
    low, high = zip(*padding) if len(padding) else ((), ())
    padded = [pad(x, i, low, high, [d - 1 for d in base_dilations]) for x, i in zip(inputs, inits)]
    spans = [(w - 1) * d + 1 for w, d in zip(sizes, dilations)]
    shape = [max((n - s) // t + 1, 0) if n >= s else 0 for n, s, t in zip(padded[0].shape, spans, strides)]
    state: Sequence[np.ndarray] = [np.broadcast_to(i, shape) for i in inits]
    for offset in np.ndindex(*sizes):
        at = [o * d for o, d in zip(offset, dilations)]
        state = apply(*state, *(strided(p, at, shape, strides) for p in padded))
    return list(state)


def strided(x: np.ndarray, start: Sequence[int], shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """`shape` elements from `start` on, at intervals of `strides`."""
    return x[tuple(slice(a, a + (n - 1) * s + 1 if n else a, s) for a, n, s in zip(start, shape, strides))]


@evaluates(ops.SelectAndScatterOp)
def evaluate_select_and_scatter(call, operand, source, init):
    selected = _selected(call, operand, source.shape)
    source, init = promoted(call, [source, init])
    result = np.full(operand.shape, init, init.dtype)
    for number, window in enumerate(np.ndindex(source.shape)):
        if selected.reshape(-1)[number] >= 0:
            index = np.unravel_index(selected.reshape(-1)[number], operand.shape)
            result[index] = call.run(1, result[index], source[window])[0]
    return result


def _selected(call: Any, operand: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """For each window the number of the chosen element of the operand; -1 for one wholly in the padding."""
    low, high = zip(*call.padding) if len(call.padding) else ((), ())
    zeros = [0] * operand.ndim
    values = pad(operand, np.zeros((), operand.dtype), low, high, zeros)
    numbers = pad(np.arange(operand.size).reshape(operand.shape), -1, low, high, zeros)
    best, chosen = np.zeros(shape, operand.dtype), np.full(shape, -1)
    for offset in np.ndindex(*call.window_dimensions):
        value = strided(values, offset, shape, call.window_strides)
        number = strided(numbers, offset, shape, call.window_strides)
        keeps = call.apply(0, best, value)[0] & (chosen >= 0)
        takes = (number >= 0) & ~keeps
        best, chosen = np.where(takes, value, best), np.where(takes, number, chosen)
    return chosen


@evaluates(ops.MapOp)
def evaluate_map(call, *inputs):
    return call.apply(0, *inputs)[0]
