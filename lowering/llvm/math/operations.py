"""Operations on f32 and f64, scalars or vectors, that elementary functions are made of."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import math, vector

from hlo.lowering.numbers import Number, integer

FLOATS = {32: ir.F32Type, 64: ir.F64Type}
"""By width."""


def fma(a: Number | float, b: Number | float, c: Number | float) -> Number:
    """a * b + c, rounded once; a processor without the instruction emulates it (emulate_instructions.py)."""
    return _fused(a, b, c, "none")


def multiply_add(a: Number | float, b: Number | float, c: Number | float) -> Number:
    """a * b + c, rounded once where that is an instruction, twice elsewhere."""
    return _fused(a, b, c, "contract")


def _fused(a: Number | float, b: Number | float, c: Number | float, flags: str) -> Number:
    like = next(x for x in (a, b, c) if isinstance(x, Number))
    operands = (like.of(x).value for x in (a, b, c))
    return Number(math.fma(*operands, fastmath=ir.Attribute.parse(f"#arith.fastmath<{flags}>")))


def horner(x: Number, coefficients: list[float]) -> Number:
    """sum(coefficients[k] * x**k)."""
    result = x.of(coefficients[-1])
    for c in coefficients[-2::-1]:
        result = multiply_add(result, x, c)
    return result


def float_from_bits(x: Number) -> Number:
    return x.bits_as(FLOATS[x.width].get())


LOW_BITS = {32: 1.5 * 2.0**23, 64: 1.5 * 2.0**52}
"""Added to a whole number below 2^22 (2^51), they leave the number in the sum's lowest bits."""


def to_integer(x: Number) -> Number:
    """Of whole numbers below 2^22 (f32) or 2^51 (f64); of a NaN any integer. A conversion of a NaN would have no value at all, and
    with a NaN that is known while compiling neither would what follows."""
    low = LOW_BITS[x.width]
    return (x + low).bits() - x.of(low).bits()


def to_float(x: Number) -> Number:
    return x.to_float(FLOATS[x.width].get(), signed=True)


def widen(x: Number) -> Number:
    return x.extended(ir.F64Type.get())


def narrow(x: Number) -> Number:
    return x.truncated(ir.F32Type.get())


def any_lane(condition: Number) -> ir.Value:
    """One i1: whether the condition holds anywhere."""
    if not isinstance(condition.type, ir.VectorType):
        return condition.value
    return vector.reduction(integer(1), ir.Attribute.parse("#vector.kind<or>"), condition.value)
