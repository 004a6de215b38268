"""An f32 as a sum of numbers that matrix instructions take: bf16 or f16.

Three bf16 hold an f32 exactly: its first 8 bits, the next 8, the last 8. Products of bf16 are exact in f32, so the sum of three
products is what one of f32 by bf16 gives, but for the rounding of sums."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, math, vector

from hlo.lowering.gpu.attention.online_softmax import f32

FIRST_BITS = -(1 << 16)
"""Of an f32: those that a bf16 has."""


def terms_of(values: Sequence[ir.Value], count: int) -> list[list[ir.Value]]:
    """By value, the last term first: small products are added first. One term is the value, to be rounded."""
    return list(zip(*(_split(v) for v in values)))[::-1] if count == 3 else [list(values)]  # type: ignore[return-value]


def _split(value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    first = _first(value)
    is_infinite = arith.cmpf(arith.CmpFPredicate.OEQ, math.absf(value), f32(float("inf")))
    rest = arith.select(is_infinite, f32(0.0), arith.subf(value, first))
    second = _first(rest)
    return first, second, arith.subf(rest, second)


def _first(value: ir.Value) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    bits = arith.andi(arith.bitcast(i32, value), arith.constant(i32, FIRST_BITS))
    return arith.bitcast(value.type, bits)


def rounded(kind: ir.Type, one: ir.Value, other: ir.Value) -> ir.Value:
    """Two f32 as neighbours of another type."""
    both = vector.from_elements(ir.VectorType.get([2], one.type), [one, other])
    return arith.truncf(ir.VectorType.get([2], kind), both)
