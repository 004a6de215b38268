"""Quantized tensors: from floats, through an op or two, and back."""

from __future__ import annotations

from typing import Any

from hlo.tools.differential.draft import Draft, sizes_of
from hlo.tools.differential.table import generates

TYPES = ("!quant.uniform<i8:f32, 0.25>", "!quant.uniform<i8:f32, 0.5:-3>", "!quant.uniform<u8:f32, 0.125:128>",
         "!quant.uniform<i32:f32, 0.0625>", "!quant.uniform<i4:f32, 1.0:1>", "!quant.uniform<i16:f32, 0.1:5>")  # fmt: skip
UNARY = ("negate", "abs", "exponential", "tanh", "logistic", "floor", "sign", "sqrt")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "divide")


@generates("uniform_quantize", "uniform_dequantize", weight=15)
def quantized(draft: Draft, name: str) -> Any:
    source = draft.source
    kinds = [k for k in TYPES if source.chance(50)] or [TYPES[0]]
    kind = source.pick(kinds)
    operand = draft.any(("f32",))
    value = draft.op("uniform_quantize", operand, dtype=kind)
    for _ in range(source.weighted({0: 30, 1: 45, 2: 25})):
        value = _step(draft, value, sizes_of(operand), kind)
    return draft.op("uniform_dequantize", value)


def _step(draft: Draft, value: Any, shape: Any, kind: str) -> Any:
    source = draft.source
    role = source.pick(["binary", "unary", "move", "requantize"])
    if role == "unary":
        return draft.op(source.pick(UNARY), value)
    if role == "binary":
        other = draft.op("uniform_quantize", draft.typed(shape, "f32"), dtype=kind)
        return draft.op(source.pick(BINARY), value, other)
    if role == "move":
        return draft.op("reverse", value, source.subset(value.rank))
    return draft.op("uniform_quantize", value, dtype=kind)
