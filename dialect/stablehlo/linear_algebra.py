"""Ops of numerical mathematics on batches: factorisation, triangular systems, Fourier transforms."""

from __future__ import annotations

from hlo.dialect.attributes import Bool, I64Array, enum
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.types import is_complex, is_float, tensor_of

_FloatOrComplex = tensor_of("floating-point or complex", is_float, is_complex)

FFT_TYPE = enum("fft_type", "FFT", "IFFT", "RFFT", "IRFFT")
TRANSPOSE = enum("transpose", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")


class CholeskyOp(Op, mnemonic="cholesky"):
    """Cholesky factors of a batch of matrices. https://openxla.org/stablehlo/spec#cholesky"""

    a = Operand(_FloatOrComplex)
    lower = Attr(Bool, optional=True, default=False)
    result = Result(_FloatOrComplex)


class TriangularSolveOp(Op, mnemonic="triangular_solve"):
    """Solutions of a batch of triangular systems. https://openxla.org/stablehlo/spec#triangular_solve"""

    a = Operand(_FloatOrComplex)
    b = Operand(_FloatOrComplex)
    left_side = Attr(Bool)
    lower = Attr(Bool)
    unit_diagonal = Attr(Bool)
    transpose_a = Attr(TRANSPOSE)
    result = Result(_FloatOrComplex)


class FftOp(Op, mnemonic="fft"):
    """Fourier transforms, forwards and backwards, of real and complex tensors.
    https://openxla.org/stablehlo/spec#fft"""

    operand = Operand(_FloatOrComplex)
    fft_type = Attr(FFT_TYPE)
    fft_length = Attr(I64Array)
    result = Result(_FloatOrComplex)
