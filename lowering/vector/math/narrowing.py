"""f32 to bf16 in integer arithmetic: the instruction for it (AVX512_BF16) takes subnormal numbers as zero and gives none."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.vector.math.number import Number, integer_bits, is_nan, select

QUIET, HALF = 0x40, 0x7FFF


def truncate_to_bf16(x: Number) -> Number:
    """The upper 16 bits, rounded to nearest, ties to even. The largest numbers carry into the exponent: infinity."""
    bits = integer_bits(x)
    upper = bits >> 16
    rounded = (bits + HALF + (upper & 1)) >> 16
    chosen = select(is_nan(x), upper | QUIET, rounded)
    narrow = arith.trunci(x.retype(ir.IntegerType.get_signless(16)), chosen.value)
    return Number(arith.bitcast(x.retype(ir.BF16Type.get()), narrow))
