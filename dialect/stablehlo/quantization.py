"""Conversions between floating-point and quantized tensors."""

from __future__ import annotations

from hlo.dialect.definition import Op, Operand, Result
from hlo.dialect.types import FloatTensor, QuantizedTensor


class UniformQuantizeOp(Op, mnemonic="uniform_quantize"):
    """Elementwise conversion to a quantized type. https://openxla.org/stablehlo/spec#uniform_quantize"""

    operand = Operand(FloatTensor | QuantizedTensor)
    result = Result(QuantizedTensor)


class UniformDequantizeOp(Op, mnemonic="uniform_dequantize"):
    """Elementwise conversion to the expressed type. https://openxla.org/stablehlo/spec#uniform_dequantize"""

    operand = Operand(QuantizedTensor)
    result = Result(FloatTensor)
