"""Transforms of `lanes` columns side by side: Stockham's algorithm, one stage a factor of the length.

A row is a vector of one number of each column. A stage of radix r with `groups * width * r` = length:

    y = butterfly(source[(j + q * groups) * width + k] for q < r)
    target[(r * j + m) * width + k] = y[m] * exp(-2 pi i j m / (groups * r))      for j < groups, k < width

The stages go back and forth between two buffers; the result is in natural order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.vector.fft.elements import Planes, Reader, Writer
from hlo.lowering.vector.fft.vectors import Complex, Lanes, Vectors

# Transforms of a few numbers in registers: y[m] = sum over q of a[q] exp(-2 pi i q m / r)


def butterfly(a: Sequence[Complex]) -> list[Complex]:
    """The transform of len(a) numbers: 1, 2, 4, 8 or odd."""
    return SPECIAL.get(len(a), _odd)(list(a))


def _two(a: list[Complex]) -> list[Complex]:
    return [a[0] + a[1], a[0] - a[1]]


def _four(a: list[Complex]) -> list[Complex]:
    (t0, t1), (t2, t3) = _two([a[0], a[2]]), _two([a[1], a[3]])
    down, up = _quarter(t1, t3)
    return [t0 + t2, down, t0 - t2, up]


def _quarter(x: Complex, y: Complex) -> tuple[Complex, Complex]:
    """x - i y and x + i y."""
    return Complex(x.re + y.im, x.im - y.re), Complex(x.re - y.im, x.im + y.re)


def _eight(a: list[Complex]) -> list[Complex]:
    even, odd = _four(a[0::2]), _four(a[1::2])
    first, last = even[0] + odd[0], even[0] - odd[0]
    second = _quarter(even[2], odd[2])
    r, i = odd[1].parts
    down = _eighth(even[1], Complex(r + i, i - r))
    r, i = odd[3].parts
    up = _eighth(even[3], Complex(r - i, r + i))
    return [first, down[0], second[0], up[1], last, down[1], second[1], up[0]]


def _eighth(x: Complex, y: Complex) -> tuple[Complex, Complex]:
    """x + y / sqrt(2) and x - y / sqrt(2)."""
    roots = [x.re.of(sign * math.sqrt(0.5)) for sign in (1, -1)]
    more, less = (Complex(y.re.multiply_add(root, x.re), y.im.multiply_add(root, x.im)) for root in roots)
    return more, less


def _odd(a: list[Complex]) -> list[Complex]:
    """Numbers q and r - q meet the same cosines and opposite sines."""
    r, half = len(a), len(a) // 2
    sums = [a[q] + a[r - q] for q in range(1, half + 1)]
    differences = [a[q] - a[r - q] for q in range(1, half + 1)]
    y = [a[0]] * r
    for total in sums:
        y[0] = y[0] + total
    for m in range(1, half + 1):
        cosines = [math.cos(2 * math.pi * (q * m % r) / r) for q in range(1, half + 1)]
        sines = [math.sin(2 * math.pi * (q * m % r) / r) for q in range(1, half + 1)]
        starts = a[0].parts
        even = Complex(*(_weighted(part, cosines, [s.parts[n] for s in sums]) for n, part in enumerate(starts)))
        odd = Complex(*(_weighted(None, sines, [s.parts[n] for s in differences]) for n in (0, 1)))
        y[m], y[r - m] = _quarter(even, odd)
    return y


def _weighted(total: Lanes | None, factors: list[float], numbers: list[Lanes]) -> Lanes:
    """The sum of numbers times factors, from a start."""
    for factor, number in zip(factors, numbers):
        weight = number.of(factor)
        total = number * weight if total is None else number.multiply_add(weight, total)
    assert total is not None, "there are numbers"
    return total


SPECIAL: dict[int, Callable[[list[Complex]], list[Complex]]] = {
    1: lambda a: a,
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
        angles = np.outer(np.arange(groups), np.arange(1, r)) / (groups * r)
        tables.append(np.exp(-2j * np.pi * angles).ravel())
        width *= r
    return np.concatenate([*tables, np.zeros(0, np.complex128)])


@dataclass(frozen=True)
class Buffer(Planes):
    """Rows in scratch memory, at distances of `step` elements in both planes."""

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
    length, width, position = prod(factors), 1, 0
    into = buffers[0]
    for number, r in enumerate(factors):
        groups, into = length // (width * r), buffers[number % 2]
        last = number == len(factors) - 1
        stage = _Stage(v, r, groups, width, v.at(table, 2 * position))
        stage.write(source, target if last and target is not None else into.target)
        source = into.source
        width *= r
        position += groups * (r - 1)
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
                y = butterfly([read(q * self.groups * self.width) for q in range(r)])
                write = target(f.add(f.mul(j, r * self.width), k))
                for m, value in enumerate(y):
                    write(m * self.width, self._times_twiddle(value, factors, m))

    def _times_twiddle(self, value: Complex, factors: str, m: int) -> Complex:
        if m == 0 or self.groups == 1:
            return value
        return value * self.v.everywhere(factors, 2 * (m - 1))
