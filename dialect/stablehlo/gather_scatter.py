"""Ops that read or update slices whose places are given by a tensor of indices."""

from __future__ import annotations

from hlo.dialect.attributes import (
    I64,
    Bool,
    GatherDimensionNumbers,
    I64Array,
    ScatterDimensionNumbers,
    structure,
)
from hlo.dialect.definition import Attr, Op, Operand, Region, Result
from hlo.dialect.types import AnyTensor, DimensionTensor, IntTensor


class GatherOp(Op, mnemonic="gather"):
    """Slices of operand at the places that start_indices names. https://openxla.org/stablehlo/spec#gather"""

    operand = Operand(AnyTensor)
    start_indices = Operand(IntTensor)
    dimension_numbers = Attr(structure(GatherDimensionNumbers))
    slice_sizes = Attr(I64Array)
    indices_are_sorted = Attr(Bool, optional=True, default=False)
    result = Result(AnyTensor)


class DynamicGatherOp(Op, mnemonic="dynamic_gather"):
    """A gather with slice sizes known at run time. https://openxla.org/stablehlo/spec#dynamic_gather"""

    operand = Operand(AnyTensor)
    start_indices = Operand(IntTensor)
    slice_sizes = Operand(IntTensor)
    dimension_numbers = Attr(structure(GatherDimensionNumbers))
    indices_are_sorted = Attr(Bool, optional=True, default=False)
    result = Result(AnyTensor)


class ScatterOp(Op, mnemonic="scatter"):
    """Combines updates into inputs at the places that scatter_indices names.
    https://openxla.org/stablehlo/spec#scatter"""

    inputs = Operand(AnyTensor, variadic=True)
    scatter_indices = Operand(DimensionTensor)
    updates = Operand(AnyTensor, variadic=True)
    scatter_dimension_numbers = Attr(structure(ScatterDimensionNumbers))
    indices_are_sorted = Attr(Bool, optional=True, default=False)
    unique_indices = Attr(Bool, optional=True, default=False)
    update_computation = Region()
    result = Result(AnyTensor, variadic=True)


class TorchIndexSelectOp(Op, mnemonic="torch_index_select"):
    """Slices along one dimension, batched; not in the specification (group "not in HLO")."""

    operand = Operand(AnyTensor)
    index = Operand(IntTensor)
    dim = Attr(I64)
    batch_dims = Attr(I64)
    result = Result(AnyTensor)
