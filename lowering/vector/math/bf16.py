"""f32 to bf16 and back in integer arithmetic: the instruction to bf16 (AVX512_BF16) takes subnormal numbers as zero and gives
none, and LLVM uses it wherever it finds that a number comes from bf16 and so moves an op (a maximum) to that type."""

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


def extend_from_bf16(x: Number) -> Number:
    """Exact: the upper 16 bits are the number's own."""
    bits = arith.extui(x.retype(ir.IntegerType.get_signless(32)), integer_bits(x).value)
    return Number(arith.bitcast(x.retype(ir.F32Type.get()), (Number(bits) << 16).value))
