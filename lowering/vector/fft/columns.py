"""Transforms of `lanes` columns side by side: Stockham's algorithm, one stage a factor of the length.

A row is a vector of one number of each column. A stage of radix r with `groups * width * r` = length:

    y = butterfly(source[(j + q * groups) * width + k] for q < r)
    target[(r * j + m) * width + k] = y[m] * exp(-2 pi i j m / (groups * r))      for j < groups, k < width

The stages go back and forth between two buffers; the result is in natural order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from hlo.lowering.vector.fft.butterflies import butterfly
from hlo.lowering.vector.fft.vectors import Complex, Vectors

Row = str | int
Reader = Callable[[int], Complex]
Writer = Callable[[int, Complex], None]
Source = Callable[[Row], Reader]
"""From a row to a reader of the row that many rows behind it."""
Target = Callable[[Row], Writer]


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
class Buffer:
    """Rows in scratch memory: all real parts, then, `plane` elements behind them, all imaginary parts."""

    v: Vectors
    pointer: str
    step: int
    plane: int

    def source(self, row: Row) -> Reader:
        at, v = self._row(row), self.v
        return lambda offset: (
            v.load(v.at(at, offset * self.step)),
            v.load(v.at(at, offset * self.step + self.plane)),
        )

    def target(self, row: Row) -> Writer:
        at = self._row(row)

        def write(offset: int, value: Complex) -> None:
            for part, start in zip(value, (0, self.plane)):
                self.v.store(part, self.v.at(at, offset * self.step + start))

        return write

    def _row(self, row: Row) -> str:
        return self.v.at(self.pointer, self.v.f.mul(row, self.step))


def transform_columns(
    v: Vectors, factors: Sequence[int], table: str, source: Source, target: Target | None, buffers: Sequence[Buffer]
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

    def write(self, source: Source, target: Target) -> None:
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
