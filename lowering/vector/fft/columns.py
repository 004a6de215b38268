"""Transforms of `lanes` columns side by side: Stockham's algorithm, one stage a factor of the length.

A row is a vector of one number of each column. A stage of radix r with `groups * width * r` = length:

    y = butterfly(source[(j + q * groups) * width + k] for q < r)
    target[(r * j + m) * width + k] = y[m] * exp(-2 pi i j m / (groups * r))      for j < groups, k < width

The stages go back and forth between two buffers; the result is in natural order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from hlo.lowering.vector.fft.elements import Planes, Reader, Writer
from hlo.lowering.vector.fft.vectors import Complex, Vectors

# Transforms of a few numbers in registers: y[m] = sum over q of a[q] exp(-2 pi i q m / r)


def butterfly(v: Vectors, a: Sequence[Complex]) -> list[Complex]:
    """The transform of len(a) numbers: 1, 2, 4, 8 or odd."""
    return SPECIAL.get(len(a), _odd)(v, list(a))


def _two(v: Vectors, a: list[Complex]) -> list[Complex]:
    return [v.plus(*a), v.minus(*a)]


def _four(v: Vectors, a: list[Complex]) -> list[Complex]:
    (t0, t1), (t2, t3) = _two(v, [a[0], a[2]]), _two(v, [a[1], a[3]])
    turned, back = _quarter(v, t1, t3)
    return [v.plus(t0, t2), turned, v.minus(t0, t2), back]


def _quarter(v: Vectors, x: Complex, y: Complex) -> tuple[Complex, Complex]:
    """x - i y and x + i y."""
    return (v.add(x[0], y[1]), v.sub(x[1], y[0])), (v.sub(x[0], y[1]), v.add(x[1], y[0]))


def _eight(v: Vectors, a: list[Complex]) -> list[Complex]:
    even, odd = _four(v, a[0::2]), _four(v, a[1::2])
    y: list[Complex] = [("", "")] * 8
    y[0], y[4] = v.plus(even[0], odd[0]), v.minus(even[0], odd[0])
    y[2], y[6] = _quarter(v, even[2], odd[2])
    y[1], y[5] = _eighth(v, even[1], (v.add(*odd[1]), v.sub(odd[1][1], odd[1][0])))
    y[7], y[3] = _eighth(v, even[3], (v.sub(odd[3][0], odd[3][1]), v.add(*odd[3])))
    return y


def _eighth(v: Vectors, x: Complex, y: Complex) -> tuple[Complex, Complex]:
    """x + y / sqrt(2) and x - y / sqrt(2)."""
    root, minus = v.number(math.sqrt(0.5)), v.number(-math.sqrt(0.5))
    both = [tuple(v.multiply_add(part, factor, at) for part, at in zip(y, x)) for factor in (root, minus)]
    return (both[0][0], both[0][1]), (both[1][0], both[1][1])


def _odd(v: Vectors, a: list[Complex]) -> list[Complex]:
    """Numbers q and r - q meet the same cosines and opposite sines."""
    r, half = len(a), len(a) // 2
    sums = [v.plus(a[q], a[r - q]) for q in range(1, half + 1)]
    differences = [v.minus(a[q], a[r - q]) for q in range(1, half + 1)]
    y = [a[0]] * r
    for total in sums:
        y[0] = v.plus(y[0], total)
    for m in range(1, half + 1):
        cosines = [math.cos(2 * math.pi * (q * m % r) / r) for q in range(1, half + 1)]
        sines = [math.sin(2 * math.pi * (q * m % r) / r) for q in range(1, half + 1)]
        y[m], y[r - m] = _quarter(v, _weighted(v, a[0], cosines, sums), _weighted(v, None, sines, differences))
    return y


def _weighted(v: Vectors, start: Complex | None, factors: list[float], numbers: list[Complex]) -> Complex:
    parts = []
    for part in (0, 1):
        total = start[part] if start else None
        for factor, number in zip(factors, numbers):
            weight = v.number(factor)
            total = v.multiply_add(number[part], weight, total) if total else v.mul(number[part], weight)
        parts.append(total or "")
    return parts[0], parts[1]


SPECIAL: dict[int, Callable[[Vectors, list[Complex]], list[Complex]]] = {
    1: lambda v, a: a,
    2: _two,
    4: _four,
    8: _eight,
}

Row = str | int
RowSource = Callable[[Row], Reader]
"""From a row to a reader of the row that many rows behind it."""
RowTarget = Callable[[Row], Writer]


def twiddles(factors: Sequence[int]) -> np.ndarray:
    """What the stages multiply by, stage by stage but the last: [group][1 <= m < r], complex."""
    length, width, tables = prod(factors), 1, []
    for r in factors[:-1]:
        groups = length // (width * r)
        turns = np.outer(np.arange(groups), np.arange(1, r)) / (groups * r)
        tables.append(np.exp(-2j * np.pi * turns).ravel())
        width *= r
    return np.concatenate([*tables, np.zeros(0, np.complex128)])


@dataclass(frozen=True)
class Buffer(Planes):
    """Rows in scratch memory, `step` elements apart in both planes."""

    step: int = 0

    def source(self, index: Row, count: Row | None = None) -> Reader:
        read = super().source(self.v.f.mul(index, self.step), count)
        return lambda offset: read(offset * self.step)

    def target(self, index: Row, count: Row | None = None) -> Writer:
        write = super().target(self.v.f.mul(index, self.step), count)
        return lambda offset, value: write(offset * self.step, value)


def transform_columns(
    v: Vectors,
    factors: Sequence[int],
    table: str,
    source: RowSource,
    target: RowTarget | None,
    buffers: Sequence[Buffer],
) -> Buffer:
    """Writes the stages. The first one reads `source` and writes buffers[0]; the last one writes `target`, without one the
    buffer that is returned. `table`: a pointer to `twiddles(factors)`."""
    length, width, place = prod(factors), 1, 0
    into = buffers[0]
    for number, r in enumerate(factors):
        groups, into = length // (width * r), buffers[number % 2]
        last = number == len(factors) - 1
        stage = _Stage(v, r, groups, width, v.at(table, 2 * place))
        stage.write(source, target if last and target is not None else into.target)
        source = into.source
        width *= r
        place += groups * (r - 1)
    return into


@dataclass(frozen=True)
class _Stage:
    v: Vectors
    radix: int
    groups: int
    width: int
    table: str

    def write(self, source: RowSource, target: RowTarget) -> None:
        f, r = self.v.f, self.radix
        with f.loop(0, self.groups) as j:
            factors = self.v.at(self.table, f.mul(j, 2 * (r - 1)))
            with f.loop(0, self.width) as k:
                read = source(f.add(f.mul(j, self.width), k))
                y = butterfly(self.v, [read(q * self.groups * self.width) for q in range(r)])
                write = target(f.add(f.mul(j, r * self.width), k))
                for m, value in enumerate(y):
                    write(m * self.width, self._turned(value, factors, m))

    def _turned(self, value: Complex, factors: str, m: int) -> Complex:
        if m == 0 or self.groups == 1:
            return value
        v, at = self.v, 2 * (m - 1)
        return v.times(value, (v.everywhere(factors, at), v.everywhere(factors, at + 1)))
