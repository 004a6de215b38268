"""Functions of the bits of numbers, in StableHLO arithmetic: next_after, mulhi, conj. Used by legalize-chlo."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.chlo.functions import ConjOp, MulhiOp, NextAfterOp
from hlo.dialect.types import is_complex, is_unsigned
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    bitcast,
    build,
    constant_like,
    convert,
    imag,
    make_complex,
    real,
    select,
    unsigned_like,
)
from hlo.lowering.stablehlo.chlo.table import computes


@computes(ConjOp, None)
def conj(x: Tensor) -> Tensor:
    return make_complex(real(x), -imag(x)) if is_complex(x.element) else x


@computes(NextAfterOp, None)
def next_after(x: Tensor, y: Tensor) -> Tensor:
    """The float next to x in the direction of y; y where they are equal, NaN where one is."""
    unsigned = unsigned_like(x)
    sign_bit = 1 << (unsigned.width - 1)
    bits = bitcast(x, unsigned)
    away_from_zero = ~((x < y) ^ (x > 0.0))
    moved = select(away_from_zero, bits + 1, bits - 1)
    from_zero = (bitcast(y, unsigned) & sign_bit) | 1
    result = bitcast(select(x.equals(0.0), from_zero, moved), x.element)
    result = select(x.equals(y), y, result)
    return select(x.differs(x) | y.differs(y), x + y, result)


@computes(MulhiOp, None)
def mulhi(x: Tensor, y: Tensor) -> Tensor:
    """The upper half of the product of two integers of n bits."""
    width = ir.IntegerType(x.element).width
    unsigned = is_unsigned(x.element)
    if width == 64:
        return _mulhi_64(x, y)
    make = ir.IntegerType.get_unsigned if unsigned else ir.IntegerType.get_signless
    product = convert(x, make(2 * width)) * convert(y, make(2 * width))
    shift = "shift_right_logical" if unsigned else "shift_right_arithmetic"
    return convert(build(shift, product, constant_like(product, width)), x.element)


def _mulhi_64(x: Tensor, y: Tensor) -> Tensor:
    """From four products of 32-bit halves; a negative factor counts 2^64 too much in the unsigned product."""
    unsigned = ir.IntegerType.get_unsigned(64)
    a, b = bitcast(x, unsigned), bitcast(y, unsigned)
    high = multiply_high_unsigned(a, b)
    if is_unsigned(x.element):
        return high
    zero = constant_like(a, 0)
    high = high - select(x < 0, b, zero) - select(y < 0, a, zero)
    return bitcast(high, x.element)


def multiply_high_unsigned(a: Tensor, b: Tensor) -> Tensor:
    """The upper 64 bits of the product of two ui64."""
    mask = (1 << 32) - 1
    a_low, a_high, b_low, b_high = a & mask, a >> 32, b & mask, b >> 32
    middle = a_high * b_low + ((a_low * b_low) >> 32)
    other = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> 32) + (other >> 32)
