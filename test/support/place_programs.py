"""Every op that reads or writes where numbers of the program say, on operands with 0, 1 and a few elements in each dimension, with
indices of each integer type at the limits of the type and around those of the operand: compiled, in guarded memory, against
the reference.

    python test/support/place_programs.py 0 2       every 2nd program, from the first (a worker); a line a finding, then DONE"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from extreme_shapes import ADD, SECOND, run
from memory_programs import NUMPY, wild_indices

from hlo.dialect.attributes import GatherDimensionNumbers, ScatterDimensionNumbers

INDICES = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((0,), (1,), (5,), *itertools.product((0, 1, 3), repeat=2), (1, 2, 1), (2, 1, 3), (2, 0, 3))
Make = Callable[[Any, Callable[..., Any], Shape, str], list[Any]]
FAMILIES: dict[str, Make] = {}


def family(make: Make) -> Make:
    FAMILIES[make.__name__] = make
    return make


def edges(kind: str, size: int) -> list[np.ndarray]:
    """Numbers of an index type: its limits, and what lies around a dimension of this size."""
    info = np.iinfo(NUMPY[kind])
    numbers = {info.min, info.max, info.max // 2 + 1, -1, 0, size - 1, size, size + 1}
    return [np.array(n, NUMPY[kind]) for n in sorted(numbers) if info.min <= n <= info.max]


def starts(p: Callable[..., Any], s: Shape, kind: str) -> Iterator[list[Any]]:
    """Index scalars for each dimension, so that each edge of each dimension is met."""
    columns = [edges(kind, n) for n in s]
    for turn in range(max(map(len, columns))):
        yield [p((), kind, column[(turn + d) % len(column)]) for d, column in enumerate(columns)]


@family
def dynamic_slice(b, p, s, kind):
    x = p(s, "f32")
    sizes = [list(s), [min(n, 1) for n in s], [n - (n > 1) for n in s]]
    return [b.dynamic_slice(x, i, sizes[turn % 3]) for turn, i in enumerate(starts(p, s, kind))]


@family
def dynamic_update_slice(b, p, s, kind):
    x, updates = p(s, "f32"), [p(tuple(min(n, 1) for n in s), "f32"), p(tuple(n - (n > 1) for n in s), "f32")]
    return [b.dynamic_update_slice(x, updates[turn % 2], i) for turn, i in enumerate(starts(p, s, kind))]


@family
def gather_points(b, p, s, kind):
    every = tuple(range(len(s)))
    indices = p((9, len(s)), kind, wild_indices((9, len(s)), kind, max(s), len(s)))
    numbers = GatherDimensionNumbers((), every, (), (), every, 1)
    return [b.gather(p(s, "f32"), indices, numbers, [min(n, 1) for n in s])]


@family
def gather_rows(b, p, s, kind):
    """Whole slices along each dimension, whose places are out of range half of the time; the index vector is a scalar."""
    results, x = [], p(s, "i16")
    for d, n in enumerate(s):
        rest = tuple(i for i in range(len(s)) if i != d)
        numbers = GatherDimensionNumbers(tuple(range(1, len(s))), (d,), (), (), (d,), 1)
        sizes = [min(n, 1) if i == d else s[i] for i in range(len(s))]
        indices = p((7,), kind, wild_indices((7,), kind, n, d))
        results.append(b.gather(x, indices, numbers, sizes))
        constant = np.array(sizes, np.int64)
        results.append(b.op("dynamic_gather", x, indices, constant, dimension_numbers=numbers))
        if n:
            results.append(b.torch_index_select(x, indices, d, 0))
        assert len(rest) == len(s) - 1
    return results


@family
def gather_batches(b, p, s, kind):
    if len(s) < 2:
        return []
    numbers = GatherDimensionNumbers(
        tuple(range(2, len(s))), (1,), operand_batching_dims=(0,), start_indices_batching_dims=(0,),
        start_index_map=(1,), index_vector_dim=2,
    )  # fmt: skip
    indices = p((s[0], 6), kind, wild_indices((s[0], 6), kind, s[1], 1))
    return [b.gather(p(s, "f32"), indices, numbers, [min(s[0], 1), min(s[1], 1), *s[2:]])]


@family
def scatter(b, p, s, kind):
    """Points that are added, and slices that are written; what does not fit is left out."""
    every, x = tuple(range(len(s))), p(s, "i32")
    indices = p((9, len(s)), kind, wild_indices((9, len(s)), kind, max(s), 3))
    points = ScatterDimensionNumbers((), every, (), (), every, 1)
    results = [b.scatter(x, indices, p((9,), "i32"), ADD, points)]
    slices = ScatterDimensionNumbers(tuple(range(1, len(s) + 1)), (), (), (), every, 1)
    for turn, place in enumerate(edges(kind, s[0])):
        one = np.broadcast_to(place, (1, len(s))).copy()
        window = tuple(n - (n > 1) * (turn % 2) for n in s)
        results.append(b.scatter(x, p((1, len(s)), kind, one), p((1, *window), "i32"), SECOND, slices))
    return results


@family
def dynamic_sizes(b, p, s, kind):
    """What only the running program knows of slices and paddings, of the sizes that results say (others: test_runtime_places.py)."""
    if not all(s):
        return []
    x, value, result = p(s, "f32"), p((), "f32"), (s, "f32")
    zeros, ones = (p((len(s),), kind, np.full(len(s), n, NUMPY[kind])) for n in (0, 1))
    results = [b.op("real_dynamic_slice", x, zeros, ones, ones, result_type=([1] * len(s), "f32"))]
    for start in (0, 1):
        limits = p((len(s),), kind, np.array([start + n - 1 for n in s], NUMPY[kind]))
        smaller = ([n - 1 for n in s], "f32")
        results.append(b.op("real_dynamic_slice", x, (zeros, ones)[start], limits, ones, result_type=smaller))
    for shift in (0,) if kind.startswith("u") else (-4, -1, 0, 1, 4):  # what one side gets, the other side loses
        low, high = (p((len(s),), kind, np.full(len(s), n, NUMPY[kind])) for n in (shift, -shift))
        results.append(b.op("dynamic_pad", x, value, low, high, zeros, result_type=result))
    return results


@family
def branches(b, p, s, kind):
    """`case` takes i32: its last branch for what is out of range."""
    if kind != "i32":
        return []
    x = p(s, "f32")
    return [b.case(p((), kind, i), lambda: x, lambda: x + x, lambda: -x) for i in edges(kind, 3)]


def programs() -> Iterator[tuple[str, Callable[..., Any]]]:
    """One for each family and index type; the results of all shapes."""
    for name, make in FAMILIES.items():
        for kind in INDICES:
            every = lambda b, p, make=make, kind=kind: [r for s in SHAPES for r in make(b, p, s, kind)]
            if name != "branches" or kind == "i32":
                yield f"{name} {kind}", every


if __name__ == "__main__":
    run(list(programs()), *sys.argv[1:])
