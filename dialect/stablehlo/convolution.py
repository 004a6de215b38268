"""Convolution, with padding known at compile time or at run time."""

from __future__ import annotations

from typing import Any

from hlo.dialect.attributes import (
    I64,
    PRECISION_CONFIG,
    BoolArray,
    ConvDimensionNumbers,
    I64Array,
    I64Matrix,
    structure,
)
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.types import AnyTensor, IntTensor, rank


def _spatial_rank(op: Any) -> int:
    return rank(op.lhs.type) - 2


def _ones(op: Any) -> tuple[int, ...]:
    return (1,) * _spatial_rank(op)


class ConvolutionOp(Op, mnemonic="convolution"):
    """Sums of products of windows with a kernel. https://openxla.org/stablehlo/spec#convolution"""

    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    window_strides = Attr(I64Array, optional=True, default=_ones)
    padding = Attr(I64Matrix, optional=True, default=lambda op: ((0, 0),) * _spatial_rank(op))
    lhs_dilation = Attr(I64Array, optional=True, default=_ones)
    rhs_dilation = Attr(I64Array, optional=True, default=_ones)
    window_reversal = Attr(BoolArray, optional=True, default=lambda op: (False,) * _spatial_rank(op))
    dimension_numbers = Attr(structure(ConvDimensionNumbers))
    feature_group_count = Attr(I64)
    batch_group_count = Attr(I64)
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=("DEFAULT", "DEFAULT"))
    result = Result(AnyTensor)


class DynamicConvOp(Op, mnemonic="dynamic_conv"):
    """Convolution with padding known at run time. https://openxla.org/stablehlo/spec#dynamic_conv"""

    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    padding = Operand(IntTensor)
    window_strides = Attr(I64Array, optional=True, default=_ones)
    lhs_dilation = Attr(I64Array, optional=True, default=_ones)
    rhs_dilation = Attr(I64Array, optional=True, default=_ones)
    window_reversal = Attr(BoolArray, optional=True, default=lambda op: (False,) * _spatial_rank(op))
    dimension_numbers = Attr(structure(ConvDimensionNumbers))
    feature_group_count = Attr(I64)
    batch_group_count = Attr(I64)
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=("DEFAULT", "DEFAULT"))
    result = Result(AnyTensor)
