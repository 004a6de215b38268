"""Ops that apply a function, given as a region, over dimensions, windows or all elements."""

from __future__ import annotations

from typing import Any

from hlo.dialect.attributes import I64Array, I64Matrix
from hlo.dialect.definition import Attr, Op, Operand, Region, Result
from hlo.dialect.types import AnyTensor, rank, scalar_of


def _input_rank(op: Any) -> int:
    return rank(op.inputs[0].type) if op.inputs else 0


def _ones(op: Any) -> tuple[int, ...]:
    return (1,) * _input_rank(op)


class ReduceOp(Op, mnemonic="reduce"):
    """Folds dimensions away with a function. https://openxla.org/stablehlo/spec#reduce"""

    inputs = Operand(AnyTensor, variadic=True)
    init_values = Operand(scalar_of(AnyTensor), variadic=True)
    dimensions = Attr(I64Array)
    body = Region()
    result = Result(AnyTensor, variadic=True)


class ReduceWindowOp(Op, mnemonic="reduce_window"):
    """Folds each window to one element. https://openxla.org/stablehlo/spec#reduce_window"""

    inputs = Operand(AnyTensor, variadic=True)
    init_values = Operand(scalar_of(AnyTensor), variadic=True)
    window_dimensions = Attr(I64Array)
    window_strides = Attr(I64Array, optional=True, default=_ones)
    base_dilations = Attr(I64Array, optional=True, default=_ones)
    window_dilations = Attr(I64Array, optional=True, default=_ones)
    padding = Attr(I64Matrix, optional=True, default=lambda op: ((0, 0),) * _input_rank(op))
    body = Region()
    result = Result(AnyTensor, variadic=True)


class SelectAndScatterOp(Op, mnemonic="select_and_scatter"):
    """Scatters source to the elements that a function selects in windows of operand.
    https://openxla.org/stablehlo/spec#select_and_scatter"""

    operand = Operand(AnyTensor)
    source = Operand(AnyTensor)
    init_value = Operand(scalar_of(AnyTensor))
    window_dimensions = Attr(I64Array, optional=True, default=lambda op: (1,) * rank(op.operand.type))
    window_strides = Attr(I64Array, optional=True, default=lambda op: (1,) * rank(op.operand.type))
    padding = Attr(I64Matrix, optional=True, default=lambda op: ((0, 0),) * rank(op.operand.type))
    select = Region()
    scatter = Region()
    result = Result(AnyTensor)


class MapOp(Op, mnemonic="map"):
    """Applies a function to each element. https://openxla.org/stablehlo/spec#map"""

    inputs = Operand(AnyTensor, variadic=True)
    dimensions = Attr(I64Array)
    computation = Region()
    result = Result(AnyTensor)
