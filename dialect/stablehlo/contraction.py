"""Ops that multiply and sum over dimensions of two tensors, convolution excepted."""

from __future__ import annotations

from hlo.dialect.attributes import PRECISION_CONFIG, DotAlgorithm, DotDimensionNumbers, String, structure
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.types import AnyTensor

_DEFAULT_PRECISION = ("DEFAULT", "DEFAULT")


class DotGeneralOp(Op, mnemonic="dot_general"):
    """Sums of products over any pairs of dimensions. https://openxla.org/stablehlo/spec#dot_general"""

    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    dot_dimension_numbers = Attr(structure(DotDimensionNumbers))
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=_DEFAULT_PRECISION)
    algorithm = Attr(structure(DotAlgorithm), optional=True)
    result = Result(AnyTensor)


class DotOp(Op, mnemonic="dot"):
    """Product of vectors and matrices; not in the specification (group "not in HLO")."""

    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=_DEFAULT_PRECISION)
    result = Result(AnyTensor)


class EinsumOp(Op, mnemonic="einsum"):
    """Einstein summation of two tensors; not in the specification (group "not in HLO")."""

    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    einsum_config = Attr(String)
    result = Result(AnyTensor)


class UnaryEinsumOp(Op, mnemonic="unary_einsum"):
    """Einstein summation of one tensor; not in the specification (group "not in HLO")."""

    operand = Operand(AnyTensor)
    einsum_config = Attr(String)
    result = Result(AnyTensor)
