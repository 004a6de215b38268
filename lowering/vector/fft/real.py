"""Transforms from and to real numbers of signals that vectors run along.

An even number n of reals is a signal of n / 2 complex numbers z, whose transform Z holds that of the reals:
X[k] = (Z[k] + conj Z[n/2 - k]) / 2 - i w^k (Z[k] - conj Z[n/2 - k]) / 2, w = exp(-2 pi i / n)."""

from __future__ import annotations

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import whole
from hlo.lowering.vector.fft.elements import ComplexMemory, Planes
from hlo.lowering.vector.fft.plan import by_parts
from hlo.lowering.vector.fft.vectors import Complex, Vectors


def half_twiddles(length: int, lanes: int) -> np.ndarray:
    """-i w^k / 2 for k <= length / 2, by parts; a plane is `half_plane` long."""
    k = np.arange(half_plane(length, lanes))
    return by_parts(-0.5j * np.exp(-2j * np.pi * k / length))


def half_plane(length: int, lanes: int) -> int:
    return whole(length // 2 + 1, lanes)


def signal_plane(length: int, lanes: int) -> int:
    """Elements of a plane in scratch memory that holds a signal, with a vector of room before and behind it."""
    return whole(length + 1, lanes) + 2 * lanes


@dataclass(frozen=True)
class RealSignal:
    """`scratch`: 2 * signal_plane elements."""

    v: Vectors
    length: int
    scratch: str
    twiddles: str = ""

    @property
    def plane(self) -> int:
        return signal_plane(self.length, self.v.lanes)

    def numbers(self, swap: bool = False) -> Planes:
        """The signal in scratch memory."""
        return Planes(self.v, self.v.at(self.scratch, self.v.lanes), self.plane, swap=swap)

    def spectrum_of_half(self, target: ComplexMemory) -> None:
        """From Z in scratch memory to X in `target`."""
        v, half = self.v, self.length // 2
        signal = self.numbers()
        self._copy(signal, 0, half)
        twiddles = Planes(v, self.twiddles, half_plane(self.length, v.lanes))
        with v.f.loop(0, half + 1, v.lanes) as k:
            here, mirrored = self._pair(signal, k, half)
            odd = twiddles.source(k)(0) * (here - mirrored)
            write = target.target(k, v.f.sub(half + 1, k))
            write(0, (here + mirrored).scaled(0.5) + odd)

    def half_of_spectrum(self, source: ComplexMemory, into: Planes) -> None:
        """2 Z from X: (X[k] + conj X[h - k]) + i conj(w^k) (X[k] - conj X[h - k])."""
        v, half = self.v, self.length // 2
        signal = self.numbers()
        self._read(source, half + 1, signal)
        self._clear(signal, 0)
        self._clear(signal, half)
        twiddles = Planes(v, self.twiddles, half_plane(self.length, v.lanes))
        with v.f.loop(0, half, v.lanes) as k:
            here, mirrored = self._pair(signal, k, half)
            factor = twiddles.source(k)(0).conjugate().scaled(2.0)
            odd = factor * (here - mirrored)
            into.target(k)(0, here + mirrored + odd)

    def whole_spectrum(self, source: ComplexMemory) -> None:
        """The numbers 0 to length - 1, of an odd length, in scratch memory, from the first half."""
        v, half = self.v, self.length // 2
        signal = self.numbers()
        with v.f.loop(1, half + 1, v.lanes) as k:
            value = source.source(k, v.f.sub(half + 1, k))(0).conjugate()
            position = v.f.sub(self.length - v.lanes + 1, k)
            signal.target(position)(0, value.reversed())
        with v.f.loop(0, half + 1, v.lanes) as k:
            left = v.f.sub(half + 1, k)
            signal.target(k, left)(0, source.source(k, left)(0))

    def _pair(self, signal: Planes, k: str | int, half: int) -> tuple[Complex, Complex]:
        """Numbers k and on, and the conjugates of numbers half - k and down."""
        v = self.v
        back = signal.source(v.f.sub(half - v.lanes + 1, k))(0)
        return signal.source(k)(0), back.reversed().conjugate()

    def _read(self, source: ComplexMemory, count: int, signal: Planes) -> None:
        v = self.v
        with v.f.loop(0, count, v.lanes) as k:
            signal.target(k)(0, source.source(k, v.f.sub(count, k))(0))

    def _copy(self, signal: Planes, start: int, to: int) -> None:
        v = self.v
        size = byte_size(v.element)
        for part in (0, signal.plane):
            value = v.f.load(v.at(signal.pointer, start + part), v.element, size)
            v.f.store(value, v.at(signal.pointer, to + part), v.element, size)

    def _clear(self, signal: Planes, number: int) -> None:
        """The imaginary part of a number that is real."""
        v = self.v
        v.f.store(v.f.zero(v.element), v.at(signal.pointer, number + signal.plane), v.element, byte_size(v.element))
