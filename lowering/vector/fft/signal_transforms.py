"""Transforms of `lanes` signals at once, one a lane: neighbours in memory, or rows that are transposed on their way."""

from __future__ import annotations

from collections.abc import Callable

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.vector.fft.columns import Buffer, Row, RowSource, RowTarget, transform_columns
from hlo.lowering.vector.fft.elements import Planes, Reader, Source, Target, Times, Writer
from hlo.lowering.vector.fft.plan import Side, Square, Transform
from hlo.lowering.vector.fft.vectors import Complex, Lanes, Vectors


@dataclass(frozen=True)
class _Signals:
    """`table`: the kernel's tables, `offsets`: of the transform's among them; `scratch`: `scratch_size` elements."""

    v: Vectors
    transform: Transform
    table: str
    offsets: list[int]
    scratch: str


class SideBySide(_Signals):
    """One signal a lane."""

    @staticmethod
    def scratch_size(transform: Transform) -> int:
        return transform.way.scratch()

    @property
    def way(self) -> Side:
        assert isinstance(self.transform.way, Side)
        return self.transform.way

    def buffer(self, number: int) -> Buffer:
        v, s = self.v, self.way
        return Buffer(v, v.at(self.scratch, 2 * number * s.plane), s.plane, step=v.lanes)

    def emit(self, source: RowSource, target: RowTarget | None) -> Buffer:
        """Transforms the rows of `source`, which may be buffer(0), to `target`; without one the result is in the buffer that
        is returned."""
        buffers = [self.buffer(1), self.buffer(0)]
        if self.transform.is_padded:
            return self._bluestein(source, target, buffers)
        return self._columns(source, target, buffers)

    def _columns(self, source: RowSource, target: RowTarget | None, buffers: list[Buffer]) -> Buffer:
        table = self.v.at(self.table, self.offsets[0])
        return transform_columns(self.v, self.way.factors, table, source, target, buffers)

    def _bluestein(self, source: RowSource, target: RowTarget | None, buffers: list[Buffer]) -> Buffer:
        """chirp[k] * sum over j of (x[j] * chirp[j]) * conj(chirp[k - j]), by two transforms."""
        v, n = self.v, self.transform.length
        chirp, kernel = self.offsets[1:]
        start, other = buffers[1], buffers[0]
        self._each(n, lambda row: (source(row)(0), start.target(row)), chirp)
        with v.f.loop(n, self.way.length) as row:
            start.target(row)(0, Complex(v.number(0), v.number(0)))
        product = buffers[(len(self.way.factors) - 1) % 2]

        def multiplied(row: Row) -> Callable[[int, Complex], None]:
            write = product.target(row)

            def write_product(offset: int, value: Complex) -> None:
                write(offset, (value * self._factor(kernel, v.f.add(row, offset))).exchanged())

            return write_product

        self._columns(start.source, multiplied, [other, start])
        rest = other if product is start else start
        done = self._columns(product.source, None, [rest, product])
        result = rest if done is product else product
        out = target or result.target
        self._each(n, lambda row: (done.source(row)(0).exchanged(), out(row)), chirp)
        return result

    def _each(
        self, rows: int, pair: Callable[[Row], tuple[Complex, Callable[[int, Complex], None]]], table: int
    ) -> None:
        """Row by row: a value times the row's number of a table, written."""
        with self.v.f.loop(0, rows) as row:
            value, write = pair(row)
            write(0, value * self._factor(table, row))

    def _factor(self, position: int, row: Row) -> Complex:
        v = self.v
        return v.everywhere(v.at(v.at(self.table, position), v.f.mul(row, 2)), 0)


@dataclass(frozen=True)
class Rows:
    """`signals` adjacent rows of memory; lanes without a row of their own take the last one's. `length` numbers
    each, at distances of `step` elements; `size`: elements of one number, 1 or 2."""

    v: Vectors
    pointer: str
    signals: Row
    length: int
    step: int
    size: int

    def load(self, into: Buffer) -> None:
        """Transposes all numbers into a buffer: row k gets number k of every signal."""
        v, at_once = self.v, self.v.lanes // self.size
        starts = self._starts()
        with v.f.loop(0, self.length, at_once) as k:
            mask = self._mask(k, at_once)
            pointers = [v.at(start, v.f.mul(k, self.size)) for start in starts]
            for i, value in enumerate(self._columns([v.load(pointer, mask) for pointer in pointers])):
                into.target(v.f.add(k, i))(0, value)

    def _columns(self, rows: list[Lanes]) -> list[Complex]:
        v = self.v
        if self.size == 1:
            return [Complex(part, v.number(0)) for part in v.transposed(rows)]
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
            for start, value in zip(starts, self._signals(numbers)):
                v.store(value, v.at(start, v.f.mul(k, self.size)), mask)

    def _signals(self, columns: list[Complex]) -> list[Lanes]:
        v = self.v
        if self.size == 1:
            return v.transposed([value.re for value in columns])
        joined = [v.join(value) for value in columns]
        return [signal for half in (0, 1) for signal in v.transposed([j[half] for j in joined], 2)]

    def _starts(self) -> list[str]:
        f, v = self.v.f, self.v
        last = f.sub(self.signals, 1)
        return [v.at(self.pointer, f.mul(f.min(signal, last), self.step)) for signal in range(v.lanes)]

    def _mask(self, k: Row, at_once: int) -> str | None:
        v = self.v
        if self.length % at_once == 0:
            return None
        return v.f.mask(v.lanes, v.f.mul(v.f.sub(self.length, k), self.size))


# One signal at a time, with vectors along it: see plan.Square. The columns are transformed lanes at a time, so that all but the transposed matrix
# between the two halves stays in the first cache.


class WithinSignal(_Signals):
    """A matrix of rows and columns."""

    @staticmethod
    def scratch_size(transform: Transform) -> int:
        m = transform.way.length + transform.way.lanes
        return transform.way.scratch() + (2 * m if transform.is_padded else 0)

    def emit(self, source: Source, target: Target) -> None:
        """Bluestein: chirp[k] * sum over j of (x[j] * chirp[j]) * conj(chirp[k - j]), by two transforms."""
        if not self.transform.is_padded:
            return self._square(source, target)
        v, way = self.v, self.transform.way
        plane = way.length + way.lanes
        chirp, kernel = (Planes(v, v.at(self.table, offset), plane) for offset in self.offsets[3:])
        between = v.at(self.scratch, way.scratch())
        self._square(Times(v, source, chirp), Times(v, Planes(v, between, plane, swap=True), kernel))
        self._square(Planes(v, between, plane), Times(v, target, chirp, swap=True))
        return None

    def _square(self, source: Source, target: Target) -> None:
        v, s = self.v, self.way
        f = v.f
        buffers = [self._buffer(n) for n in (0, 1)]
        tables = [v.at(self.table, offset) for offset in self.offsets[:3]]
        with f.loop(0, s.columns, v.lanes) as column:
            count = self._count(s.columns, column)

            def columns(row: Row) -> Reader:
                read = source.source(f.add(f.mul(row, s.columns), column), count)
                return lambda offset: read(offset * s.columns)

            done = transform_columns(v, s.first, tables[0], columns, None, buffers)
            self._transpose(done, f.mul(column, s.step))
        with f.loop(0, s.rows, v.lanes) as row:
            count = self._count(s.rows, row)

            def results(column: Row) -> Writer:
                write = target.target(f.add(f.mul(column, s.rows), row), count)
                return lambda offset, value: write(offset * s.rows, value)

            transform_columns(v, s.second, tables[1], self._times_twiddles(tables[2], row), results, buffers)

    @property
    def way(self) -> Square:
        assert isinstance(self.transform.way, Square)
        return self.transform.way

    def _count(self, size: int, start: Row) -> Row | None:
        f, lanes = self.v.f, self.v.lanes
        return None if size % lanes == 0 else f.min(f.sub(size, start), lanes)

    def _buffer(self, number: int) -> Buffer:
        s, v = self.way, self.v
        position = 2 * s.plane + 2 * number * s.block_plane
        return Buffer(v, v.at(self.scratch, position), s.block_plane, step=v.lanes)

    def _transpose(self, block: Buffer, position: Row) -> None:
        """Writes a block of columns as rows of the matrix between the halves."""
        v, s = self.v, self.way
        f = v.f
        for part in (0, 1):
            rows = v.at(block.pointer, part * block.plane)
            target = v.at(v.at(self.scratch, part * s.plane), position)
            with f.loop(0, s.rows, v.lanes) as row:
                start = v.at(rows, f.mul(row, v.lanes))
                square = v.transposed([v.load(v.at(start, i * v.lanes)) for i in range(v.lanes)])
                for i, value in enumerate(square):
                    v.store(value, v.at(v.at(target, row), i * s.step))

    def _times_twiddles(self, table: str, row: Row) -> Callable[[Row], Reader]:
        """Reads the columns that begin at `row` of that matrix, times w^(k1 j2)."""
        v, s = self.v, self.way
        numbers, factors = Planes(v, self.scratch, s.plane), Planes(v, table, s.plane)

        def source(column: Row) -> Reader:
            position = v.f.add(v.f.mul(column, s.step), row)
            read, twiddle = numbers.source(position), factors.source(position)
            return lambda offset: read(offset * s.step) * twiddle(offset * s.step)

        return source
