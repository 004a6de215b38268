"""The Fourier transform of one line, of any length: real and imaginary parts apart, in scratch.

A power of two takes Stockham's radix-2 algorithm, whose stages go back and forth between two scratch lines; any other length
Bluestein's, a convolution with a chirp by three transforms of the next power of two >= 2n - 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from mlir import ir
from mlir.dialects import arith

from hlo.lowering.linalg.loops import (
    Index,
    add,
    extract,
    for_loop,
    index,
    insert,
    mul,
    shared_loop,
    zero,
)

Values = list[ir.Value]
Part = tuple[ir.Value, ir.Value]
"""Real and imaginary part: of one number, or of a line."""


@dataclass(frozen=True)
class Line:
    """The transform of one line of `length` numbers; `first_table` is the place of its tables among the plan's."""

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
        chirp = np.exp(-1j * np.pi * (np.arange(n) ** 2 % (2 * n)) / n)
        kernel = np.zeros(m, np.complex128)
        kernel[:n] = chirp.conj()
        kernel[m - n + 1 :] = chirp[1:][::-1].conj()
        return _parts(twiddles) + _parts(chirp) + _parts(np.fft.fft(kernel) / m)

    def emit(
        self, read: Callable[[Index], Part], scratch: Values, tables: Sequence[ir.Value], loop: Callable = for_loop
    ) -> tuple[Callable, Values]:
        """Transforms the line that `read` gives. Returns a reader of the transform, and the scratch lines. `loop`:
        for_loop, or shared_loop for many threads."""
        own = tables[self.first_table :]
        if self.is_power_of_two:
            scratch = _fill(scratch, 0, self.length, read, loop)
            scratch, at = _transform(scratch, self.padded, own[:2], loop)
            return (lambda k: _load_parts(scratch[at : at + 2], k)), scratch
        return self._bluestein(read, scratch, own, loop)

    def _bluestein(
        self, read: Callable[[Index], Part], scratch: Values, tables: Sequence[ir.Value], loop: Callable
    ) -> tuple[Callable, Values]:
        """The transform as chirp[k] * sum over j of (x[j] * chirp[j]) * conj(chirp[k - j])."""
        twiddles, chirp, kernel = tables[0:2], tables[2:4], tables[4:6]
        nothing = zero(self.part)
        scratch = _fill(scratch, 0, self.length, lambda k: _multiply(read(k), _load_parts(chirp, k)), loop)
        scratch = _fill(scratch, self.length, self.padded, lambda k: (nothing, nothing), loop)
        scratch, at = _transform(scratch, self.padded, twiddles, loop)
        scratch = [*scratch[at:], *scratch[:at]]
        current = scratch

        def product(k: Index, *line: ir.Value) -> Values:
            re, im = _multiply(_load_parts(line, k), _load_parts(kernel, k))
            return _store_parts((re, im), line, k)

        current[:2] = loop(0, self.padded, product, current[:2])
        exchanged = [current[1], current[0], current[3], current[2]]
        exchanged, back = _transform(exchanged, self.padded, twiddles, loop)
        first, second = exchanged[0:2][::-1], exchanged[2:4][::-1]
        lines = [first, second]
        result = lines[back // 2]
        order = [*second, *first] if at else [*first, *second]
        return (lambda k: _multiply(_load_parts(result, k), _load_parts(chirp, k))), order


def _transform(scratch: Values, n: int, twiddles: Sequence[ir.Value], loop: Callable) -> tuple[Values, int]:
    """Stockham's algorithm over the lines scratch[0:2] and scratch[2:4], n a power of two. Returns the lines and where
    among them the result begins (0 or 2)."""
    stages = n.bit_length() - 1
    if loop is shared_loop:
        first, second = scratch[:2], scratch[2:]
        for stage in range(stages):
            first, second = _shared_stage(first, second, n // 2, 1 << stage, twiddles), first
        return ([*second, *first], 2) if stages % 2 else ([*first, *second], 0)

    def two_stages(_: Index, groups: ir.Value, width: ir.Value, *lines: ir.Value) -> Values:
        first, second = list(lines[:2]), list(lines[2:])
        second = _stage(first, second, groups, width, twiddles)
        halved = arith.shrui(groups, index(1))
        first = _stage(second, first, halved, mul(width, 2), twiddles)
        return [arith.shrui(groups, index(2)), mul(width, 4), *first, *second]

    if stages >= 2:
        start = [index(n // 2), index(1), *scratch]
        scratch = for_loop(0, stages // 2, two_stages, start)[2:]
    if stages % 2 == 0:
        return scratch, 0
    return [*scratch[:2], *_stage(scratch[:2], scratch[2:], index(1), index(n // 2), twiddles)], 2


def _stage(source: Values, target: Values, groups: Index, width: Index, twiddles: Sequence[ir.Value]) -> Values:
    """One radix-2 stage: for each j < groups, k < width:
    target[k + 2jw] = a + b, target[k + (2j+1)w] = (a - b) * twiddle[jw], a = source[k + jw], b = source[k + (j+groups)w]."""
    span = arith.muli(groups, width)

    def group(j: Index, *target: ir.Value) -> Values:
        offset = arith.muli(j, width)
        twiddle = _load_parts(twiddles, offset)

        def butterfly(k: Index, *target: ir.Value) -> Values:
            return _butterfly(source, target, arith.addi(k, offset), offset, span, width, twiddle)

        return for_loop(0, width, butterfly, target)

    return for_loop(0, groups, group, target)


def _shared_stage(source: Values, target: Values, span: int, width: int, twiddles: Sequence[ir.Value]) -> Values:
    """The same stage as one loop whose turns many threads share."""

    def butterfly(here: Index, *target: ir.Value) -> Values:
        offset = arith.andi(here, index(-width))  # widths are powers of two
        return _butterfly(source, target, here, offset, span, width, _load_parts(twiddles, offset))

    return shared_loop(0, span, butterfly, target)


def _butterfly(
    source: Values,
    target: Sequence[ir.Value],
    here: Index,
    offset: Index,
    span: Index,
    width: Index,
    twiddle: Sequence[ir.Value],
) -> Values:
    """`here`: where a is; `offset`: jw."""
    a, b = _load_parts(source, here), _load_parts(source, add(here, span))
    low = arith.addi(here, offset)
    total = [arith.addf(x, y) for x, y in zip(a, b, strict=True)]
    difference = tuple(arith.subf(x, y) for x, y in zip(a, b, strict=True))
    stored = _store_parts(total, target, low)
    return _store_parts(_multiply(difference, twiddle), stored, add(low, width))


def _parts(values: np.ndarray) -> list[np.ndarray]:
    return [values.real, values.imag]


def _fill(scratch: Values, start: int, stop: int, read: Callable[[Index], Part], loop: Callable) -> Values:
    """Writes what `read` gives to places of the first line."""

    def one(k: Index, *line: ir.Value) -> Values:
        place = add(k, start)
        return _store_parts(read(place), line, place)

    return [*loop(0, stop - start, one, scratch[:2]), *scratch[2:]]


def _multiply(a: Sequence[ir.Value], b: Sequence[ir.Value]) -> Part:
    real = arith.subf(arith.mulf(a[0], b[0]), arith.mulf(a[1], b[1]))
    return real, arith.addf(arith.mulf(a[0], b[1]), arith.mulf(a[1], b[0]))


def _load_parts(line: Sequence[ir.Value], k: Index) -> Part:
    return extract(line[0], [k]), extract(line[1], [k])


def _store_parts(parts: Sequence[ir.Value], line: Sequence[ir.Value], k: Index) -> Values:
    return [insert(part, into, [k]) for part, into in zip(parts, line, strict=True)]
