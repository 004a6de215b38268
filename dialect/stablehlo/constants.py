"""Ops that make tensors out of nothing: constant and iota."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64, Elements
from hlo.dialect.choices import ELEMENT, SIZES, chosen_element, chosen_sizes
from hlo.dialect.definition import Attr, Op, Result, constraint
from hlo.dialect.types import (
    DYNAMIC,
    TensorOrPerAxis,
    element_type,
    is_complex,
    is_float,
    is_integer,
    is_per_tensor,
    is_quantized,
    rank,
    shape,
    tensor,
    tensor_of,
    with_element,
)

_Number = tensor_of(
    "integer, floating-point, complex or per-tensor quantized", is_integer, is_float, is_complex, is_per_tensor
)


class ConstantOp(Op, mnemonic="constant"):
    """A tensor known at compile time. https://openxla.org/stablehlo/spec#constant"""

    ASSEMBLY = "attr-dict custom<ConstantValue>"
    value = Attr(Elements)
    output = Result(TensorOrPerAxis)

    @constraint()
    def static_shape(self):
        return _static_error(self.output.type)

    @constraint("C1")
    def infer(self):
        value = ir.RankedTensorType(self.value.type)
        written = self.results[0].type if len(self.results) else value
        return [written if _stores(written, value) else value]


def _stores(quantized: ir.Type, value: ir.RankedTensorType) -> bool:
    """Whether a value holds the stored integers of a quantized tensor: unsigned ones may also be those of their bits."""
    element: Any = element_type(quantized)
    if not is_quantized(element):
        return False
    width = element.storage_type_integral_width
    signless, unsigned = ir.IntegerType.get_signless(width), ir.IntegerType.get_unsigned(width)
    stored = (signless,) if element.is_signed else (signless, unsigned)
    return any(value == with_element(quantized, t) for t in stored)


def _static_error(t: ir.Type) -> str | None:
    return f"output must have a static shape, found {t}" if DYNAMIC in shape(t) else None


class IotaOp(Op, mnemonic="iota"):
    """0, 1, 2, ... along one dimension. https://openxla.org/stablehlo/spec#iota"""

    ASSEMBLY = "`dim` `=` $iota_dimension attr-dict `:` type(results)"
    CHOICE = (ELEMENT, SIZES)
    iota_dimension = Attr(I64)
    output = Result(_Number)

    @constraint("C1")
    def dimension_in_range(self):
        if not 0 <= self.iota_dimension < rank(self.output.type):
            return f"iota_dimension must be in [0, {rank(self.output.type)}), found {self.iota_dimension}"
        return None

    @constraint()
    def static_shape(self):
        return _static_error(self.output.type)

    def infer(self):
        return [tensor(chosen_sizes(self), chosen_element(self))]
