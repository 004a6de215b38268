"""Transforms of `lanes` lines at once, one a lane: neighbours in memory, or rows that are transposed on their way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hlo.lowering.vector.fft.columns import Buffer, Row, Source, Target, transform_columns
from hlo.lowering.vector.fft.elements import exchanged
from hlo.lowering.vector.fft.plan import Side, Transform
from hlo.lowering.vector.fft.vectors import Complex, Vectors


@dataclass(frozen=True)
class SideBySide:
    """`table`: the kernel's tables, `places`: of the transform's among them; `scratch`: `scratch_size` elements."""

    v: Vectors
    transform: Transform
    table: str
    places: list[int]
    scratch: str

    @staticmethod
    def scratch_size(transform: Transform) -> int:
        return transform.way.scratch()

    @property
    def way(self) -> Side:
        assert isinstance(self.transform.way, Side)
        return self.transform.way

    def buffer(self, number: int) -> Buffer:
        v, s = self.v, self.way
        return Buffer(v, v.at(self.scratch, 2 * number * s.plane), v.lanes, s.plane)

    def emit(self, source: Source, target: Target | None) -> Buffer:
        """Transforms the rows of `source`, which may be buffer(0), to `target`; without one the result is in the buffer that
        is returned."""
        buffers = [self.buffer(1), self.buffer(0)]
        if self.transform.is_padded:
            return self._bluestein(source, target, buffers)
        return self._columns(source, target, buffers)

    def _columns(self, source: Source, target: Target | None, buffers: list[Buffer]) -> Buffer:
        table = self.v.at(self.table, self.places[0])
        return transform_columns(self.v, self.way.factors, table, source, target, buffers)

    def _bluestein(self, source: Source, target: Target | None, buffers: list[Buffer]) -> Buffer:
        """chirp[k] * sum over j of (x[j] * chirp[j]) * conj(chirp[k - j]), by two transforms."""
        v, n = self.v, self.transform.length
        chirp, kernel = self.places[1:]
        start, other = buffers[1], buffers[0]
        self._each(n, lambda row: (source(row)(0), start.target(row)), chirp)
        with v.f.loop(n, self.way.length) as row:
            start.target(row)(0, (v.number(0), v.number(0)))
        product = buffers[(len(self.way.factors) - 1) % 2]

        def multiplied(row: Row) -> Callable[[int, Complex], None]:
            write = product.target(row)

            def write_product(offset: int, value: Complex) -> None:
                write(offset, exchanged(v.times(value, self._factor(kernel, v.f.add(row, offset))), True))

            return write_product

        self._columns(start.source, multiplied, [other, start])
        rest = other if product is start else start
        done = self._columns(product.source, None, [rest, product])
        result = rest if done is product else product
        out = target or result.target
        self._each(n, lambda row: (exchanged(done.source(row)(0), True), out(row)), chirp)
        return result

    def _each(
        self, rows: int, pair: Callable[[Row], tuple[Complex, Callable[[int, Complex], None]]], table: int
    ) -> None:
        """Row by row: a value times the row's number of a table, written."""
        with self.v.f.loop(0, rows) as row:
            value, write = pair(row)
            write(0, self.v.times(value, self._factor(table, row)))

    def _factor(self, place: int, row: Row) -> Complex:
        v = self.v
        at = v.at(v.at(self.table, place), v.f.mul(row, 2))
        return v.everywhere(at, 0), v.everywhere(at, 1)


@dataclass(frozen=True)
class Rows:
    """`lines` rows of memory beside each other; lanes without a row of their own take the last one's. `length` numbers
    each, `step` elements apart; `size`: elements of one number, 1 or 2."""

    v: Vectors
    pointer: str
    lines: Row
    length: int
    step: int
    size: int

    def load(self, into: Buffer) -> None:
        """Transposes all numbers into a buffer: row k gets number k of every line."""
        v, at_once = self.v, self.v.lanes // self.size
        starts = self._starts()
        with v.f.loop(0, self.length, at_once) as k:
            mask = self._mask(k, at_once)
            places = [v.at(start, v.f.mul(k, self.size)) for start in starts]
            for i, value in enumerate(self._columns([v.load(place, mask) for place in places])):
                into.target(v.f.add(k, i))(0, value)

    def _columns(self, rows: list[str]) -> list[Complex]:
        v = self.v
        if self.size == 1:
            return [(part, v.number(0)) for part in v.transposed(rows)]
        half = v.lanes // 2
        low, high = v.transposed(rows[:half], 2), v.transposed(rows[half:], 2)
        return [v.split(x, y) for x, y in zip(low, high)]

    def store(self, source: Buffer, change: Callable[[Complex], Complex]) -> None:
        """The other way round."""
        v, at_once = self.v, self.v.lanes // self.size
        starts = self._starts()
        with v.f.loop(0, self.length, at_once) as k:
            mask = self._mask(k, at_once)
            numbers = [change(source.source(v.f.add(k, i))(0)) for i in range(at_once)]
            for start, value in zip(starts, self._lines(numbers)):
                v.store(value, v.at(start, v.f.mul(k, self.size)), mask)

    def _lines(self, columns: list[Complex]) -> list[str]:
        v = self.v
        if self.size == 1:
            return v.transposed([real for real, _ in columns])
        joined = [v.join(value) for value in columns]
        return [line for half in (0, 1) for line in v.transposed([j[half] for j in joined], 2)]

    def _starts(self) -> list[str]:
        f, v = self.v.f, self.v
        last = f.sub(self.lines, 1)
        return [v.at(self.pointer, f.mul(f.min(line, last), self.step)) for line in range(v.lanes)]

    def _mask(self, k: Row, at_once: int) -> str | None:
        v = self.v
        if self.length % at_once == 0:
            return None
        return v.f.mask(v.lanes, v.f.mul(v.f.sub(self.length, k), self.size))
