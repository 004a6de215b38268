"""The Fourier transform of one signal, of any length: real and imaginary parts separately, in scratch.

A power of two takes Stockham's radix-2 algorithm, whose stages go back and forth between two scratch buffers; any other length
Bluestein's, a convolution with a chirp by three transforms of the next power of two >= 2n - 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, for_loop, index, load, store, zero

Values = list[ir.Value]
Part = Sequence[ir.Value]
"""Real and imaginary part: of one number, or of a signal."""


@dataclass(frozen=True)
class Signal:
    """The transform of one signal of `length` numbers; `first_table` is the position of its tables among the plan's."""

    length: int
    part: ir.Type
    first_table: int

    @property
    def is_power_of_two(self) -> bool:
        return self.length & (self.length - 1) == 0

    @property
    def padded(self) -> int:
        """The length of the power-of-two transforms."""
        return self.length if self.is_power_of_two else 1 << (2 * self.length - 2).bit_length()

    def tables(self) -> list[np.ndarray]:
        """Twiddle factors exp(-2 pi i k / padded); for Bluestein the chirp and the chirp's transform too."""
        m, n = self.padded, self.length
        twiddles = np.exp(-2j * np.pi * np.arange(max(m // 2, 1)) / m)
        if self.is_power_of_two:
            return _parts(twiddles)
        chirp, spectrum = chirp_of(n, m)
        return _parts(twiddles) + _parts(chirp) + _parts(spectrum)

    def emit(
        self, read: Callable[[Index], Part], scratch: Values, tables: Sequence[ir.Value], loop: Callable = for_loop
    ) -> tuple[Callable, Values]:
        """Transforms the signal that `read` gives. Returns a reader of the transform, and the scratch buffers. `loop`:
        for_loop, or shared_loop for many threads."""
        own = tables[self.first_table :]
        if self.is_power_of_two:
            scratch = _fill(scratch, 0, self.length, read, loop)
            scratch, at = _transform(scratch, self.padded, own[:2], loop)
            return (lambda k: load(scratch[at : at + 2], [k])), scratch
        return self._bluestein(read, scratch, own, loop)

    def _bluestein(
        self, read: Callable[[Index], Part], scratch: Values, tables: Sequence[ir.Value], loop: Callable
    ) -> tuple[Callable, Values]:
        """The transform as chirp[k] * sum over j of (x[j] * chirp[j]) * conj(chirp[k - j])."""
        twiddles, chirp, kernel = tables[0:2], tables[2:4], tables[4:6]
        nothing = zero(self.part)
        scratch = _fill(scratch, 0, self.length, lambda k: _multiply(read(k), load(chirp, [k])), loop)
        scratch = _fill(scratch, self.length, self.padded, lambda k: (nothing, nothing), loop)
        scratch, at = _transform(scratch, self.padded, twiddles, loop)
        scratch = [*scratch[at:], *scratch[:at]]
        current = scratch

        def product(k: Index, *buffer: ir.Value) -> Values:
            re, im = _multiply(load(buffer, [k]), load(kernel, [k]))
            return store((re, im), buffer, [k])

        current[:2] = loop(0, self.padded, product, current[:2])
        exchanged = [current[1], current[0], current[3], current[2]]
        exchanged, back = _transform(exchanged, self.padded, twiddles, loop)
        first, second = exchanged[0:2][::-1], exchanged[2:4][::-1]
        buffers = [first, second]
        result = buffers[back // 2]
        order = [*second, *first] if at else [*first, *second]
        return (lambda k: _multiply(load(result, [k]), load(chirp, [k]))), order


def _transform(scratch: Values, n: int, twiddles: Sequence[ir.Value], loop: Callable) -> tuple[Values, int]:
    """Stockham's algorithm over the buffers scratch[0:2] and scratch[2:4], n a power of two. Returns the buffers and where
    among them the result begins (0 or 2)."""
    stages = n.bit_length() - 1
    first, second = scratch[:2], scratch[2:]
    for stage in range(stages):
        first, second = _stage(first, second, n // 2, 1 << stage, twiddles, loop), first
    return ([*second, *first], 2) if stages % 2 else ([*first, *second], 0)


def _stage(
    source: Values, target: Values, span: int, width: int, twiddles: Sequence[ir.Value], loop: Callable
) -> Values:
    """One radix-2 stage: for each j < span / width, k < width:
    target[k + 2jw] = a + b, target[k + (2j+1)w] = (a - b) * twiddle[jw], a = source[k + jw], b = source[k + jw + span]."""

    def butterfly(here: Index, *target: ir.Value) -> Values:
        offset = arith.andi(here, index(-width))  # widths are powers of two
        a, b = load(source, [here]), load(source, [add(here, span)])
        low = arith.addi(here, offset)
        total = [arith.addf(x, y) for x, y in zip(a, b, strict=True)]
        difference = tuple(arith.subf(x, y) for x, y in zip(a, b, strict=True))
        stored = store(total, target, [low])
        return store(_multiply(difference, load(twiddles, [offset])), stored, [add(low, width)])

    return loop(0, span, butterfly, target)


def chirp_of(length: int, padded: int) -> tuple[np.ndarray, np.ndarray]:
    """Bluestein's chirp exp(-pi i k^2 / length), and the transform of its conjugate at `padded` points, divided by these."""
    chirp = np.exp(-1j * np.pi * (np.arange(length, dtype=np.int64) ** 2 % (2 * length)) / length)
    kernel = np.zeros(padded, np.complex128)
    kernel[:length] = chirp.conj()
    kernel[padded - length + 1 :] = chirp[1:][::-1].conj()
    return chirp, np.fft.fft(kernel) / padded


def _parts(values: np.ndarray) -> list[np.ndarray]:
    return [values.real, values.imag]


def _fill(scratch: Values, start: int, stop: int, read: Callable[[Index], Part], loop: Callable) -> Values:
    """Writes what `read` gives to positions of the first buffer."""

    def one(k: Index, *buffer: ir.Value) -> Values:
        position = add(k, start)
        return store(read(position), buffer, [position])

    return [*loop(0, stop - start, one, scratch[:2]), *scratch[2:]]


def _multiply(a: Sequence[ir.Value], b: Sequence[ir.Value]) -> Part:
    real = arith.subf(arith.mulf(a[0], b[0]), arith.mulf(a[1], b[1]))
    return real, arith.addf(arith.mulf(a[0], b[1]), arith.mulf(a[1], b[0]))
