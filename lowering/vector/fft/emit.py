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
from hlo.lowering.vector.fft.elements import ComplexMemory, Planes, Reader, RealMemory, Writer, exchanged
from hlo.lowering.vector.fft.line_transforms import Rows, SideBySide, WithinLine
from hlo.lowering.vector.fft.plan import Side, Tables, Transform, choose
from hlo.lowering.vector.fft.real import RealLine, half_turns, line_plane
from hlo.lowering.vector.fft.vectors import Complex, Vectors
from hlo.lowering.vector.target import Target

PART = [(name, POINTER) for name in ("source", "target", "table", "scratch")] + [("thread", "i64")]
SHARED = 64 << 10
"""Bytes of an array from which on threads share its lines."""


@dataclass(frozen=True)
class Fft:
    """A whole op: its type, transformed lengths (of the last dimensions), shapes, and f32 or f64."""

    kind: str
    lengths: tuple[int, ...]
    operand: tuple[int, ...]
    result: tuple[int, ...]
    element: str

    @property
    def inverse(self) -> bool:
        return self.kind in ("IFFT", "IRFFT")


@dataclass(frozen=True)
class Pass:
    """Transforms of `length` along one dimension: `lines` outside of it, `inner` neighbours inside. `stored`: how many numbers
    of a line the source and the target have; `real`: "source", "target" or ""."""

    length: int
    lines: int
    inner: int
    stored: tuple[int, int]
    real: str
    transform: Transform
    is_far: bool = False
    """The array does not stay in the last cache: lines are fetched while the ones before them are transformed."""

    @property
    def by_halves(self) -> bool:
        """A line of an even number of reals is transformed as one of half as many complex numbers."""
        return self.transform.length != self.length


@dataclass(frozen=True)
class Code:
    """The text of the functions, callees first, the entry last; and what the tables hold."""

    functions: list[FunctionText]
    table: np.ndarray


def emit_fft(name: str, fft: Fft, memrefs: Sequence[str], target: Target) -> Code:
    """`memrefs`: the types of operand, tables (one dimension of unknown size: `?` is replaced) and result."""
    return _Emitter(name, fft, target).code(memrefs)


def passes(fft: Fft, target: Target) -> list[Pass]:
    """The passes in order: from real numbers the last dimension first, to real numbers last."""
    rank, count = len(fft.operand), len(fft.lengths)
    dims = list(range(rank - count, rank))
    order = dims if fft.kind == "IRFFT" else dims[::-1]
    return [_pass(fft, d, fft.lengths[d - rank + count], target) for d in order]


def _pass(fft: Fft, dimension: int, length: int, target: Target) -> Pass:
    last = dimension == len(fft.operand) - 1
    shape = fft.operand if fft.kind == "IRFFT" else fft.result
    real = {"RFFT": "source", "IRFFT": "target"}.get(fft.kind, "") if last else ""
    lines, inner = prod(shape[:dimension]), prod(shape[dimension + 1 :])
    stored = (fft.operand[-1], fft.result[-1]) if last else (length, length)
    lanes, size = target.lanes(8 * byte_size(fft.element)), byte_size(fft.element)
    transform = choose(length // 2 if real and length % 2 == 0 else length, lines, inner, lanes, size, target)
    if transform.length != length and isinstance(transform.way, Side):
        transform = choose(length, lines, 0, lanes, size, target)
    is_far = 4 * lines * inner * length * size > target.l3 // 8
    return Pass(length, lines, inner, stored, real, transform, is_far)


class _Emitter:
    def __init__(self, name: str, fft: Fft, target: Target):
        self.name, self.fft = name, fft
        self.size = byte_size(fft.element)
        self.lanes = target.lanes(8 * self.size)
        self.passes = passes(fft, target)
        large = prod(fft.operand) * self.size >= SHARED
        self.threads = target.threads if large else 1
        self.tables = Tables()
        self.own = max(_scratch(p, self.lanes) for p in self.passes)
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
            target = memory if self.spectrum and p.real != "target" else result
            run_parts(f, part, self._threads(p), [source, target, constants, scratch])
            source = target
        f.do(f"memref.dealloc %memory : {kind}")
        return Code([*parts, f], table)

    def _threads(self, p: Pass) -> int:
        return min(self.threads, self._units(p))

    def _units(self, p: Pass) -> int:
        if p.inner > 1:
            return p.lines * -(-p.inner // self.lanes)
        return -(-p.lines // self.lanes) if isinstance(p.transform.way, Side) else p.lines

    def _part(self, number: int, p: Pass) -> FunctionText:
        """part(source, target, table, scratch, thread): the lines of one thread."""
        f = FunctionText(f"{self.name}.part_{number}", PART, 'attributes {passthrough = ["noinline"]}')
        v = Vectors(f, self.lanes, self.fft.element)
        units, threads = self._units(p), self._threads(p)
        scratch = v.at("%scratch", f.mul("%thread", self.own)) if threads > 1 else "%scratch"
        places = self.tables.add(p.transform.tables())
        writer: type[_Lines] = _Inner if p.inner > 1 else _Beside if isinstance(p.transform.way, Side) else _Within
        lines = writer(v, self.fft, p, places, scratch, self.tables)
        chunk = -(-units // threads)
        start = f.mul("%thread", chunk) if threads > 1 else 0
        with f.loop(start, f.min(f.add(start, chunk), units)) as unit:
            lines.emit(unit)
        return f


def _scratch(p: Pass, lanes: int) -> int:
    """Elements of scratch memory that a thread needs."""
    if isinstance(p.transform.way, Side):
        return SideBySide.scratch_size(p.transform)
    return WithinLine.scratch_size(p.transform) + (4 * line_plane(p.length, lanes) if p.real else 0)


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
        return 1 / self.p.length if self.fft.inverse else 1.0

    def _line(self, name: str, line: str | int, stored: int, size: int) -> str:
        return self.v.at(name, self.v.f.mul(line, stored * size))

    def _sizes(self) -> tuple[int, int]:
        """Elements of one number in the source and in the target."""
        return (1 if self.p.real == "source" else 2), (1 if self.p.real == "target" else 2)


class _Inner(_Lines):
    """Lanes are neighbours inside of the dimension."""

    def emit(self, unit: str | int) -> None:
        v, f, p = self.v, self.v.f, self.p
        blocks = -(-p.inner // v.lanes)
        line = f.quotient(unit, blocks) if blocks > 1 else unit
        first = f.mul(f.sub(unit, f.mul(line, blocks)), v.lanes) if blocks > 1 else 0
        count = None if p.inner % v.lanes == 0 else f.sub(p.inner, first)
        places = [
            v.at(self._line(name, line, p.length * p.inner, 2), f.mul(first, 2)) for name in ("%source", "%target")
        ]
        source = ComplexMemory(v, places[0], swap=self.fft.inverse)
        target = ComplexMemory(v, places[1], swap=self.fft.inverse, factor=self.factor)

        def read(row: str | int) -> Reader:
            reader = source.source(f.mul(row, p.inner), count)
            return lambda offset: reader(offset * p.inner)

        def write(row: str | int) -> Writer:
            writer = target.target(f.mul(row, p.inner), count)
            return lambda offset, value: writer(offset * p.inner, value)

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
        if p.real == "target":
            self._mirror(start)
        swap = self.fft.inverse
        done = side.emit(lambda row: lambda offset: exchanged(start.source(row)(offset), swap), None)
        target.store(done, lambda value: v.scaled(exchanged(value, swap), self.factor))

    def _rows(self, which: int, first: str | int) -> Rows:
        f, p, size, stored = self.v.f, self.p, self._sizes()[which], self.p.stored[which]
        place = self._line(("%source", "%target")[which], first, stored, size)
        return Rows(self.v, place, f.sub(p.lines, first), stored, stored * size, size)

    def _mirror(self, buffer) -> None:
        """The second half of the numbers: conjugates of the first."""
        v, f, n = self.v, self.v.f, self.p.length
        with f.loop(1, (n + 1) // 2) as k:
            value: Complex = buffer.source(k)(0)
            buffer.target(f.sub(n, k))(0, v.conjugate(value))


class _Within(_Lines):
    """Lanes are neighbours in a row."""

    def emit(self, unit: str | int) -> None:
        p, (from_size, to_size) = self.p, self._sizes()
        source = self._line("%source", unit, p.stored[0], from_size)
        target = self._line("%target", unit, p.stored[1], to_size)
        within = WithinLine(self.v, p.transform, "%table", self.places, self.scratch)
        WAYS[p.real](self, within, source, target)

    def complex_line(self, within: WithinLine, source: str, target: str) -> None:
        v, p, swap = self.v, self.p, self.fft.inverse
        limit = p.length if p.transform.is_padded else None
        ahead = 2 * p.length if p.is_far and not limit else 0
        within.emit(
            ComplexMemory(v, source, swap, limit, ahead=ahead),
            ComplexMemory(v, target, swap, limit, self.factor, ahead),
        )

    def real_source(self, within: WithinLine, source: str, target: str) -> None:
        v, p = self.v, self.p
        limit = p.transform.length if p.transform.is_padded else None
        if not p.by_halves:
            return within.emit(RealMemory(v, source, limit=limit), ComplexMemory(v, target, limit=p.stored[1]))
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
                RealMemory(v, target, swap=True, limit=p.length, factor=self.factor),
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
            return RealLine(v, p.length, scratch)
        (place,) = self.tables.add([half_turns(p.length, v.lanes)])
        return RealLine(v, p.length, scratch, v.at("%table", place))


def _limited(planes: Planes, limit: int | None) -> Planes:
    return planes if limit is None else Planes(planes.v, planes.pointer, planes.plane, planes.swap, limit)


WAYS = {"": _Within.complex_line, "source": _Within.real_source, "target": _Within.real_target}
