"""fft: forward, inverse, real-to-complex and complex-to-real transforms of any length.

For a CPU it is a kernel without a body, whose code the pass `vectorize-fft` writes:

    func.func private @fft_0(tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> attributes {hlo.kernel = "fft", hlo.fft = "RFFT", hlo.fft_length = array<i64: 8>}

For many threads it is a "loops" kernel. Each signal along a transformed dimension is copied into scratch (real and
imaginary parts separately), transformed, and written back. A power of two takes Stockham's radix-2 algorithm, O(n log
n), whose stages go back and forth between two scratch buffers; any other length Bluestein's, a convolution with a chirp
by three transforms of the next power of two
>= 2n - 1, O(n log n) too. The inverse is the forward transform with real and imaginary parts exchanged, divided by n."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod

import numpy as np
from mlir import ir
from mlir.dialects import arith, complex, tensor

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import FftOp
from hlo.dialect.stablehlo.conversion import real_type
from hlo.dialect.types import is_complex
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.fft.signals import Part, Signal, Values
from hlo.lowering.linalg.loops import (
    Index,
    block_nest,
    element,
    extract,
    for_loop,
    independent_nest,
    insert,
    less,
    minimum,
    scalar,
    shape,
    shared_loop,
    sub,
    zero,
)
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import empty

Reader = Callable[[list[Index]], Part]

LONG = 64
"""Signals up to this length (padded) are transformed by a thread each."""

MANY = 1 << 14
"""Signals for which a thread each is enough."""

LONGEST = 1 << 28
"""Elements of a transform. Its table of twiddle factors is a constant of the program, made when that is compiled."""


@lowers(FftOp)
def lower_fft(op: FftOp, lowering: Lowering) -> Values:
    operand, result_type = lowering[op.operand], lowering.type(op.results[0].type)
    if 0 in shape(result_type):
        return [empty(result_type)]
    if max(op.fft_length) > LONGEST:
        found = f"transforms of at most {LONGEST} elements are supported, found {max(op.fft_length)}"
        raise CompileError(diagnostic(op, f"'{op.operation.name}': {found}"))
    if not lowering.many_threads:
        attributes = {
            "hlo.fft": ir.StringAttr.get(op.fft_type),
            "hlo.fft_length": ir.DenseI64ArrayAttr.get(list(op.fft_length)),
        }
        return lowering.call_declared("fft", [operand], [result_type], attributes)
    plan = FftPlan(op.fft_type, list(op.fft_length), shape(operand), real_type(element(result_type)))
    tables = [_table_constant(t, plan.part) for t in plan.tables]

    def build(updated: Values, read: Values) -> Values:
        (result,), (operand, *tables) = updated, read
        return [plan.emit(result, operand, tables)]

    return lowering.outline("fft", [empty(result_type)], [operand, *tables], build)


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
    signals: dict[int, Signal] = field(default_factory=dict)
    """The transform of each length."""
    tables: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        for n in self.lengths:
            if n not in self.signals:
                signal = Signal(n, self.part, len(self.tables))
                self.signals[n] = signal
                self.tables += signal.tables()

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
        """Transforms every signal of `source` along a dimension into `result` (which may be `source`)."""
        rank = len(self.operand_shape)
        signal = self.signals[self.lengths[dimension - rank + len(self.lengths)]]
        outer = [1 if d == dimension else n for d, n in enumerate(shape(result))]
        is_in_place = source == result
        half = self.kind == "IRFFT" and dimension == rank - 1

        def transform(position: list[Index], result: ir.Value, *scratch: ir.Value) -> Values:
            def at(k: Index) -> list[Index]:
                return [*position[:dimension], k, *position[dimension + 1 :]]

            origin = result if is_in_place else source
            read = _hermitian(origin, at, signal.length) if half else lambda k: _load(origin, at(k))
            values, buffers = signal.emit(lambda k: _swap(read(k), inverse), list(scratch), tables, loop)

            def write(k: Index, result: ir.Value) -> Values:
                parts = _swap(values(k), inverse)
                if inverse:
                    factor = scalar(self.part, 1.0 / signal.length)
                    parts = arith.mulf(parts[0], factor), arith.mulf(parts[1], factor)
                return [_store(parts, result, at(k))]

            return [*loop(0, shape(result)[dimension], write, [result]), *buffers]

        by_blocks = signal.padded > LONG and prod(outer) < MANY
        through, loop = (block_nest, shared_loop) if by_blocks else (independent_nest, for_loop)
        scratch = [tensor.empty([signal.padded], self.part) for _ in range(4)]
        return through(outer, transform, [result, *scratch])[0]


def _swap(parts: Part, exchange: bool) -> Part:
    return (parts[1], parts[0]) if exchange else parts


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
    """Reads a signal of `length` numbers of which the first half is stored: number k is the conjugate of number
    `length - k`."""

    def read(k: Index) -> Part:
        mirrored = sub(length, k)
        real, imaginary = _load(source, at(minimum(k, mirrored)))
        return real, arith.select(less(mirrored, k), arith.negf(imaginary), imaginary)

    return read
