"""The schedule of a Fourier transform: `{passes = [{length = 4096, vectorize = "signal", vector = 16, factors = [8, 8],
columns = [8, 8], ...}]}`, a part for each transformed dimension, in the order they run."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from hlo.environment import MOST_THREADS
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.schedule import (
    ScheduleError,
    attribute_of,
    between,
    one_of,
    read_as,
    read_parts,
    said_of,
    schedule_of,
    vector_widths,
)
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import ceildiv
from hlo.lowering.vector.fft.plan import PRIMES, Side, Square, Transform, choose

PARALLEL = 64 << 10
"""Bytes of an array from which its signals are divided among threads."""
RADICES = (2, 4, 8, *PRIMES)
SIGNAL, BATCH = "signal", "batch"


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


def fft_of(kernel: Any) -> Fft:
    """What a kernel with `hlo.fft` computes."""
    lengths = tuple(ir.DenseI64ArrayAttr(kernel.attributes["hlo.fft_length"]))
    types = [ir.RankedTensorType(t) for t in (kernel.type.inputs[0], kernel.type.results[0])]
    shapes, elements = [tuple(t.shape) for t in types], [t.element_type for t in types]
    part = ir.ComplexType(next(t for t in elements if isinstance(t, ir.ComplexType))).element_type
    return Fft(ir.StringAttr(kernel.attributes["hlo.fft"]).value, lengths, shapes[0], shapes[1], str(part))


@dataclass(frozen=True)
class Signals:
    """What a pass goes along: signals of `length` numbers along one dimension, `count` outside of it, `inner`
    neighbours inside. `stored`: how many numbers of a signal the source and the target have; `real`: "source", "target"
    or ""."""

    length: int
    count: int
    inner: int
    stored: tuple[int, int]
    real: str

    def transformed(self, vectorize: str) -> int:
        """Numbers that are transformed: a signal of an even number of reals that vectors run along is one of half as
        many complex numbers."""
        return self.length // 2 if self.real and self.length % 2 == 0 and vectorize == SIGNAL else self.length


def signals_of(fft: Fft) -> list[Signals]:
    """In the order of the passes: from real numbers the last dimension first, to real numbers last."""
    rank, count = len(fft.operand), len(fft.lengths)
    dims = list(range(rank - count, rank))
    shape = fft.operand if fft.kind == "IRFFT" else fft.result
    found = []
    for d in dims if fft.kind == "IRFFT" else dims[::-1]:
        last, length = d == rank - 1, fft.lengths[d - rank + count]
        real = {"RFFT": "source", "IRFFT": "target"}.get(fft.kind, "") if last else ""
        stored = (fft.operand[-1], fft.result[-1]) if last else (length, length)
        found.append(Signals(length, prod(shape[:d]), prod(shape[d + 1 :]), stored, real))
    return found


@dataclass(frozen=True)
class PassSchedule:
    """How a pass runs; docs/kernels.md tells what each field does."""

    length: int
    vectorize: str
    vector: int
    factors: tuple[int, ...]
    columns: tuple[int, ...]
    prefetch: bool
    threads: int


@dataclass(frozen=True)
class Pass:
    """A pass with the transform that its schedule has for it."""

    of: Signals
    transform: Transform
    prefetch: bool
    """Whether a signal is fetched while the one before it is transformed: the array does not stay in the last cache."""
    threads: int

    @property
    def lanes(self) -> int:
        return self.transform.way.lanes

    @property
    def by_halves(self) -> bool:
        """Whether a signal of an even number of reals is transformed as one of half as many complex numbers."""
        return self.transform.length != self.of.length

    @property
    def units(self) -> int:
        """What is divided among threads: signals, or as many together as there are lanes."""
        if self.of.inner > 1:
            return self.of.count * ceildiv(self.of.inner, self.lanes)
        return ceildiv(self.of.count, self.lanes) if isinstance(self.transform.way, Side) else self.of.count


def schedule_fft(kernel: Any, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be of a kernel with `hlo.fft`."""
    fft = fft_of(kernel)
    large = prod(fft.operand) * byte_size(fft.element) >= PARALLEL
    threads = target.threads if large else 1
    return attribute_of({"passes": [_chosen(of, fft.element, threads, target) for of in signals_of(fft)]})


def _chosen(of: Signals, element: str, threads: int, target: Target) -> PassSchedule:
    size, lanes = byte_size(element), target.lanes(8 * byte_size(element))
    transform = choose(of.transformed(SIGNAL), of.count, of.inner, lanes, size, target)
    if isinstance(transform.way, Side) and transform.length != of.length:
        transform = choose(of.length, of.count, 0, lanes, size, target)
    far = 4 * of.count * of.inner * of.length * size > target.l3 // 8
    found, way = Pass(of, transform, far and _may_prefetch(of, transform), threads), transform.way
    vectorize, factors, columns = (BATCH, way.factors, ()) if isinstance(way, Side) else (SIGNAL, way.first, way.second)
    return PassSchedule(
        of.length, vectorize, lanes, factors, columns, found.prefetch, min(threads, max(found.units, 1))
    )


def _may_prefetch(of: Signals, transform: Transform) -> bool:
    return isinstance(transform.way, Square) and not of.real and not transform.is_padded


def scheduled_fft(kernel: Any, target: Target) -> tuple[Fft, list[Pass]]:
    """What a kernel computes, and the passes that its schedule has for it, checked. Raises ScheduleError."""
    fft = fft_of(kernel)
    signals = signals_of(fft)
    parts = read_parts("passes", schedule_of(kernel), len(signals))
    widest = target.lanes(8 * byte_size(fft.element))
    return fft, [_read(of, part, f"passes[{n}]", widest) for n, (of, part) in enumerate(zip(signals, parts))]


def _read(of: Signals, part: ir.Attribute, where: str, widest: int) -> Pass:
    with said_of(where):
        found = read_as(PassSchedule, part)
        one_of("length", found.length, [of.length])
        one_of("vectorize", found.vectorize, [BATCH, SIGNAL] if of.inner == 1 else [BATCH])
        one_of("vector", found.vector, vector_widths(widest) or [1])
        transform = _read_transform(of, found)
        one_of("prefetch", found.prefetch, [False, True] if _may_prefetch(of, transform) else [False])
        between("threads", found.threads, 1, MOST_THREADS)
    return Pass(of, transform, found.prefetch, found.threads)


def _read_transform(of: Signals, found: PassSchedule) -> Transform:
    """Raises ScheduleError for factors of another length."""
    needed, in_signal = of.transformed(found.vectorize), found.vectorize == SIGNAL
    for name, factors in (("factors", found.factors), ("columns", found.columns)):
        if name == "columns" and not in_signal:
            one_of(name, list(factors), [[]])
        elif list(factors) != [1] or in_signal:
            for n, factor in enumerate(factors or (0,)):
                one_of(f"{name}[{n}]", factor, RADICES)
    length = prod(found.factors) * prod(found.columns)
    if length != needed and length < 2 * needed - 1:
        raise ScheduleError("factors", f"{length} together", f"{needed}, or at least {2 * needed - 1}")
    if in_signal:
        return Transform(needed, Square(found.vector, found.factors, found.columns))
    return Transform(needed, Side(length, found.vector, found.factors))
