"""A line's transform with vectors along the line: see `plan.Square`. The columns are transformed `lanes` at a time, so
that all but the transposed matrix between the two halves stays in the first cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hlo.lowering.vector.fft.columns import Buffer, Reader, Row, Writer, transform_columns
from hlo.lowering.vector.fft.elements import Planes, Source, Target, Times
from hlo.lowering.vector.fft.plan import Square, Transform
from hlo.lowering.vector.fft.vectors import Vectors


@dataclass(frozen=True)
class WithinLine:
    """`table`: the kernel's tables, `places`: of the transform's among them; `scratch`: `scratch_size` elements."""

    v: Vectors
    transform: Transform
    table: str
    places: list[int]
    scratch: str

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
        chirp, kernel = (Planes(v, v.at(self.table, place), plane) for place in self.places[3:])
        between = v.at(self.scratch, way.scratch())
        self._square(Times(v, source, chirp), Times(v, Planes(v, between, plane, swap=True), kernel))
        self._square(Planes(v, between, plane), Times(v, target, chirp, swap=True))
        return None

    def _square(self, source: Source, target: Target) -> None:
        v, s = self.v, self.way
        f = v.f
        buffers = [self._buffer(n) for n in (0, 1)]
        tables = [v.at(self.table, place) for place in self.places[:3]]
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

            transform_columns(v, s.second, tables[1], self._turned(tables[2], row), results, buffers)

    @property
    def way(self) -> Square:
        assert isinstance(self.transform.way, Square)
        return self.transform.way

    def _count(self, size: int, start: Row) -> Row | None:
        f, lanes = self.v.f, self.v.lanes
        return None if size % lanes == 0 else f.min(f.sub(size, start), lanes)

    def _buffer(self, number: int) -> Buffer:
        s, v = self.way, self.v
        place = 2 * s.plane + 2 * number * s.block_plane
        return Buffer(v, v.at(self.scratch, place), v.lanes, s.block_plane)

    def _transpose(self, block: Buffer, place: Row) -> None:
        """Writes a block of columns as rows of the matrix between the halves."""
        v, s = self.v, self.way
        f = v.f
        for part in (0, 1):
            rows = v.at(block.pointer, part * block.plane)
            target = v.at(v.at(self.scratch, part * s.plane), place)
            with f.loop(0, s.rows, v.lanes) as row:
                start = v.at(rows, f.mul(row, v.lanes))
                square = v.transposed([v.load(v.at(start, i * v.lanes)) for i in range(v.lanes)])
                for i, value in enumerate(square):
                    v.store(value, v.at(v.at(target, row), i * s.step))

    def _turned(self, table: str, row: Row) -> Callable[[Row], Reader]:
        """Reads the columns that begin at `row` of that matrix, times w^(k1 j2)."""
        v, s = self.v, self.way
        numbers, factors = Planes(v, self.scratch, s.plane), Planes(v, table, s.plane)

        def source(column: Row) -> Reader:
            place = v.f.add(v.f.mul(column, s.step), row)
            read, turn = numbers.source(place), factors.source(place)
            return lambda offset: v.times(read(offset * s.step), turn(offset * s.step))

        return source
