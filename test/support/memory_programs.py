"""Programs that read and write at the borders of their operands, in sizes that no vector width divides: what a compiled
loop that goes too far would hit.

    python test/support/memory_programs.py 0 100 7     runs every 7th of programs 0 to 99 beside guard pages (a worker)"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import ml_dtypes
import numpy as np

import hlo
from hlo.dialect.attributes import (
    ConvDimensionNumbers,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    ScatterDimensionNumbers,
)
from hlo.tools.fuzz.guarded_memory import check

SIZES = (1, 2, 3, 5, 7, 15, 17, 31, 33, 63, 65, 127, 1025)
MATRICES = ((1, 1), (3, 5), (7, 17), (16, 33), (33, 16), (65, 3), (1, 257), (127, 31))
DTYPES = (
    "f32",
    "f64",
    "bf16",
    "f16",
    "i8",
    "i1",
    "i16",
    "i32",
    "i64",
    "ui8",
    "complex<f32>",
    "complex<f64>",
    "f8E4M3FN",
)
ARITHMETIC = ("f32", "f64", "bf16", "i8", "i32", "complex<f32>")
NUMPY = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
Program = Callable[[hlo.Builder, Callable[..., Any]], Any]
"""Builds a program from a builder and a function that makes its parameters: parameter(shape, dtype, array=None)."""


def random_array(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Small numbers, of both signs where there are such."""
    numbers = np.random.default_rng(seed).integers(-9, 10, shape)
    if dtype == "i1":
        return numbers > 0
    return (abs(numbers) if dtype.startswith("ui") else numbers).astype(NUMPY[dtype])


def wild_indices(shape: tuple[int, ...], dtype: str, limit: int, seed: int) -> np.ndarray:
    """Indices of which half lie outside of [0, limit): just so, far, and as far as the type goes."""
    generator = np.random.default_rng(seed)
    info = np.iinfo(NUMPY[dtype])
    inside = generator.integers(0, max(limit, 1), shape)
    outside = [info.min, info.max, info.min + 1, info.max - 1, limit, limit + 1, -1, -2, -limit, info.max // 2 + 1]
    outside = [x for x in outside if info.min <= x <= info.max]
    chosen = np.array(outside, NUMPY[dtype])[generator.integers(0, len(outside), shape)]
    return np.where(generator.random(shape) < 0.5, chosen, inside.astype(NUMPY[dtype]))


def elementwise(n: int, dtype: str) -> Program:
    return lambda b, p: (lambda x, y: (b.add(x, y), b.select(b.compare(x, y, "NE"), x, y)))(
        p((n,), dtype), p((n,), dtype)
    )


def unary(name: str, n: int, dtype: str) -> Program:
    return lambda b, p: b.op(name, p((n,), dtype))


def broadcast(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        row, column, scalar = p((n,), dtype), p((m,), dtype), p((), dtype)
        shape = (m, n)
        wide = [
            b.broadcast_in_dim(x, d, result_type=(shape, dtype)) for x, d in ((row, [1]), (column, [0]), (scalar, []))
        ]
        return b.add(b.add(wide[0], wide[1]), wide[2])

    return build


def reduction(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), dtype)
        zero = np.zeros((), NUMPY[dtype])
        return [b.reduce(x, zero, lambda p, q: p + q, dimensions=d) for d in ([0], [1], [0, 1])]

    return build


def two_reductions(m: int, n: int) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), "f32")
        i = b.iota(1, result_type=((m, n), "i32"))

        def larger(a: Any, k: Any, c: Any, j: Any) -> Any:
            keep = b.compare(a, c, "GE")
            return b.select(keep, a, c), b.select(keep, k, j)

        return b.reduce([x, i], [np.float32(-np.inf), np.int32(0)], larger, dimensions=[1])

    return build


def softmax(m: int, n: int) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), "f32")
        top = b.reduce(x, np.float32(-np.inf), b.maximum, dimensions=[1])
        e = b.exponential(b.subtract(x, b.broadcast_in_dim(top, [0], result_type=((m, n), "f32"))))
        s = b.reduce(e, np.float32(0), lambda p, q: p + q, dimensions=[1])
        return b.divide(e, b.broadcast_in_dim(s, [0], result_type=((m, n), "f32")))

    return build


def transposition(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, y = p((m, n), dtype), p((3, m, n), dtype)
        return b.transpose(x, [1, 0]), b.transpose(y, [2, 0, 1]), b.transpose(y, [0, 2, 1]), b.transpose(y, [2, 1, 0])

    return build


def reversal(m: int, n: int, dtype: str) -> Program:
    return lambda b, p: (lambda x: (b.reverse(x, [0]), b.reverse(x, [1]), b.reverse(x, [0, 1])))(p((m, n), dtype))


def slices(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), dtype)
        return (
            b.op("slice", x, [m // 2, n // 3], [m, n], [1, 1]),
            b.op("slice", x, [0, n - 1], [m, n], [1, 1]),
            b.op("slice", x, [0, 0], [m, n], [2, 3]),
            b.add(
                b.op("slice", x, [0, min(1, n - 1)], [m, n], [1, 1]),
                b.op("slice", x, [0, 0], [m, max(n - 1, 1)], [1, 1]),
            ),
        )

    return build


def pads(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, v = p((m, n), dtype), p((), dtype)
        configurations = [
            ([1, 2], [0, 3], [0, 0]),
            ([0, 0], [1, 1], [1, 2]),
            ([-1 if m > 1 else 0, 2], [3, -1 if n > 1 else 0], [0, 1]),
            ([-1 if m > 1 else 0, -1 if n > 2 else 0], [0, -1 if n > 2 else 0], [0, 0]),
        ]
        return [b.op("pad", x, v, *c) for c in configurations]

    return build


def concatenation(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, y, z = p((m, n), dtype), p((m, 1), dtype), p((2, n), dtype)
        return (
            b.concatenate([x, y, x], dimension=1),
            b.concatenate([z, x], dimension=0),
            b.concatenate([b.add(x, x), y], dimension=1),
        )

    return build


def side_by_side(n: int, count: int, dtype: str) -> Program:
    """Rows of `count` elements that are put together, taken apart, repeated and turned."""

    def build(b: Any, p: Any) -> Any:
        columns, rows, pairs = [p((n, 1), dtype) for _ in range(count)], p((count, n), dtype), p((n, 2), dtype)
        x = b.concatenate(columns, dimension=1)
        repeated = b.broadcast_in_dim(columns[0], [0, 1], result_type=((n, count), dtype))
        tiled = b.broadcast_in_dim(pairs, [0, 2], result_type=((n, count, 2), dtype))
        return (
            b.concatenate([x, b.add(pairs, pairs), rows_of(b, rows)], dimension=1),
            b.add(repeated, b.op("slice", rows_of(b, rows), [0, 0], [n, count], [1, 1])),
            b.reverse(p((n, count), dtype), [1]),
            b.add(tiled, tiled),
            b.op("slice", p((n * count,), dtype), [count - 1], [n * count], [count]),
            b.transpose(p((n, count), dtype), [1, 0]),
            b.op("dynamic_update_slice", b.reverse(rows_of(b, rows), [0]), pairs, [np.int32(0), np.int32(count - 2)]),
        )

    return build


def rows_of(b: Any, columns: Any) -> Any:
    return b.transpose(columns, [1, 0])


def sorting(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), dtype)
        i = b.iota(0, result_type=((m, n), "i32"))
        return (
            b.op("sort", [x], lambda p, q: b.compare(p, q, "LT"), 1, True),
            *b.op("sort", [x, i], lambda p, q, r, s: b.compare(p, q, "GT"), 0, True),
        )

    return build


def windows(m: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), dtype)
        zero = np.zeros((), NUMPY[dtype])
        add = lambda p, q: p + q
        return [
            b.op("reduce_window", [x], [zero], add, w, s, base, d, pad)
            for w, s, base, d, pad in (
                ([2, 3], [1, 1], [1, 1], [1, 1], [[0, 1], [1, 1]]),
                ([1, 2], [2, 3], [1, 1], [1, 1], [[0, 0], [0, 1]]),
                ([2, 2], [1, 2], [2, 3], [1, 2], [[1, 2], [2, 0]]),
                ([1, n], [1, 1], [1, 1], [1, 1], [[0, 0], [n - 1, 0]]),
            )
        ]

    return build


def select_scatter(m: int, n: int) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, source = p((2 * m, 2 * n), "f32"), p((m, n), "f32")
        return b.op(
            "select_and_scatter", x, source, np.float32(0), lambda p, q: b.compare(p, q, "GE"), lambda p, q: p + q,
            [2, 2], [2, 2], [[0, 0], [0, 0]],
        )  # fmt: skip

    return build


def dots(m: int, k: int, n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, y, z = p((m, k), dtype), p((k, n), dtype), p((n, k), dtype)
        batch = p((3, m, k), dtype), p((3, k, n), dtype)
        vector = p((k,), dtype)
        return (
            b.dot_general(x, y, DotDimensionNumbers((), (), (1,), (0,))),
            b.dot_general(x, z, DotDimensionNumbers((), (), (1,), (1,))),
            b.dot_general(y, z, DotDimensionNumbers((), (), (0,), (1,))),
            b.dot_general(*batch, DotDimensionNumbers((0,), (0,), (2,), (1,))),
            b.dot_general(x, vector, DotDimensionNumbers((), (), (1,), (0,))),
            b.dot_general(vector, y, DotDimensionNumbers((), (), (0,), (0,))),
            b.dot_general(vector, vector, DotDimensionNumbers((), (), (0,), (0,))),
        )

    return build


def convolutions(h: int, w: int, c: int, f: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, k, depth = p((2, h, w, c), dtype), p((3, 2, c, f), dtype), p((2, 2, 1, 2 * c), dtype)
        nhwc = ConvDimensionNumbers(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))
        nchw = ConvDimensionNumbers(0, 1, (2, 3), 1, 0, (2, 3), 0, 1, (2, 3))
        y, filters = p((2, c, h, w), dtype), p((f, c, 2, 3), dtype)
        common = {"feature_group_count": 1, "batch_group_count": 1}
        return (
            b.op("convolution", x, k, padding=[[1, 1], [0, 1]], dimension_numbers=nhwc, **common),
            b.op("convolution", x, k, window_strides=[2, 3], padding=[[2, 0], [1, 1]], rhs_dilation=[1, 2],
                 dimension_numbers=nhwc, **common),
            b.op("convolution", x, k, lhs_dilation=[2, 2], padding=[[1, 2], [1, 0]], dimension_numbers=nhwc, **common),
            b.op("convolution", x, depth, padding=[[1, 0], [0, 1]], dimension_numbers=nhwc, feature_group_count=c,
                 batch_group_count=1),
            b.op("convolution", y, filters, padding=[[0, 1], [1, 1]], dimension_numbers=nchw, **common),
        )  # fmt: skip

    return build


def single_sums(m: int, n: int, dtype: str) -> Program:
    """Sums of one product each, whose results lie the other way than their operand."""

    def build(b: Any, p: Any) -> Any:
        x, k = p((m, 3, 1, n), dtype), p((1, 1, 1, 1), dtype)
        turned = ConvDimensionNumbers(1, 2, (0, 3), 1, 2, (3, 0), 0, 1, (3, 2))
        y = b.transpose(p((m, 1, n), dtype), [2, 1, 0])
        return (
            b.op("convolution", x, k, padding=[[1, 0], [0, 0]], dimension_numbers=turned, feature_group_count=1,
                 batch_group_count=1),
            b.reduce(y, np.zeros((), x.dtype), lambda a, c: a + c, dimensions=[1]),
        )  # fmt: skip

    return build


def gathers(m: int, n: int, dtype: str, index: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), dtype)
        rows = p((9, 1), index, wild_indices((9, 1), index, m, 1))
        points = p((5, 2), index, wild_indices((5, 2), index, min(m, n), 2))
        single = p((11,), index, wild_indices((11,), index, n, 3))
        half = (max(m // 2, 1), max(n // 2, 1))
        return (
            b.gather(x, rows, GatherDimensionNumbers((1,), (0,), (), (), (0,), 1), [1, n]),
            b.gather(x, points, GatherDimensionNumbers((), (0, 1), (), (), (0, 1), 1), [1, 1]),
            b.gather(x, points, GatherDimensionNumbers((1, 2), (), (), (), (1, 0), 1), list(half)),
            b.gather(x, single, GatherDimensionNumbers((0,), (1,), (), (), (1,), 1), [m, 1]),
        )

    return build


def scatters(m: int, n: int, dtype: str, index: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((m, n), dtype)
        rows = p((9, 1), index, wild_indices((9, 1), index, m, 4))
        points = p((5, 2), index, wild_indices((5, 2), index, min(m, n), 5))
        half = (max(m // 2, 1), max(n // 2, 1))
        add = lambda p, q: p + q
        return (
            b.scatter([x], rows, [p((9, n), dtype)], add, ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)),
            b.scatter([x], points, [p((5,), dtype)], add, ScatterDimensionNumbers((), (0, 1), (), (), (0, 1), 1)),
            b.scatter([x], points, [p((5, *half), dtype)], add, ScatterDimensionNumbers((1, 2), (), (), (), (1, 0), 1)),
            b.scatter(
                [x], rows, [p((9, n), dtype)], lambda p, q: q, ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)
            ),
        )

    return build


def dynamic_slices(m: int, n: int, dtype: str, index: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, small = p((m, n), dtype), p((max(m // 2, 1), max(n // 3, 1)), dtype)
        results = []
        for seed in range(6):
            i, j = (p((), index, wild_indices((), index, limit, seed + 10 * limit)) for limit in (m, n))
            results += [
                b.op("dynamic_slice", x, [i, j], [max(m // 2, 1), max(n // 3, 1)]),
                b.op("dynamic_update_slice", x, small, [i, j]),
                b.op("dynamic_slice", b.op("dynamic_update_slice", x, small, [i, j]), [j, i], [1, n]),
            ]
        return results

    return build


def linear_algebra(n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        matrix = random_array((2, n, n), dtype, n).astype(np.float64)
        definite = (matrix @ matrix.transpose(0, 2, 1) + 100 * np.eye(n)).astype(NUMPY[dtype])
        a, y = p((2, n, n), dtype, definite), p((2, n, 3), dtype)
        return b.cholesky(a, True), b.triangular_solve(a, y, True, True, False, "NO_TRANSPOSE")

    return build


def transforms(n: int) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, z = p((3, n), "f32"), p((3, n), "complex<f32>")
        return b.fft(x, "RFFT", [n]), b.fft(z, "FFT", [n]), b.fft(z, "IFFT", [n])

    return build


def scan(m: int, n: int) -> Program:
    def build(b: Any, p: Any) -> Any:
        x, buffer = p((m, n), "f32"), p((m, n), "f32")

        def body(i: Any, total: Any, y: Any) -> Any:
            row = b.op("dynamic_slice", x, [i, np.int32(0)], [1, n])
            total = total + row
            return i + 1, total, b.op("dynamic_update_slice", y, total, [i, np.int32(0)])

        start = b.op("slice", x, [0, 0], [1, n], [1, 1])
        return b.while_(lambda i, t, y: b.compare(i, np.int32(m), "LT"), body, b.constant(np.int32(0)), start, buffer)

    return build


def conversions(n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        x = p((n,), dtype)
        targets = [t for t in ("f32", "bf16", "i8", "i64", "f64", "i1", "ui8", "i4") if t != dtype]
        return [b.convert(x, dtype=t) for t in targets]

    return build


def small_integers(n: int) -> Program:
    return lambda b, p: (
        lambda x: (b.convert(b.convert(x, dtype="i4"), dtype="i8"), b.reverse(b.convert(x, dtype="i2"), [0]))
    )(p((n,), "i8"))


def bitcasts(n: int) -> Program:
    def build(b: Any, p: Any) -> Any:
        return b.bitcast_convert(p((n,), "f32"), dtype="i8"), b.bitcast_convert(p((n, 4), "i8"), dtype="i32")

    return build


def random_bits(n: int, dtype: str) -> Program:
    def build(b: Any, p: Any) -> Any:
        state = p((2,), "ui64", np.array([1, 2], np.uint64))
        types = ["2xui64", ((n,), dtype)]
        return [b.op("rng_bit_generator", state, name, result_types=types)[1] for name in ("THREE_FRY", "PHILOX")]

    return build


def programs() -> Iterator[tuple[str, Program]]:
    """Every program under its name."""
    for dtype in DTYPES:
        for n in SIZES:
            yield f"elementwise {n} {dtype}", elementwise(n, dtype)
    for name in ("exponential", "tanh", "logistic", "sine", "cbrt", "sqrt", "abs", "floor", "round_nearest_even"):
        for n in (1, 3, 17, 33, 127):
            yield f"{name} {n}", unary(name, n, "f32")
            yield f"{name} {n} f64", unary(name, n, "f64")
    for m, n in MATRICES:
        for dtype in ARITHMETIC:
            yield f"broadcast {m} {n} {dtype}", broadcast(m, n, dtype)
            yield f"reduction {m} {n} {dtype}", reduction(m, n, dtype)
            yield f"transposition {m} {n} {dtype}", transposition(m, n, dtype)
            yield f"reversal {m} {n} {dtype}", reversal(m, n, dtype)
            yield f"slices {m} {n} {dtype}", slices(m, n, dtype)
            yield f"pads {m} {n} {dtype}", pads(m, n, dtype)
            yield f"concatenation {m} {n} {dtype}", concatenation(m, n, dtype)
            yield f"windows {m} {n} {dtype}", windows(m, n, dtype)
            yield f"single sums {m} {n} {dtype}", single_sums(m, n, dtype)
            for index in ("i32", "i64", "ui8", "ui32", "ui64", "i8"):
                yield f"gathers {m} {n} {dtype} {index}", gathers(m, n, dtype, index)
                yield f"scatters {m} {n} {dtype} {index}", scatters(m, n, dtype, index)
                yield f"dynamic slices {m} {n} {dtype} {index}", dynamic_slices(m, n, dtype, index)
            if not dtype.startswith("complex"):
                yield f"sorting {m} {n} {dtype}", sorting(m, n, dtype)
        yield f"two reductions {m} {n}", two_reductions(m, n)
        yield f"softmax {m} {n}", softmax(m, n)
        yield f"select_and_scatter {m} {n}", select_scatter(m, n)
        yield f"scan {m} {n}", scan(m, n)
    for dtype in ARITHMETIC:
        for sizes in ((1, 1, 1), (3, 5, 7), (17, 33, 9), (65, 31, 129), (5, 257, 3), (1, 100, 1), (130, 2, 70)):
            yield f"dots {sizes} {dtype}", dots(*sizes, dtype)
        for sizes in ((5, 7, 3, 5), (9, 17, 1, 33), (4, 4, 17, 9), (12, 11, 2, 1)):
            yield f"convolutions {sizes} {dtype}", convolutions(*sizes, dtype)
    for n in (1, 2, 5, 17, 33):
        yield f"linear algebra {n}", linear_algebra(n, "f32")
        yield f"linear algebra {n} f64", linear_algebra(n, "f64")
        yield f"transforms {n}", transforms(n)
        yield f"bitcasts {n}", bitcasts(n)
        yield f"small integers {n}", small_integers(n)
        for dtype in DTYPES:
            yield f"conversions {n} {dtype}", conversions(n, dtype)
        for dtype in ("ui8", "ui32", "ui64"):
            yield f"random bits {n} {dtype}", random_bits(n, dtype)


def build(program: Program) -> tuple[hlo.Executable, list[np.ndarray], Any]:
    """The compiled program, its arguments, and its module."""
    b = hlo.Builder()
    arrays: list[np.ndarray] = []

    def parameter(shape: tuple[int, ...], dtype: str, array: np.ndarray | None = None) -> Any:
        arrays.append(random_array(shape, dtype, len(arrays)) if array is None else array)
        return b.parameter((shape, dtype))

    results = program(b, parameter)
    module = b.build(*(results if isinstance(results, (tuple, list)) else [results]))
    return hlo.compile(module), arrays, module


def narrowing() -> Iterator[tuple[str, Program]]:
    """Conversions whose last vector has one element, at the widths of all processors."""
    for source, target in (("i16", "i8"), ("i32", "i8"), ("i32", "i16"), ("i64", "i16"), ("i64", "i32")):
        for n in (5, 9, 17, 33, 65):
            yield f"{source} to {target} {n}", lambda b, p, n=n, s=source, t=target: b.convert(p((n,), s), dtype=t)


def interleaving() -> Iterator[tuple[str, Program]]:
    """Sizes beside lengths of rows, element types in turn."""
    types = cycle(DTYPES)
    for n in (1, 3, 7, 17, 33, 65, 127):
        for count in (2, 3, 5, 8, 25):
            dtype = next(types)
            yield f"{n} rows of {count} {dtype}", side_by_side(n, count, dtype)


def first_of_long(dtype: str, length: int, kept: int, numbers: int) -> Program:
    """The largest elements and their places in a row that has only so many numbers."""

    def build(b: Any, p: Any) -> Any:
        x = p((length,), dtype, np.random.default_rng(numbers).integers(0, numbers, length).astype(NUMPY[dtype]))
        i = b.iota(0, result_type=((length,), "i32"))
        both = b.op("sort", [x, i], lambda p, q, r, s: b.compare(p, q, "GT"), 0, True)
        return [b.op("slice", v, [0], [kept], [1]) for v in both]

    return build


def selection() -> Iterator[tuple[str, Program]]:
    """Rows whose first elements are found by two threads, where all of them may be on one side of the number that divides the work."""
    for dtype in ("i8", "i16", "i32", "i64", "f32", "f64", "ui64"):
        for length, kept in ((70001, 5000), (200003, 30000)):
            for numbers in (1, 2, 3, 100):
                yield f"first {kept} of {length} {dtype} {numbers}", first_of_long(dtype, length, kept, numbers)


KINDS = {"narrowing": narrowing, "interleaving": interleaving, "selection": selection}


def main(start: str, stop: str = "0", step: str = "1") -> None:
    """`start`: a number, or one of KINDS, of which all programs are run."""
    chosen = list(KINDS.get(start, programs)())
    if start not in KINDS:
        chosen = chosen[int(start) : int(stop) : int(step)]
    for name, program in chosen:
        print("START", name, flush=True)
        try:
            executable, arrays, module = build(program)
            check(executable, arrays)
            if start == "selection":  # test_top_k.py has what they find, which is too much for the reference
                continue
            expected = hlo.compile(module, target="reference")(*arrays)
            for number, (found, wanted) in enumerate(zip(executable(*arrays), expected, strict=True)):
                assert close(found, wanted), f"result {number} differs from the reference"
        except Exception as error:
            print("BAD", name, type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)
            if "-v" in sys.argv:
                traceback.print_exc()
    print("DONE", len(chosen), flush=True)


def close(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Equal; floats within what the order of additions may change."""
    if found.dtype.kind in "biu" or "int" in found.dtype.name:
        return bool((found == wanted).all())
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    tolerance = 2e-2 if found.dtype.itemsize < 4 else 1e-4
    return bool(np.allclose(found.astype(wide), np.asarray(wanted).astype(wide), tolerance, tolerance, equal_nan=True))


if __name__ == "__main__":
    main(*[a for a in sys.argv[1:] if a != "-v"])
