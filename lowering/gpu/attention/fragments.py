"""What a thread has of a tile of sums, and how that becomes the left fragments of the next product.

The layouts of sums and of left inputs are the same (PTX ISA, "Matrix Fragments for mma.m16n8k16"): a thread has two rows of each 16, eight
apart, and of each eight columns two that are adjacent."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, math, vector

from hlo.lowering.gpu.attention.evaluate import f32

HALVES = (0, 8)
"""Rows of a thread's fragment of sums."""


def fragment_coordinates(count: int, columns: int) -> list[tuple[int, int]]:
    """Row and column of each element of fragments, by their number among those of a thread; `columns` fragments are adjacent."""
    return [(n // (4 * columns) * 2 + n % 4 // 2, n // 4 % columns * 2 + n % 2) for n in range(count)]


def rounded_pairs(kind: ir.Type, values: Sequence[ir.Value]) -> list[ir.Value]:
    """What a thread has of fragments of sums next to each other as a left fragment: two neighbours of a row together, rounded."""
    found = []
    for first in range(0, len(values), 2):
        both = vector.from_elements(ir.VectorType.get([2], values[first].type), list(values[first : first + 2]))
        found.append(arith.truncf(ir.VectorType.get([2], kind), both))
    return found


# An f32 that may not be rounded is a sum of three bf16, which hold it exactly: its first 8 bits, the next 8, the last 8. Products of
# bf16 are exact in f32, so the sum of three products is what one of f32 by bf16 gives, but for the rounding of sums.

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
