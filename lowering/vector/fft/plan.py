"""How signals of a length are transformed: factors, the way the vectors run, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.fft.signals import chirp_of
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.problem import whole
from hlo.lowering.vector.fft.columns import twiddles

PRIMES = (3, 5, 7, 11, 13)
"""Odd radices that have butterflies; lengths with other factors take Bluestein's algorithm."""
PADDED = (1, 3, 5, 9)
"""Odd factors of the lengths that Bluestein's algorithm may pad to."""


def radices(length: int, largest: int = 8) -> list[int] | None:
    """Factors of a length, each at most `largest` or an odd prime; None if there are none."""
    found, rest = [], length
    for p in PRIMES:
        while rest % p == 0:
            found.append(p)
            rest //= p
    if rest & (rest - 1):
        return None
    twos = rest.bit_length() - 1
    whole = largest.bit_length() - 1
    count = -(-twos // whole)
    even = [1 << (twos // count + (n < twos % count)) for n in range(count)]
    return [*even, *found[::-1]] or [1]


def padded_length(length: int) -> int:
    """The shortest length that Bluestein's algorithm can do its convolution in."""
    least = 2 * length - 1
    return min(odd << (-(-least // odd) - 1).bit_length() for odd in PADDED)


@dataclass(frozen=True)
class Side:
    """Signals side by side, one a lane."""

    length: int
    lanes: int
    factors: tuple[int, ...]

    @property
    def plane(self) -> int:
        """Elements from real to imaginary parts: rows are transposed by `lanes`; a vector more than these, so that the parts
        fall into other cache sets."""
        return (whole(self.length, self.lanes) + 1) * self.lanes

    def tables(self) -> list[np.ndarray]:
        return [interleaved(twiddles(self.factors))]

    def scratch(self) -> int:
        return 4 * self.plane


@dataclass(frozen=True)
class Square:
    """One signal at a time, as a matrix [first][second]: transforms of its columns, twiddle factors, transforms of its rows.

    X[k1 + first * k2] = sum over j2 of w^(k1 j2) w2^(k2 j2) (sum over j1 of w1^(k1 j1) x[j1 * second + j2])"""

    lanes: int
    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def length(self) -> int:
        return self.rows * self.columns

    @property
    def rows(self) -> int:
        return prod(self.first)

    @property
    def columns(self) -> int:
        return prod(self.second)

    @property
    def step(self) -> int:
        """Elements from row to row of the transposed matrix in scratch memory."""
        size = whole(self.rows, self.lanes)
        return size + (self.lanes if size % 512 == 0 else 0)

    @property
    def plane(self) -> int:
        """Of the transposed matrix."""
        return whole(self.columns, self.lanes) * self.step + self.lanes

    @property
    def block_plane(self) -> int:
        return (max(whole(self.rows, self.lanes), self.columns) + 1) * self.lanes

    def tables(self) -> list[np.ndarray]:
        between = np.zeros((whole(self.columns, self.lanes), self.step), np.complex128)
        products = np.outer(np.arange(self.columns), np.arange(self.rows)) % self.length
        between[: self.columns, : self.rows] = np.exp(-2j * np.pi * products / self.length)
        between = np.concatenate([between.ravel(), np.zeros(self.lanes)])
        own = [interleaved(twiddles(factors)) for factors in (self.first, self.second)]
        return [*own, np.concatenate([between.real, between.imag])]

    def scratch(self) -> int:
        return 2 * self.plane + 4 * self.block_plane


Way = Side | Square


def interleaved(values: np.ndarray) -> np.ndarray:
    """Real and imaginary parts alternating."""
    return np.stack([values.real, values.imag], -1).ravel()


@dataclass(frozen=True)
class Transform:
    """The transform of signals of `length` numbers. `way`: of `length` itself, or of the convolution's length (Bluestein)."""

    length: int
    way: Way

    @property
    def is_padded(self) -> bool:
        return self.way.length != self.length

    def tables(self) -> list[np.ndarray]:
        """Those of the way; then the chirp exp(-pi i k^2 / length), zero up to the padded length, and the transform of
        its conjugate: by parts for a Square, alternating for a Side."""
        if not self.is_padded:
            return self.way.tables()
        order, size = interleaved if isinstance(self.way, Side) else by_parts, self.way.length + self.way.lanes
        found = chirp_of(self.length, self.way.length)
        return [*self.way.tables(), *(order(np.pad(values, (0, size - len(values)))) for values in found)]


def by_parts(values: np.ndarray) -> np.ndarray:
    """All real parts, then all imaginary parts."""
    return np.concatenate([values.real, values.imag])


@dataclass
class Tables:
    """All numbers of a kernel in one array; `add` tells the offsets of some in it."""

    parts: list[np.ndarray] = field(default_factory=list)
    size: int = 0

    def add(self, tables: Sequence[np.ndarray]) -> list[int]:
        offsets = []
        for table in tables:
            offsets.append(self.size)
            self.parts.append(table)
            self.size += table.size
        return offsets

    def array(self, dtype: type) -> np.ndarray:
        return np.concatenate([*self.parts, np.zeros(1)]).astype(dtype)


def choose(length: int, signals: int, inner: int, lanes: int, size: int, target: Target) -> Transform:
    """The transform of `signals` signals (of `inner` neighbours each, where they are no rows) of numbers of `size` bytes."""
    largest = 8 if target.registers == 32 else 4
    smooth = radices(length, largest) is not None
    n = length if smooth else padded_length(length)
    side = Side(n, lanes, tuple(radices(n, largest) or ()))
    square = best_square(n, lanes, largest) if inner == 1 else None
    if square is None:
        return Transform(length, side)
    bytes_used = 2 * size * side.scratch()
    distance = 1 if bytes_used < target.l1 else 1.5 if bytes_used < target.l2 else 4
    aside = whole(signals, lanes) * n * distance
    within = 1.2 * signals * _lanes_used(square) / 2
    return Transform(length, side if aside <= within else square)


def best_square(length: int, lanes: int, largest: int) -> Square | None:
    """The two factors that waste the fewest lanes, and among those the closest to each other."""
    found = []
    for rows in range(2, int(length**0.5) + 1):
        if length % rows == 0:
            for a, b in ((rows, length // rows), (length // rows, rows)):
                square = Square(lanes, tuple(radices(a, largest) or ()), tuple(radices(b, largest) or ()))
                found.append((_lanes_used(square), abs(a - b), square))
    return min(found, key=lambda f: f[:2])[2] if found else None


def _lanes_used(square: Square) -> int:
    a, b = square.rows, square.columns
    return whole(b, square.lanes) * a + whole(a, square.lanes) * b
