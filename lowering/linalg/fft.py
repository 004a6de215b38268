"""fft: forward, inverse, real-to-complex and complex-to-real transforms of any length, as a "loops" kernel.

Each line along a transformed dimension is copied into scratch (real and imaginary parts apart), transformed, and
written back. A power of two takes Stockham's radix-2 algorithm, O(n log n), whose stages go back and forth between two
scratch lines; any other length Bluestein's, a convolution with a chirp by three transforms of the next power of two
>= 2n - 1, O(n log n) too. The inverse is the forward transform with real and imaginary parts exchanged, divided by n."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from mlir import ir
from mlir.dialects import arith, complex, tensor

from hlo.dialect.stablehlo import FftOp
from hlo.dialect.types import is_complex
from hlo.lowering.linalg.loops import (
    Index,
    add,
    block_nest,
    element,
    extract,
    for_loop,
    index,
    insert,
    less,
    minimum,
    mul,
    nest,
    scalar,
    shape,
    shared_loop,
    sub,
    zero,
)
from hlo.lowering.linalg.rules import Lowering, lowers

Values = list[ir.Value]
Part = tuple[ir.Value, ir.Value]
"""Real and imaginary part: of one number, or of a line."""
Reader = Callable[[list[Index]], Part]

LONG = 64
"""Lines up to this length (padded) are transformed by a thread each, where there are many threads."""

MANY = 1 << 14
"""Lines that a thread each is enough for."""


@lowers(FftOp)
def lower_fft(op: FftOp, lowering: Lowering) -> Values:
    operand, result_type = lowering[op.operand], lowering.type(op.results[0].type)
    empty = tensor.empty(shape(result_type), element(result_type))
    if 0 in shape(result_type):
        return [empty]
    plan = FftPlan(op.fft_type, list(op.fft_length), shape(operand), _part_type(result_type))
    tables = [_table_constant(t, plan.part) for t in plan.tables]

    def build(result: ir.Value, operand: ir.Value, *tables: ir.Value) -> Values:
        return [plan.emit(result, operand, tables)]

    through, independent = lowering.outer_loops(shape(result_type)[:-1])
    plan.through, plan.many_threads = through, lowering.many_threads
    results = lowering.outline(
        "fft",
        [empty, operand, *tables],
        [result_type],
        build,
        tied={0: 0},
        independent=independent if len(op.fft_length) == 1 else 1,
    )
    _describe(results[0].owner, op, lowering.target)
    return results


def _describe(call: ir.Operation, op: FftOp, module: ir.Module) -> None:
    """Tells on the kernel what it computes, for targets that have code of their own for it (`vectorize-fft`)."""
    name = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
    kernel = next(f for f in module.body.operations if ir.StringAttr(f.attributes["sym_name"]).value == name)
    kernel.attributes["hlo.fft"] = ir.StringAttr.get(op.fft_type)
    kernel.attributes["hlo.fft_length"] = ir.DenseI64ArrayAttr.get(list(op.fft_length))


def _part_type(complex_or_real: ir.Type) -> ir.Type:
    t = element(complex_or_real)
    return ir.ComplexType(t).element_type if is_complex(t) else t


def _table_constant(values: np.ndarray, part: ir.Type) -> ir.Value:
    dtype = np.float64 if isinstance(part, ir.F64Type) else np.float32
    attribute = ir.DenseElementsAttr.get(np.ascontiguousarray(values, dtype))
    return arith.constant(attribute.type, attribute)


@dataclass
class FftPlan:
    """The one-dimensional transforms that a fft is made of, and their tables."""

    kind: str
    lengths: list[int]
    operand_shape: list[int]
    part: ir.Type
    lines: dict[int, Line] = field(default_factory=dict)
    """The transform of each length."""
    tables: list[np.ndarray] = field(default_factory=list)
    through: Callable = nest
    """How lines are gone through."""
    many_threads: bool = False
    """Whether long lines are transformed by a block of threads each, a single one by all threads."""

    def __post_init__(self) -> None:
        for n in self.lengths:
            if n not in self.lines:
                line = Line(n, self.part, len(self.tables))
                self.lines[n] = line
                self.tables += line.tables()

    def emit(self, result: ir.Value, operand: ir.Value, tables: Sequence[ir.Value]) -> ir.Value:
        rank, count = len(self.operand_shape), len(self.lengths)
        dims = list(range(rank - count, rank))
        inverse = self.kind in ("IFFT", "IRFFT")
        if self.kind != "IRFFT":
            source = operand
            for d in reversed(dims):
                result = self._along(d, source, result, tables, inverse)
                source = result
            return result
        source = operand
        if count > 1:
            spectrum = tensor.empty(self.operand_shape, element(operand))
            for d in dims[:-1]:
                spectrum = self._along(d, source, spectrum, tables, inverse)
                source = spectrum
        return self._along(dims[-1], source, result, tables, inverse)

    def _along(
        self, dimension: int, source: ir.Value, result: ir.Value, tables: Sequence[ir.Value], inverse: bool
    ) -> ir.Value:
        """Transforms every line of `source` along a dimension into `result` (which may be `source`)."""
        rank = len(self.operand_shape)
        line = self.lines[self.lengths[dimension - rank + len(self.lengths)]]
        outer = [1 if d == dimension else n for d, n in enumerate(shape(result))]
        in_place = source == result
        half = self.kind == "IRFFT" and dimension == rank - 1

        def transform(position: list[Index], result: ir.Value, *scratch: ir.Value) -> Values:
            def at(k: Index) -> list[Index]:
                return [*position[:dimension], k, *position[dimension + 1 :]]

            origin = result if in_place else source
            read = _hermitian(origin, at, line.length) if half else lambda k: _load(origin, at(k))
            values, lines = line.emit(lambda k: _swap(read(k), inverse), list(scratch), tables, loop)

            def write(k: Index, result: ir.Value) -> Values:
                parts = _swap(values(k), inverse)
                if inverse:
                    factor = scalar(self.part, 1.0 / line.length)
                    parts = arith.mulf(parts[0], factor), arith.mulf(parts[1], factor)
                return [_store(parts, result, at(k))]

            return [*loop(0, shape(result)[dimension], write, [result]), *lines]

        by_blocks = self.many_threads and line.padded > LONG and prod(outer) < MANY
        through, loop = (block_nest, shared_loop) if by_blocks else (self.through, for_loop)
        scratch = [tensor.empty([line.padded], self.part) for _ in range(4)]
        return through(outer, transform, [result, *scratch])[0]


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


def _swap(parts: Part, exchange: bool) -> Part:
    return (parts[1], parts[0]) if exchange else parts


def _load_parts(line: Sequence[ir.Value], k: Index) -> Part:
    return extract(line[0], [k]), extract(line[1], [k])


def _store_parts(parts: Sequence[ir.Value], line: Sequence[ir.Value], k: Index) -> Values:
    return [insert(part, into, [k]) for part, into in zip(parts, line, strict=True)]


def _load(source: ir.Value, position: list[Index]) -> Part:
    value = extract(source, position)
    if not is_complex(value.type):
        return value, zero(value.type)
    return complex.re(value), complex.im(value)


def _store(parts: Part, into: ir.Value, position: list[Index]) -> ir.Value:
    """A number written to a complex tensor, or its real part to a real one."""
    t = element(into)
    return insert(complex.create_(t, *parts) if is_complex(t) else parts[0], into, position)


def _hermitian(source: ir.Value, at: Callable[[Index], list[Index]], length: int) -> Callable[[Index], Part]:
    """Reads a line of `length` numbers of which the first half is stored: number k is the conjugate of number
    `length - k`."""

    def read(k: Index) -> Part:
        mirrored = sub(length, k)
        real, imaginary = _load(source, at(minimum(k, mirrored)))
        return real, arith.select(less(mirrored, k), arith.negf(imaginary), imaginary)

    return read
