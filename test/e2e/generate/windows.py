"""select_and_scatter, by the specification's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cases import DTYPES, Case, file, function_type, ramp, suffix, tensor


@file
def select_and_scatter() -> list[Case]:
    operand = np.array([[1, 5], [2, 5], [3, 6], [4, 4]], np.int32)
    source = np.array([[5, 6], [7, 8]], np.int32)
    example = np.array([[0, 0], [0, 0], [5, 14], [7, 0]], np.int32)
    out = [_case("example", operand, source, 0, example, (3, 1), (2, 1), ((0, 1), (0, 0)))]
    for name, window, strides, padding in (
        ("overlapping", (3, 3), (1, 1), ((0, 0), (0, 0))),
        ("overlapping_padded", (3, 2), (1, 2), ((1, 1), (0, 1))),
        ("apart", (2, 2), (3, 3), ((0, 0), (0, 0))),
        ("whole", (6, 7), (1, 1), ((0, 0), (0, 0))),
        ("single_elements", (1, 1), (1, 1), ((0, 0), (0, 0))),
        ("negative_padding", (2, 2), (1, 1), ((-1, 0), (0, -2))),
    ):
        out.append(_computed(name, np.float32, (6, 7), window, strides, padding))
    for kind in ("i8", "ui32", "i64", "bf16", "f64"):
        out.append(_computed(suffix(kind), DTYPES[kind], (5, 4), (2, 3), (1, 1), ((0, 0), (1, 1))))
    out.append(_computed("three_dimensions", np.float32, (2, 4, 3), (1, 2, 2), (1, 2, 1), ((0, 0), (0, 0), (1, 0))))
    out.append(_computed("smallest", np.float32, (5, 4), (3, 2), (1, 1), ((0, 0), (0, 0)), "LE"))
    none = _case("no_source", operand, source[:0], 3, np.full((4, 2), 3, np.int32), (5, 1), (1, 1), ((0, 0), (0, 0)))
    return [*out, none]


def _computed(name, dtype, shape, window, strides, padding, direction: str = "GE") -> Case:
    x = np.random.default_rng(2).permutation(int(np.prod(shape))).reshape(shape)
    sizes = [(n + lo + hi - w) // s + 1 for n, (lo, hi), w, s in zip(shape, padding, window, strides)]
    source = ramp(*sizes, dtype=np.int64) % 5 + 1
    want = scattered(x, source, 2, window, strides, padding, np.less_equal if direction == "LE" else np.greater_equal)
    arrays = (a.astype(dtype) for a in (x, source))
    return _case(name, *arrays, 2, want.astype(dtype), window, strides, padding, direction)


def scattered(x, source, start, window, strides, padding, selects: Callable) -> np.ndarray:
    """Each element of source goes to the element of its window that wins against all others."""
    result = np.full(x.shape, start)
    for index in np.ndindex(source.shape):
        corner = [i * s - low for i, s, (low, _) in zip(index, strides, padding)]
        cells = [tuple(c + o for c, o in zip(corner, offset)) for offset in np.ndindex(*window)]
        inside = [c for c in cells if all(0 <= i < n for i, n in zip(c, x.shape))]
        best = inside[0]
        for cell in inside[1:]:
            best = best if selects(x[best], x[cell]) else cell
        result[best] += source[index]
    return result


def _case(name, x, source, start, want, window, strides, padding: Sequence, direction: str = "GE") -> Case:
    init = np.array(start, x.dtype)
    kind = tensor(init)
    attributes = f"""window_dimensions = array<i64: {str(list(window))[1:-1]}>, window_strides = array<i64: {str(list(strides))[1:-1]}>, padding = dense<{[list(p) for p in padding]}> : tensor<{len(padding)}x2xi64>"""
    body = f"""
%r = "stablehlo.select_and_scatter"(%0, %1, %2) <{{{attributes}}}> ({{
^bb0(%a: {kind}, %b: {kind}):
  %p = stablehlo.compare {direction}, %a, %b : ({kind}, {kind}) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}}, {{
^bb0(%a: {kind}, %b: {kind}):
  %s = stablehlo.add %a, %b : {kind}
  stablehlo.return %s : {kind}
}}) : {function_type([x, source, init], want)}"""
    return Case(name, [x, source, init], body, [want])
