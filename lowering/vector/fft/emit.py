"""The code of a fft kernel: one pass over the array for each transformed dimension, its signals divided among threads.

func.func private @fft_0.code(%operand: memref, %tables: memref, %result: memref)   and a part for each pass"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.vector.contraction.emit import entry_function
from hlo.lowering.vector.contraction.function_text import NOINLINE, POINTER, FunctionText, byte_size
from hlo.lowering.vector.contraction.nest import run_parts
from hlo.lowering.vector.contraction.problem import whole
from hlo.lowering.vector.fft.elements import ComplexMemory, Planes, Reader, RealMemory, Writer
from hlo.lowering.vector.fft.plan import Side, Tables
from hlo.lowering.vector.fft.real import RealSignal, half_twiddles, signal_plane
from hlo.lowering.vector.fft.schedule import Fft, Pass
from hlo.lowering.vector.fft.signal_transforms import Rows, SideBySide, WithinSignal
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
        size = (self.spectrum + self.threads * self.own) * self.size
        with entry_function(self.name, types, size) as (f, (source, constants, result, memory)):
            scratch = f.offset(memory, self.spectrum, self.fft.element)
            for p, part in zip(self.passes, parts):
                target = memory if self.spectrum and p.of.real != "target" else result
                run_parts(f, part, p.threads, [source, target, constants, scratch])
                source = target
        return Code([*parts, f], table)

    def _part(self, number: int, p: Pass) -> FunctionText:
        """part(source, target, table, scratch, thread): the signals of one thread."""
        f = FunctionText(f"{self.name}.part_{number}", PART, NOINLINE)
        v = Vectors(f, p.lanes, self.fft.element)
        units, threads = p.units, p.threads
        scratch = v.at("%scratch", f.mul("%thread", self.own)) if threads > 1 else "%scratch"
        offsets = self.tables.add(p.transform.tables())
        writer: type[_Signals] = (
            _Inner if p.of.inner > 1 else _SideBySide if isinstance(p.transform.way, Side) else _Within
        )
        code = writer(v, self.fft, p, offsets, scratch, self.tables)
        with f.loop(*f.thread_range(units, threads)) as unit:
            code.emit(unit)
        return f


def _scratch(p: Pass) -> int:
    """Elements of scratch memory that a thread needs."""
    if isinstance(p.transform.way, Side):
        return SideBySide.scratch_size(p.transform)
    return WithinSignal.scratch_size(p.transform) + (4 * signal_plane(p.of.length, p.lanes) if p.of.real else 0)


@dataclass(frozen=True)
class _Signals:
    """Writes the code of one unit: a signal, or as many as there are lanes."""

    v: Vectors
    fft: Fft
    p: Pass
    offsets: list[int]
    scratch: str
    tables: Tables

    def emit(self, unit: str | int) -> None:
        raise NotImplementedError

    @property
    def factor(self) -> float:
        return 1 / self.p.of.length if self.fft.inverse else 1.0

    def _signal(self, name: str, signal: str | int, stored: int, size: int) -> str:
        return self.v.at(name, self.v.f.mul(signal, stored * size))

    def _sizes(self) -> tuple[int, int]:
        """Elements of one number in the source and in the target."""
        return (1 if self.p.of.real == "source" else 2), (1 if self.p.of.real == "target" else 2)


class _Inner(_Signals):
    """Lanes are neighbours inside of the dimension."""

    def emit(self, unit: str | int) -> None:
        v, f, p = self.v, self.v.f, self.p
        blocks = -(-p.of.inner // v.lanes)
        signal = f.quotient(unit, blocks) if blocks > 1 else unit
        first = f.mul(f.sub(unit, f.mul(signal, blocks)), v.lanes) if blocks > 1 else 0
        count = None if p.of.inner % v.lanes == 0 else f.sub(p.of.inner, first)
        pointers = [
            v.at(self._signal(name, signal, p.of.length * p.of.inner, 2), f.mul(first, 2))
            for name in ("%source", "%target")
        ]
        source = ComplexMemory(v, pointers[0], swap=self.fft.inverse)
        target = ComplexMemory(v, pointers[1], swap=self.fft.inverse, factor=self.factor)

        def read(row: str | int) -> Reader:
            reader = source.source(f.mul(row, p.of.inner), count)
            return lambda offset: reader(offset * p.of.inner)

        def write(row: str | int) -> Writer:
            writer = target.target(f.mul(row, p.of.inner), count)
            return lambda offset, value: writer(offset * p.of.inner, value)

        SideBySide(v, p.transform, "%table", self.offsets, self.scratch).emit(read, write)


class _SideBySide(_Signals):
    """Lanes are rows: the transformed dimension is the last one."""

    def emit(self, unit: str | int) -> None:
        v, f, p = self.v, self.v.f, self.p
        first = f.mul(unit, v.lanes)
        source, target = (self._rows(n, first) for n in (0, 1))
        side = SideBySide(v, p.transform, "%table", self.offsets, self.scratch)
        start = side.buffer(0)
        source.load(start)
        if p.of.real == "target":
            self._mirror(start)
        swap = self.fft.inverse
        done = side.emit(lambda row: lambda offset: start.source(row)(offset).exchanged(swap), None)
        target.store(done, lambda value: value.exchanged(swap).scaled(self.factor))

    def _rows(self, which: int, first: str | int) -> Rows:
        f, p, size, stored = self.v.f, self.p, self._sizes()[which], self.p.of.stored[which]
        pointer = self._signal(("%source", "%target")[which], first, stored, size)
        return Rows(self.v, pointer, f.sub(p.of.count, first), stored, stored * size, size)

    def _mirror(self, buffer) -> None:
        """The second half of the numbers: conjugates of the first."""
        f, n = self.v.f, self.p.of.length
        with f.loop(1, (n + 1) // 2) as k:
            value: Complex = buffer.source(k)(0)
            buffer.target(f.sub(n, k))(0, value.conjugate())


class _Within(_Signals):
    """Lanes are neighbours in a row."""

    def emit(self, unit: str | int) -> None:
        p, (from_size, to_size) = self.p, self._sizes()
        source = self._signal("%source", unit, p.of.stored[0], from_size)
        target = self._signal("%target", unit, p.of.stored[1], to_size)
        within = WithinSignal(self.v, p.transform, "%table", self.offsets, self.scratch)
        WAYS[p.of.real](self, within, source, target)

    def complex_signal(self, within: WithinSignal, source: str, target: str) -> None:
        v, p, swap = self.v, self.p, self.fft.inverse
        limit = p.of.length if p.transform.is_padded else None
        ahead = 2 * p.of.length if p.prefetch and not limit else 0
        within.emit(
            ComplexMemory(v, source, swap=swap, limit=limit, ahead=ahead),
            ComplexMemory(v, target, swap=swap, limit=limit, factor=self.factor, ahead=ahead),
        )

    def real_source(self, within: WithinSignal, source: str, target: str) -> None:
        v, p = self.v, self.p
        limit = p.transform.length if p.transform.is_padded else None
        if not p.by_halves:
            return within.emit(RealMemory(v, source, limit=limit), ComplexMemory(v, target, limit=p.of.stored[1]))
        signal = self._real_signal()
        within.emit(ComplexMemory(v, source, limit=limit), replace(signal.numbers(), limit=limit))
        signal.spectrum_of_half(ComplexMemory(v, target))
        return None

    def real_target(self, within: WithinSignal, source: str, target: str) -> None:
        v, p, signal = self.v, self.p, self._real_signal()
        limit = p.transform.length if p.transform.is_padded else None
        memory = ComplexMemory(v, source)
        if not p.by_halves:
            signal.whole_spectrum(memory)
            return within.emit(
                replace(signal.numbers(swap=True), limit=limit),
                RealMemory(v, target, swap=True, limit=p.of.length, factor=self.factor),
            )
        half = Planes(v, v.at(signal.scratch, 2 * signal.plane), signal.plane)
        signal.half_of_spectrum(memory, half)
        numbers = replace(half, swap=True, limit=limit)
        within.emit(numbers, ComplexMemory(v, target, swap=True, limit=limit, factor=self.factor))
        return None

    def _real_signal(self) -> RealSignal:
        v, p = self.v, self.p
        scratch = v.at(self.scratch, WithinSignal.scratch_size(p.transform))
        if not p.by_halves:
            return RealSignal(v, p.of.length, scratch)
        (twiddles,) = self.tables.add([half_twiddles(p.of.length, v.lanes)])
        return RealSignal(v, p.of.length, scratch, v.at("%table", twiddles))


WAYS = {"": _Within.complex_signal, "source": _Within.real_source, "target": _Within.real_target}
