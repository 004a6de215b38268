"""Ops of numerical mathematics on batches: factorisation, triangular systems, Fourier transforms."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import Bool, I64Array, enum
from hlo.dialect.clauses import listed, minimum_error, same_baselines_error
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.types import (
    compatible_sizes,
    element_type,
    is_complex,
    is_float,
    is_per_tensor,
    rank,
    shape,
    tensor,
    tensor_of,
)

_FloatOrComplex = tensor_of("floating-point or complex", is_float, is_complex)
_Matrices = tensor_of("floating-point, complex or per-tensor quantized", is_float, is_complex, is_per_tensor)

FFT_TYPE = enum("fft_type", "FFT", "IFFT", "RFFT", "IRFFT")
TRANSPOSE = enum("transpose", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")


class CholeskyOp(Op, mnemonic="cholesky"):
    """Cholesky factors of a batch of matrices. https://openxla.org/stablehlo/spec#cholesky"""

    ASSEMBLY = "operands (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>"
    ONE_TYPE = (("a", "result"),)
    a = Operand(_Matrices)
    lower = Attr(Bool, optional=True, default=False)
    result = Result(_Matrices)

    @constraint("C2")
    def holds_matrices(self):
        return None if rank(self.a.type) >= 2 else f"a must have rank 2 or more, found {self.a.type}"

    @constraint("C3")
    def matrices_are_square(self):
        if compatible_sizes(*shape(self.a.type)[-2:]):
            return None
        return f"a must have two last dimensions of one size, found {self.a.type}"

    @constraint("C1")
    def infer(self):
        return [self.a.type]


class TriangularSolveOp(Op, mnemonic="triangular_solve"):
    """Solutions of a batch of triangular systems. https://openxla.org/stablehlo/spec#triangular_solve"""

    ONE_TYPE = (("b", "result"),)
    a = Operand(_Matrices)
    b = Operand(_Matrices)
    left_side = Attr(Bool)
    lower = Attr(Bool)
    unit_diagonal = Attr(Bool)
    transpose_a = Attr(TRANSPOSE)
    result = Result(_Matrices)

    @constraint("C1")
    def same_element_types(self):
        return same_baselines_error("a and b", [self.a.type, self.b.type])

    @constraint("C2")
    def both_hold_matrices(self):
        a, b = rank(self.a.type), rank(self.b.type)
        return None if a == b >= 2 else f"a and b must have one rank, 2 or more, found {a} and {b}"

    @constraint("C3")
    def sizes_agree(self):
        a, b = shape(self.a.type), shape(self.b.type)
        if not all(map(compatible_sizes, a[:-2], b[:-2])):
            return f"a and b must have the same batch sizes, found {listed(a[:-2])} and {listed(b[:-2])}"
        if not compatible_sizes(a[-2], a[-1]):
            return f"a must have two last dimensions of one size, found {self.a.type}"
        side = -2 if self.left_side else -1
        if not compatible_sizes(a[-1], b[side]):
            return f"dimension {len(b) + side} of b must have size {a[-1]} (that of a), found {b[side]}"
        return None

    @constraint("C4")
    def infer(self):
        return [self.b.type]


class FftOp(Op, mnemonic="fft"):
    """Fourier transforms, forwards and backwards, of real and complex tensors.
    https://openxla.org/stablehlo/spec#fft"""

    ASSEMBLY = (
        "operands `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` "
        "functional-type(operands, results)"
    )
    operand = Operand(_FloatOrComplex)
    fft_type = Attr(FFT_TYPE)
    fft_length = Attr(I64Array)
    result = Result(_FloatOrComplex)

    @constraint("C3")
    def one_to_three_dimensions(self):
        count = len(self.fft_length)
        return None if 1 <= count <= 3 else f"fft_length must have size 1 to 3, found {count}"

    @constraint("C1")
    def operand_has_the_dimensions(self):
        found, least = rank(self.operand.type), len(self.fft_length)
        if found >= least:
            return None
        return f"operand must have rank {least} or more (the size of fft_length), found {found}"

    @constraint("C2")
    def operand_is_real_or_complex(self):
        element = element_type(self.operand.type)
        if self.fft_type == "RFFT":
            legal, allowed = isinstance(element, (ir.F32Type, ir.F64Type)), "f32 or f64"
        else:
            legal, allowed = is_complex(element), "complex"
        return None if legal else f"operand of {self.fft_type} must have elements of type {allowed}, found {element}"

    @constraint("C4")
    def lengths_not_negative(self):
        return minimum_error("fft_length", self.fft_length, 0)

    @constraint("C4")
    def real_operand_has_the_lengths(self):
        return self._lengths_error(self.fft_length) if self.fft_type == "RFFT" else None

    @constraint("C5")
    def complex_operand_has_half_the_lengths(self):
        if self.fft_type != "IRFFT":
            return None
        return self._lengths_error([*self.fft_length[:-1], _half(self.fft_length[-1])])

    @constraint()
    def complex_operand_has_the_lengths(self):
        """The specification does not ask for it: a transform of another length would read or write outside of the arrays."""
        return self._lengths_error(self.fft_length) if self.fft_type in ("FFT", "IFFT") else None

    def _lengths_error(self, wanted):
        found = shape(self.operand.type)[-len(wanted) :]
        if all(map(compatible_sizes, found, wanted)):
            return None
        return f"last dimensions of operand must have sizes {listed(wanted)}, found {listed(found)}"

    @constraint("C2", "C4", "C5")
    def infer(self):
        element, sizes = element_type(self.operand.type), list(shape(self.operand.type))
        if self.fft_type == "RFFT":
            element = ir.ComplexType.get(element)
            sizes[-len(self.fft_length) :] = [*self.fft_length[:-1], _half(self.fft_length[-1])]
        if self.fft_type == "IRFFT":
            element = ir.ComplexType(element).element_type
            sizes[-len(self.fft_length) :] = self.fft_length
        return [tensor(sizes, element)]


def _half(size: int) -> int:
    """How many numbers of a real signal's spectrum are kept; the others are their conjugates."""
    return size // 2 + 1 if size else 0
