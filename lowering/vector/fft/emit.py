"""The code of a fft kernel: one pass over the array for each transformed dimension, lines shared among threads.

func.func private @fft_0.code(%operand: memref, %tables: memref, %result: memref)   and a part for each pass"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from hlo.lowering.vector.contraction.emit import pointer_of
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText, byte_size
from hlo.lowering.vector.contraction.nest import run_parts
from hlo.lowering.vector.contraction.problem import whole
from hlo.lowering.vector.fft.elements import ComplexMemory, Planes, Reader, RealMemory, Writer
from hlo.lowering.vector.fft.line_transforms import Rows, SideBySide, WithinLine
from hlo.lowering.vector.fft.plan import Side, Tables
from hlo.lowering.vector.fft.real import RealLine, half_twiddles, line_plane
from hlo.lowering.vector.fft.schedule import Fft, Pass
from hlo.lowering.vector.fft.vectors import Complex, Vectors

PART = [(name, POINTER) for name in ("source", "target", "table", "scratch")] + [("thread", "i64")]


@dataclass(frozen=True)
class Code:
    """The text of the functions, callees first, the entry last; and what the tables hold."""

    functions: list[FunctionText]
    table: np.ndarray


def emit_fft(name: str, fft: Fft, passes: Sequence[Pass], memrefs: Sequence[str]) -> Code:
    """`memrefs`: the types of operand, tables (one dimension of unknown size: `?` is replaced) and result."""
    return _Emitter(name, fft, passes).code(memrefs)


class _Emitter:
    def __init__(self, name: str, fft: Fft, passes: Sequence[Pass]):
        self.name, self.fft, self.passes = name, fft, passes
        self.size = byte_size(fft.element)
        self.threads = max(p.threads for p in passes)
        self.tables = Tables()
        self.own = max(map(_scratch, passes))
        self.own = whole(self.own, 64 // self.size)
        between = fft.kind == "IRFFT" and len(fft.lengths) > 1
        self.spectrum = whole(2 * prod(fft.operand), 64 // self.size) if between else 0

    def code(self, memrefs: Sequence[str]) -> Code:
        parts = [self._part(number, p) for number, p in enumerate(self.passes)]
        table = self.tables.array(np.float64 if self.size == 8 else np.float32)
        types = [memrefs[0], memrefs[1].replace("?", str(table.size)), memrefs[2]]
        f = FunctionText(self.name, list(zip(("m0", "m1", "m2"), types)))
        operand, constants, result = (pointer_of(f, f"%m{n}", t) for n, t in enumerate(types))
        kind = f"memref<{(self.spectrum + self.threads * self.own) * self.size}xi8>"
        f.do(f"%memory = memref.alloc() {{alignment = 64 : i64}} : {kind}")
        memory = pointer_of(f, "%memory", kind)
        scratch = f.offset(memory, self.spectrum, self.fft.element)
        source = operand
        for p, part in zip(self.passes, parts):
            target = memory if self.spectrum and p.of.real != "target" else result
            run_parts(f, part, p.threads, [source, target, constants, scratch])
            source = target
        f.do(f"memref.dealloc %memory : {kind}")
        return Code([*parts, f], table)

    def _part(self, number: int, p: Pass) -> FunctionText:
        """part(source, target, table, scratch, thread): the lines of one thread."""
        f = FunctionText(f"{self.name}.part_{number}", PART, 'attributes {passthrough = ["noinline"]}')
        v = Vectors(f, p.lanes, self.fft.element)
        units, threads = p.units, p.threads
        scratch = v.at("%scratch", f.mul("%thread", self.own)) if threads > 1 else "%scratch"
        places = self.tables.add(p.transform.tables())
        writer: type[_Lines] = _Inner if p.of.inner > 1 else _Beside if isinstance(p.transform.way, Side) else _Within
        lines = writer(v, self.fft, p, places, scratch, self.tables)
        chunk = -(-units // threads)
        start = f.mul("%thread", chunk) if threads > 1 else 0
        with f.loop(start, f.min(f.add(start, chunk), units)) as unit:
            lines.emit(unit)
        return f


def _scratch(p: Pass) -> int:
    """Elements of scratch memory that a thread needs."""
    if isinstance(p.transform.way, Side):
        return SideBySide.scratch_size(p.transform)
    return WithinLine.scratch_size(p.transform) + (4 * line_plane(p.of.length, p.lanes) if p.of.real else 0)


@dataclass(frozen=True)
class _Lines:
    """Writes the code of one unit: a line, or as many as there are lanes."""

    v: Vectors
    fft: Fft
    p: Pass
    places: list[int]
    scratch: str
    tables: Tables

    def emit(self, unit: str | int) -> None:
        raise NotImplementedError

    @property
    def factor(self) -> float:
        return 1 / self.p.of.length if self.fft.inverse else 1.0

    def _line(self, name: str, line: str | int, stored: int, size: int) -> str:
        return self.v.at(name, self.v.f.mul(line, stored * size))

    def _sizes(self) -> tuple[int, int]:
        """Elements of one number in the source and in the target."""
        return (1 if self.p.of.real == "source" else 2), (1 if self.p.of.real == "target" else 2)


class _Inner(_Lines):
    """Lanes are neighbours inside of the dimension."""

    def emit(self, unit: str | int) -> None:
        v, f, p = self.v, self.v.f, self.p
        blocks = -(-p.of.inner // v.lanes)
        line = f.quotient(unit, blocks) if blocks > 1 else unit
        first = f.mul(f.sub(unit, f.mul(line, blocks)), v.lanes) if blocks > 1 else 0
        count = None if p.of.inner % v.lanes == 0 else f.sub(p.of.inner, first)
        places = [
            v.at(self._line(name, line, p.of.length * p.of.inner, 2), f.mul(first, 2))
            for name in ("%source", "%target")
        ]
        source = ComplexMemory(v, places[0], swap=self.fft.inverse)
        target = ComplexMemory(v, places[1], swap=self.fft.inverse, factor=self.factor)

        def read(row: str | int) -> Reader:
            reader = source.source(f.mul(row, p.of.inner), count)
            return lambda offset: reader(offset * p.of.inner)

        def write(row: str | int) -> Writer:
            writer = target.target(f.mul(row, p.of.inner), count)
            return lambda offset, value: writer(offset * p.of.inner, value)

        SideBySide(v, p.transform, "%table", self.places, self.scratch).emit(read, write)


class _Beside(_Lines):
    """Lanes are rows: the transformed dimension is the last one."""

    def emit(self, unit: str | int) -> None:
        v, f, p = self.v, self.v.f, self.p
        first = f.mul(unit, v.lanes)
        source, target = (self._rows(n, first) for n in (0, 1))
        side = SideBySide(v, p.transform, "%table", self.places, self.scratch)
        start = side.buffer(0)
        source.load(start)
        if p.of.real == "target":
            self._mirror(start)
        swap = self.fft.inverse
        done = side.emit(lambda row: lambda offset: start.source(row)(offset).exchanged(swap), None)
        target.store(done, lambda value: value.exchanged(swap).scaled(self.factor))

    def _rows(self, which: int, first: str | int) -> Rows:
        f, p, size, stored = self.v.f, self.p, self._sizes()[which], self.p.of.stored[which]
        place = self._line(("%source", "%target")[which], first, stored, size)
        return Rows(self.v, place, f.sub(p.of.lines, first), stored, stored * size, size)

    def _mirror(self, buffer) -> None:
        """The second half of the numbers: conjugates of the first."""
        f, n = self.v.f, self.p.of.length
        with f.loop(1, (n + 1) // 2) as k:
            value: Complex = buffer.source(k)(0)
            buffer.target(f.sub(n, k))(0, value.conjugate())


class _Within(_Lines):
    """Lanes are neighbours in a row."""

    def emit(self, unit: str | int) -> None:
        p, (from_size, to_size) = self.p, self._sizes()
        source = self._line("%source", unit, p.of.stored[0], from_size)
        target = self._line("%target", unit, p.of.stored[1], to_size)
        within = WithinLine(self.v, p.transform, "%table", self.places, self.scratch)
        WAYS[p.of.real](self, within, source, target)

    def complex_line(self, within: WithinLine, source: str, target: str) -> None:
        v, p, swap = self.v, self.p, self.fft.inverse
        limit = p.of.length if p.transform.is_padded else None
        ahead = 2 * p.of.length if p.prefetch and not limit else 0
        within.emit(
            ComplexMemory(v, source, swap, limit, ahead=ahead),
            ComplexMemory(v, target, swap, limit, self.factor, ahead),
        )

    def real_source(self, within: WithinLine, source: str, target: str) -> None:
        v, p = self.v, self.p
        limit = p.transform.length if p.transform.is_padded else None
        if not p.by_halves:
            return within.emit(RealMemory(v, source, limit=limit), ComplexMemory(v, target, limit=p.of.stored[1]))
        line = self._real_line()
        within.emit(ComplexMemory(v, source, limit=limit), _limited(line.numbers(), limit))
        line.spectrum_of_half(ComplexMemory(v, target))
        return None

    def real_target(self, within: WithinLine, source: str, target: str) -> None:
        v, p, line = self.v, self.p, self._real_line()
        limit = p.transform.length if p.transform.is_padded else None
        memory = ComplexMemory(v, source)
        if not p.by_halves:
            line.whole_spectrum(memory)
            return within.emit(
                _limited(line.numbers(swap=True), limit),
                RealMemory(v, target, swap=True, limit=p.of.length, factor=self.factor),
            )
        half = Planes(v, v.at(line.scratch, 2 * line.plane), line.plane)
        line.half_of_spectrum(memory, half)
        numbers = Planes(v, half.pointer, half.plane, swap=True)
        within.emit(_limited(numbers, limit), ComplexMemory(v, target, swap=True, limit=limit, factor=self.factor))
        return None

    def _real_line(self) -> RealLine:
        v, p = self.v, self.p
        scratch = v.at(self.scratch, WithinLine.scratch_size(p.transform))
        if not p.by_halves:
            return RealLine(v, p.of.length, scratch)
        (place,) = self.tables.add([half_twiddles(p.of.length, v.lanes)])
        return RealLine(v, p.of.length, scratch, v.at("%table", place))


def _limited(planes: Planes, limit: int | None) -> Planes:
    return planes if limit is None else Planes(planes.v, planes.pointer, planes.plane, planes.swap, limit)


WAYS = {"": _Within.complex_line, "source": _Within.real_source, "target": _Within.real_target}
