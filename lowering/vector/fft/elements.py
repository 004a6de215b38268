"""Where the numbers of one signal come from and go to, a vector of neighbours at a time.

A source maps (index, count) to a reader: reader(offset) gives the numbers from index + offset on. `count` of the lanes
are there; None: all. A target maps them to writer(offset, numbers)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.fft.vectors import Complex, Vectors

CACHE_LINE = 64
Index = str | int
Reader = Callable[[int], Complex]
Writer = Callable[[int, Complex], None]


class Source(Protocol):
    def source(self, index: Index, count: Index | None) -> Reader: ...


class Target(Protocol):
    def target(self, index: Index, count: Index | None) -> Writer: ...


@dataclass(frozen=True)
class _Limited:
    """Memory of a signal. `limit`: the numbers that there are, where fewer than the signal has; parts are exchanged if `swap`."""

    v: Vectors
    pointer: str
    swap: bool = field(default=False, kw_only=True)
    limit: int | None = field(default=None, kw_only=True)

    def _count(self, index: Index, count: Index | None, offset: int) -> Index | None:
        """How many numbers there are from index + offset on; None: a whole vector."""
        if self.limit is None:
            return count
        left = self.v.f.sub(self.limit, self.v.f.add(index, offset))
        return left if count is None else self.v.f.min(left, count)

    def _mask(self, index: Index, count: Index | None, offset: int) -> str | None:
        left = self._count(index, count, offset)
        return None if left is None else self.v.f.mask(self.v.lanes, left)


@dataclass(frozen=True)
class _Memory(_Limited):
    """Numbers are multiplied by `factor`."""

    factor: float = field(default=1.0, kw_only=True)
    ahead: int = field(default=0, kw_only=True)
    """Elements from here to what is fetched ahead; 0: nothing."""

    def _fetch(self, pointer: str, write: bool = False) -> None:
        """What the next signal has where this one has two vectors."""
        v = self.v
        for element in range(0, 2 * v.lanes if self.ahead else 0, CACHE_LINE // byte_size(v.element)):
            v.f.prefetch(v.at(pointer, self.ahead + element), write)


@dataclass(frozen=True)
class ComplexMemory(_Memory):
    """Complex numbers as programs have them."""

    def source(self, index: Index, count: Index | None) -> Reader:
        v = self.v
        start = v.at(self.pointer, v.f.mul(index, 2))

        def read(offset: int) -> Complex:
            pointer, masks = v.at(start, 2 * offset), self._masks(index, count, offset)
            self._fetch(pointer)
            parts = v.split(v.load(pointer, masks[0]), v.load(v.at(pointer, v.lanes), masks[1]))
            return parts.exchanged(self.swap).scaled(self.factor)

        return read

    def target(self, index: Index, count: Index | None) -> Writer:
        v = self.v
        start = v.at(self.pointer, v.f.mul(index, 2))

        def write(offset: int, value: Complex) -> None:
            pointer, masks = v.at(start, 2 * offset), self._masks(index, count, offset)
            self._fetch(pointer, write=True)
            low, high = v.join(value.exchanged(self.swap).scaled(self.factor))
            v.store(low, pointer, masks[0])
            v.store(high, v.at(pointer, v.lanes), masks[1])

        return write

    def _masks(self, index: Index, count: Index | None, offset: int) -> tuple[str | None, str | None]:
        left = self._count(index, count, offset)
        return (None, None) if left is None else self.v.masks(left)


@dataclass(frozen=True)
class RealMemory(_Memory):
    """Real numbers."""

    def source(self, index: Index, count: Index | None) -> Reader:
        v, start = self.v, self.v.at(self.pointer, index)

        def read(offset: int) -> Complex:
            value = v.load(v.at(start, offset), self._mask(index, count, offset))
            return Complex(value, v.number(0)).exchanged(self.swap).scaled(self.factor)

        return read

    def target(self, index: Index, count: Index | None) -> Writer:
        v, start = self.v, self.v.at(self.pointer, index)

        def write(offset: int, value: Complex) -> None:
            real = value.exchanged(self.swap).scaled(self.factor).re
            v.store(real, v.at(start, offset), self._mask(index, count, offset))

        return write


@dataclass(frozen=True)
class Planes(_Limited):
    """Scratch memory or a table: all real parts, then, `plane` elements behind them, all imaginary parts. What is behind
    the last lane that is there may be read, not written; numbers from `limit` on are read as zero and not written."""

    plane: int

    def source(self, index: Index, count: Index | None = None) -> Reader:
        v, start = self.v, self.v.at(self.pointer, index)

        def read(offset: int) -> Complex:
            mask = self._mask(index, None, offset)
            parts = (v.load(v.at(start, position), mask) for position in (offset, offset + self.plane))
            return Complex(*parts).exchanged(self.swap)

        return read

    def target(self, index: Index, count: Index | None = None) -> Writer:
        v, start = self.v, self.v.at(self.pointer, index)

        def write(offset: int, value: Complex) -> None:
            mask = self._mask(index, count, offset)
            for part, position in zip(value.exchanged(self.swap).parts, (offset, offset + self.plane)):
                v.store(part, v.at(start, position), mask)

        return write


@dataclass(frozen=True)
class Times:
    """The numbers of another source or target, multiplied on their way by those of a table."""

    v: Vectors
    memory: Source | Target
    table: Planes
    swap: bool = False
    """Parts are exchanged before the product (of targets)."""

    def source(self, index: Index, count: Index | None) -> Reader:
        numbers, factors = self.memory.source(index, count), self.table.source(index)  # type: ignore[union-attr]
        return lambda offset: numbers(offset) * factors(offset)

    def target(self, index: Index, count: Index | None) -> Writer:
        write, factors = self.memory.target(index, count), self.table.source(index)  # type: ignore[union-attr]
        return lambda offset, value: write(offset, value.exchanged(self.swap) * factors(offset))
