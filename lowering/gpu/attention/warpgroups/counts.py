"""Numbers of steps and tiles: 32 bits, of which threads keep many through all steps."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith


def count(value: int) -> ir.Value:
    return arith.constant(ir.IntegerType.get_signless(32), value)


def narrowed(index: ir.Value) -> ir.Value:
    return arith.index_cast(ir.IntegerType.get_signless(32), index)


def widened(number: ir.Value) -> ir.Value:
    """As an index."""
    return arith.index_castui(ir.IndexType.get(), number)


def is_odd(number: ir.Value) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ne, arith.andi(number, count(1)), count(0))
