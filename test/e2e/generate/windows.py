"""reduce_window, convolution and select_and_scatter, by the specification's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from cases import DTYPES, INF, NAN, Case, file, function_type, ramp, suffix, tensor

NONE = ((0, 0), (0, 0))


@dataclass(frozen=True)
class Moves:
    """A window of two dimensions: sizes, and how it moves over a padded and dilated array."""

    sizes: Sequence[int]
    strides: Sequence[int] = (1, 1)
    dilations: Sequence[int] = (1, 1)
    base: Sequence[int] = (1, 1)
    padding: Sequence[Sequence[int]] = NONE

    def around(self, x: np.ndarray, start: float) -> np.ndarray:
        """The array with its first two dimensions dilated and padded, or cropped where padding is negative."""
        spread = np.full([(n - 1) * d + 1 for n, d in zip(x.shape, self.base)] + list(x.shape[2:]), start, x.dtype)
        spread[:: self.base[0], :: self.base[1]] = x
        wide = np.pad(spread, [(9, 9)] * 2 + [(0, 0)] * (x.ndim - 2), constant_values=start)
        cut = [slice(9 - low, 9 + n + high) for n, (low, high) in zip(spread.shape, self.padding)]
        return wide[tuple(cut)]

    def windows(self, x: np.ndarray, start: float) -> np.ndarray:
        """By result, then by element of the window."""
        x = self.around(x, start)
        counts = [
            max((n - (w - 1) * d - 1) // s + 1, 0)
            for n, w, s, d in zip(x.shape, self.sizes, self.strides, self.dilations)
        ]
        at = lambda d: np.add.outer(
            np.arange(counts[d]) * self.strides[d], np.arange(self.sizes[d]) * self.dilations[d]
        )
        return x[at(0)][:, :, at(1)].swapaxes(1, 2)


@file
def reduce_window() -> list[Case]:
    x, y = ramp(4, 6), ramp(5, 19) * 7 % 23 - 11
    special = y.copy()
    special[0, 0], special[2, 17], special[4, 18] = NAN, NAN, INF
    out = [
        _reduced("max_pool", x, -INF, np.max, Moves((2, 3), (2, 1), padding=((0, 0), (1, 1)))),
        _reduced("max_of_nan", special, -INF, np.max, Moves((3, 3), padding=((1, 1), (1, 1)))),
        _reduced("sum_same", y, 0, np.sum, Moves((3, 3), padding=((1, 1), (1, 1)))),
        _reduced("sum_start_counts", y, 1, np.sum, Moves((2, 3), (2, 1), padding=((2, 0), (0, 2)))),
        _reduced("padding_beyond_window", y, -2, np.min, Moves((2, 2), (1, 3), padding=((4, 3), (5, 6)))),
        _reduced("negative_padding", y, 0, np.sum, Moves((2, 3), padding=((-1, 2), (2, -3)))),
        _reduced("dilated_window", y, 0, np.sum, Moves((2, 3), (1, 1), (3, 2), padding=((3, 3), (2, 2)))),
        _reduced("dilated_base", y, 0, np.sum, Moves((3, 3), base=(2, 2), padding=((1, 2), (2, 1)))),
        _reduced("dilated_base_strided", y, -5, np.max, Moves((2, 4), (3, 2), (2, 1), (2, 3), ((1, 0), (-1, 4)))),
        _reduced("elements_between", y, 0, np.sum, Moves((1, 1), (1, 1), base=(1, 3), padding=((0, 0), (1, 0)))),
        _reduced("none_fits", y, 0, np.sum, Moves((6, 2))),
    ]
    for kind in ("i8", "ui8", "i64", "bf16", "f16", "f64"):
        out.append(
            _reduced(
                suffix(kind), np.abs(y).astype(DTYPES[kind]), 3, np.max, Moves((3, 2), (2, 1), padding=((1, 1), (0, 3)))
            )
        )
    return out


def _reduced(name: str, x: np.ndarray, start: float, fold: Callable, moves: Moves) -> Case:
    op = {np.max: "maximum", np.min: "minimum", np.sum: "add"}[fold]
    init = np.array(start, x.dtype)
    found = moves.windows(x.astype(np.float64), start)
    rows = found.reshape(*found.shape[:2], int(np.prod(moves.sizes)))
    all_of = np.concatenate([np.full((*rows.shape[:2], 1), start), rows], axis=2)
    want = fold(all_of, axis=2).astype(x.dtype)
    kind = tensor(init)
    numbers = {
        "window_dimensions": moves.sizes,
        "window_strides": moves.strides,
        "window_dilations": moves.dilations,
        "base_dilations": moves.base,
    }
    attributes = ", ".join(f"{key} = array<i64: {str(list(of))[1:-1]}>" for key, of in numbers.items())
    body = f"""
%r = "stablehlo.reduce_window"(%0, %1) <{{{attributes}, padding = dense<{[list(p) for p in moves.padding]}> : tensor<2x2xi64>}}> ({{
^bb0(%a: {kind}, %b: {kind}):
  %m = stablehlo.{op} %a, %b : {kind}
  stablehlo.return %m : {kind}
}}) : {function_type([x, init], want)}"""
    return Case(name, [x, init], body, [want])


@file
def convolution() -> list[Case]:
    x, w = ramp(1, 5, 6, 2) % 9, ramp(3, 2, 2, 4) % 5
    y, v = ramp(2, 3, 4, 3) % 11 - 5, ramp(4, 4, 3, 5) % 7 - 3
    same = ((1, 1), (1, 1))
    out = [
        _convolved("strided_padded", x, w, Moves((3, 2), (2, 1), padding=((1, 0), (0, 1)))),
        _convolved("transposed_4x4", y, v, Moves((4, 4), base=(2, 2), padding=((2, 2), (2, 2)))),
        _convolved("transposed_3x3", y, v[:3, :3], Moves((3, 3), base=(2, 2), padding=((1, 2), (1, 2)))),
        _convolved("transposed_1x1", y, v[:1, :1], Moves((1, 1), base=(3, 2), padding=((1, 0), (2, 1)))),
        _convolved("all_dilations", y, v, Moves((4, 4), (3, 1), (1, 3), (2, 2), ((3, 2), (5, 5)))),
        _convolved("negative_padding", y, v[:2], Moves((2, 4), base=(3, 2), padding=((-1, 2), (3, -2)))),
        _convolved("dilated_kernel", y, v[:2, :2], Moves((2, 2), dilations=(2, 3), padding=((1, 1), (2, 2)))),
        _convolved("depthwise", x, w[:, :, :1], Moves((3, 2), padding=same), groups=2),
        _convolved("transposed_groups", x, w[:, :, :1], Moves((3, 2), base=(2, 2), padding=same), groups=2),
    ]
    for kind in ("i32", "bf16", "f64"):
        arrays = (a.astype(DTYPES[kind]) for a in (y, v[:3, :3]))
        out.append(_convolved(suffix(kind), *arrays, Moves((3, 3), base=(2, 1), padding=same)))
    return out


def _convolved(name: str, x: np.ndarray, w: np.ndarray, moves: Moves, groups: int = 1) -> Case:
    """Images [batch, row, column, feature], a kernel [row, column, feature in, feature out]. All numbers are whole and small."""
    exact = [a.astype(np.float64) for a in (x, w)]
    found = np.stack([moves.windows(image, 0) for image in exact[0]])
    parts = zip(np.split(found, groups, axis=-1), np.split(exact[1], groups, axis=-1))
    want = np.concatenate([np.tensordot(a, b, 3) for a, b in parts], axis=-1).astype(x.dtype)
    window = f"stride = {list(moves.strides)}, pad = {[list(p) for p in moves.padding]}, lhs_dilate = {list(moves.base)}, rhs_dilate = {list(moves.dilations)}"
    body = f"%r = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{{window}}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({tensor(x)}, {tensor(w)}) -> {tensor(want)}"
    return Case(name, [x, w], body, [want], 1e-6 if x.dtype.kind not in "iu" else 0)


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
