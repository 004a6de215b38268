"""Every family of ops that move, sum, sort or solve, on tensors of rank 0 and rank 8, without elements (in each place of a
shape) and with one: compiled, in guarded memory, against the reference.

    python test/support/extreme_shapes.py 0 2       every 2nd program, from the first (a worker); a line a finding, then DONE"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from memory_programs import build, close

import hlo
from hlo.dialect.attributes import (
    ConvDimensionNumbers,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    RaggedDotDimensionNumbers,
    ScatterDimensionNumbers,
)
from hlo.tools.fuzz.guarded_memory import check

RANK_8 = (2, 1, 3, 1, 2, 1, 1, 2)
SHAPES = ((), (0,), (1,), (1, 0, 2), RANK_8, (2, 1, 3, 0, 2, 1, 1, 2))
WITH_DIMENSIONS = SHAPES[1:]
Shape = tuple[int, ...]
Make = Callable[[Any, Callable[..., Any], Shape], Any]
ADD: Callable[[Any, Any], Any] = lambda x, y: x + y
SECOND: Callable[[Any, Any], Any] = lambda x, y: y
FAMILIES: dict[str, tuple[Make, tuple[Shape, ...]]] = {}
"""By name: what a builder, its function for parameters and a shape make; and the shapes."""


def family(*shapes: Shape) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        FAMILIES[make.__name__] = make, shapes or SHAPES
        return make

    return register


@family()
def reduce(b, p, s):
    x, y = p(s, "f32"), p(s, "i32")
    dimensions = [[], list(range(len(s))), list(range(len(s)))[::2], list(range(len(s)))[-1:]]
    both = lambda x, y, v, w: (b.maximum(x, v), b.minimum(y, w))
    sums = [b.reduce(x, 0.0, ADD, d) for d in dimensions] + [b.reduce(y, 7, b.maximum, d) for d in dimensions]
    return [*sums, *b.reduce([x, y], [-np.inf, 9], both, dimensions[1])]


@family()
def reduce_window(b, p, s):
    x, ones, twos = p(s, "f32"), [1] * len(s), [2] * len(s)
    wide = {"base_dilations": twos, "window_dilations": twos, "padding": [[2, 1]] * len(s)}
    return [
        b.reduce_window(x, 0.0, ADD, ones),
        b.reduce_window(x, 0.0, ADD, twos),
        b.reduce_window(x, -np.inf, b.maximum, twos, twos, padding="SAME"),
        b.reduce_window(x, 1.0, b.multiply, twos, ones, **wide),
    ]


@family()
def select_and_scatter(b, p, s):
    x, twos = p(s, "f32"), [2] * len(s)
    windows = [n // 2 for n in s]
    kept = b.select_and_scatter(x, p(s, "f32"), 0.0, lambda x, y: x >= y, ADD, [1] * len(s))
    return kept, b.select_and_scatter(x, p(tuple(windows), "f32"), 0.5, lambda x, y: x >= y, ADD, twos, twos)


@family()
def move(b, p, s):
    x, r = p(s, "f32"), len(s)
    half = [n // 2 for n in s]
    return [
        b.transpose(x), b.transpose(x, [*range(r)][1:] + [*range(r)][:1]), b.rev(x, list(range(r))),
        b.slice(x, [0] * r, half), b.slice(x, half, list(s), [2] * r), b.slice(x, list(s), list(s)),
        b.reshape(x, [1] * (8 - r) + list(s)), b.reshape(x, [int(np.prod(s)), 1]),
        b.broadcast(x, [0] if r > 7 else [2, 0][: 8 - r]), b.broadcast(x, [1] * (8 - r)),
        b.iota(0, [2, *s][:8], "i32"), b.convert(x, "bf16"), b.bitcast_convert(x, dtype="ui32"), b.map(x, lambda v: v * v),
    ]  # fmt: skip


@family()
def pad(b, p, s):
    x, r = p(s, "f32"), len(s)
    rows = [[(0, 0, 0)] * r, [(1, 0, 0)] * r, [(0, 2, 1)] * r, [(-n, 0, 0) for n in s], [(3, -n, 2) for n in s]]
    return [b.pad(x, 5.0, row) if row else b.pad(x, 5.0, [], [], []) for row in rows]


@family(*WITH_DIMENSIONS)
def concatenate(b, p, s):
    x, y, d = p(s, "i32"), p(s, "i32"), len(s) - 1
    none = p((*s[:-1], 0), "i32")
    return [
        b.concatenate(x, dimension=0),
        b.concatenate(x, y, dimension=0),
        b.concatenate(none, x, none, y, dimension=d),
    ]


@family()
def broadcast_in_dim(b, p, s):
    x, r = p(s, "f32"), len(s)
    return [b.broadcast_in_dim(x, list(range(8 - r, 8)), [1] * (8 - r) + list(s)),
            b.broadcast_in_dim(x, list(range(r)), [*s, 0] if r < 8 else s)]  # fmt: skip


@family(*WITH_DIMENSIONS)
def sort(b, p, s):
    x, y = p(s, "f32"), p(s, "i32")
    ordered = [b.sort(x, None, d) for d in range(len(s))]
    return [*ordered, *b.sort([x, y], lambda x, v, y, w: x > v, 0, True), *b.top_k(x, 0), *b.top_k(x, s[-1])]


@family()
def dynamic_slice(b, p, s):
    x, outside = p(s, "f32"), [p((), "i32", np.array(n, np.int32)) for n in ([-(2**31), 2**31 - 1] * 4)[: len(s)]]
    whole, none = list(s), [0] * len(s)
    return [
        b.dynamic_slice(x, outside, whole), b.dynamic_slice(x, outside, none),
        b.dynamic_slice(x, outside, [min(n, 1) for n in s]),
        b.dynamic_update_slice(x, p(s, "f32"), outside), b.dynamic_update_slice(x, p(tuple(none), "f32"), outside),
    ]  # fmt: skip


@family()
def gather(b, p, s):
    x, r = p(s, "i32"), len(s)
    every, few = tuple(range(r)), [min(n, 1) for n in s]
    wild = p((3, r), "i32", np.resize(np.array([0, -5, 2**31 - 1, 1], np.int32), (3, r)))
    none = p((0, r), "i32")
    offsets = tuple(range(1, r + 1)) if r < 8 else None
    points = GatherDimensionNumbers((), every, (), (), every, 1)
    results = [b.gather(x, i, points, size) for i in (wild, none) for size in (few, [0] * r)]
    if offsets is None:
        return results
    slices = GatherDimensionNumbers(offsets, (), (), (), every, 1)
    return [
        *results,
        b.gather(x, wild, slices, few),
        b.gather(x, wild, slices, [0] * r),
        b.gather(x, none, slices, few),
    ]


@family()
def scatter(b, p, s):
    x, r = p(s, "i32"), len(s)
    every = tuple(range(r))
    wild = p((3, r), "i32", np.resize(np.array([0, -5, 2**31 - 1, 1], np.int32), (3, r)))
    points = ScatterDimensionNumbers((), every, (), (), every, 1)
    results = [
        b.scatter(x, wild, p((3,), "i32"), ADD, points),
        b.scatter(x, p((0, r), "i32"), p((0,), "i32"), ADD, points),
    ]
    if r == 8:
        return results
    slices = ScatterDimensionNumbers(tuple(range(1, r + 1)), (), (), (), every, 1)
    return [*results, b.scatter(x, p((1, r), "i32", np.zeros((1, r), np.int32)), p((1, *s), "i32"), SECOND, slices)]


@family()
def dot_general(b, p, s):
    r = len(s)
    x, y = p(s, "f32"), p(s, "f32")
    every, first = tuple(range(r)), tuple(range(r // 2))
    rest = tuple(range(r // 2, r))
    numbers = [DotDimensionNumbers((), (), every, every), DotDimensionNumbers(every, every, (), ()),
               DotDimensionNumbers(first, first, rest, rest)]  # fmt: skip
    outer = [b.dot_general(x, p((), "f32"), DotDimensionNumbers((), (), (), ()))]
    return [b.dot_general(x, y, n) for n in numbers] + outer


@family((0, 3, 2), (2, 0, 3), (2, 3, 0), (0, 0, 0), (1, 1, 1))
def matrices(b, p, s):
    m, k, n = s
    x, y = p((m, k), "f32"), p((k, n), "f32")
    sizes = p((2,), "i32", np.array([m, 0], np.int32))
    ragged = RaggedDotDimensionNumbers((), (), (1,), (1,), (0,), (0,))
    return [x @ y, b.dot(x, y), b.einsum(x, y, "ab,bc->ca"), b.einsum(x, y, "ab,bc->"), b.unary_einsum(x, "ab->b"),
            p((2, m, k), "bf16") @ p((2, k, n), "bf16"), p((m, k), "i8") @ p((k, n), "i8"),
            b.chlo.ragged_dot(x, p((2, k, n), "f32"), sizes, ragged)]  # fmt: skip


def numbers(spatial: int) -> ConvDimensionNumbers:
    places = tuple(range(1, spatial + 1))
    last, kernel = spatial + 1, tuple(range(spatial))
    return ConvDimensionNumbers(0, last, places, spatial, last, kernel, 0, last, places)


@family((), (0,), (1,), (4, 0), (0, 4), (1, 2, 1, 1, 2, 1))
def convolution(b, p, s):
    r = len(s)
    groups = {"dimension_numbers": numbers(r), "feature_group_count": 1, "batch_group_count": 1}
    kernels = [((2,) * r, 2, 3), ((1,) * r, 2, 0), ((1,) * r, 0, 3), ((0,) * r, 2, 3)]
    images = [b.op("convolution", p((2, *s, c), "f32"), p((*w, c, f), "f32"), **groups) for w, c, f in kernels]
    same = b.conv(p((0, *s, 2), "f32"), p((*((3,) * r), 2, 3), "f32"), [2] * r, [(1, 1)] * r, numbers(r))
    return [*images, same]


@family((), (0,), (2, 0), (1, 2, 1, 1, 1, 2))
def linear_algebra(b, p, s):
    results = []
    for n, k in ((0, 2), (1, 0), (2, 3), (0, 0)):
        definite = np.broadcast_to(np.eye(n, dtype=np.float32) * 4, (*s, n, n)).copy()
        a, y = p((*s, n, n), "f32", definite), p((*s, n, k), "f32")
        results += [b.cholesky(a, True), b.triangular_solve(a, y, True, True, False, "NO_TRANSPOSE")]
    return results


@family((1,), (0, 4), (4, 1), (2, 0, 3), (1, 2, 1, 1, 2, 1, 1, 3))
def fft(b, p, s):
    z, x, n = p(s, "complex<f32>"), p(s, "f32"), s[-1]
    whole = [b.fft(z, kind, [n]) for kind in ("FFT", "IFFT")] + [b.fft(x, "RFFT", [n]), b.fft(z, "IRFFT", [2 * n - 1])]
    return whole + ([b.fft(z, "FFT", list(s[-2:]))] if len(s) > 1 else [])


@family()
def dynamic(b, p, s):
    x, r = p(s, "f32"), len(s)
    sizes, zeros, ones = (np.array(v, np.int32).reshape(r) for v in (s, [0] * r, [1] * r))
    return [
        b.dynamic_reshape(x, sizes), b.dynamic_broadcast_in_dim(x, sizes, list(range(r))),
        b.dynamic_pad(x, 1.0, ones, zeros, ones), b.real_dynamic_slice(x, zeros, sizes, ones),
        b.dynamic_iota(np.array([*s, 2][:8], np.int32), 0, dtype="i32"),
    ]  # fmt: skip


@family(*WITH_DIMENSIONS)
def batch_norm(b, p, s):
    x, d = p(s, "f32"), len(s) - 1
    v = [p((s[-1],), "f32") for _ in range(4)]
    variance = b.abs(v[3])
    return [
        b.batch_norm_inference(x, *v[:3], variance, epsilon=0.5, feature_index=d),
        *b.batch_norm_training(x, *v[:2], epsilon=0.5, feature_index=d),
        *b.batch_norm_grad(x, v[0], v[1], variance, p(s, "f32"), epsilon=0.5, feature_index=d),
    ]


@family(*WITH_DIMENSIONS)
def scan(b, p, s):
    slices = p(s[1:], "f32")
    return b.scan([p(s, "f32")], [slices], lambda x, c: (x + c, x - c), dimension=0)


@family()
def control_flow(b, p, s):
    x, i = p(s, "f32"), p((), "i32", np.array(2, np.int32))
    steps = b.while_(lambda n, v: n > 0, lambda n, v: (n - 1, v + v), i, x)
    return [*steps, b.if_(b.compare(i, 0, "LT"), lambda: x, lambda: -x), b.case(i, lambda: x, lambda: x + x),
            *b.optimization_barrier(x, i), b.all_reduce(x, ADD, [[0]]), b.collective_permute(x, [[0, 0]])]  # fmt: skip


@family()
def select(b, p, s):
    x, y, mask = p(s, "f32"), p(s, "f32"), p(s, "i1")
    return [b.select(mask, x, y), b.clamp(-1.0, x, 2.0), b.clamp(x, y, x), b.compare(x, y, "LT"), b.complex(x, y)]


@family((0,), (1,), (2, 0), RANK_8)
def random_bits(b, p, s):
    state = p((2,), "ui64", np.array([1, 2], np.uint64))
    return [v for kind in ("THREE_FRY", "PHILOX") for v in b.rng_bit_generator(state, kind, sizes=s, dtype="ui32")]


@family(*WITH_DIMENSIONS)
def torch_index_select(b, p, s):
    index = p((2,), "i32", np.zeros(2, np.int32))
    return [b.torch_index_select(p((*s[:-1], 3), "f32"), index, len(s) - 1, 0), b.get_dimension_size(p(s, "f32"), 0)]


def programs() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, (make, shapes) in FAMILIES.items():
        for s in shapes:
            yield f"{name} {s}", lambda b, p, make=make, s=s: list(make(b, p, s))


def run(every: list[tuple[str, Callable[..., Any]]], start: str, step: str) -> None:
    chosen = every[int(start) :: int(step)]
    for name, program in chosen:
        print("START", name, flush=True)
        try:
            executable, arrays, module = build(program)
            check(executable, arrays)
            expected = hlo.compile(module, target="reference")(*arrays)
            for number, (found, wanted) in enumerate(zip(executable(*arrays), expected, strict=True)):
                assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), f"result {number}: {found.shape}"
                assert close(found, wanted), f"result {number} differs: {found}, {wanted}"
        except Exception as error:
            print("BAD", name, type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)
    print("DONE", len(chosen), flush=True)


if __name__ == "__main__":
    run(list(programs()), *sys.argv[1:])
