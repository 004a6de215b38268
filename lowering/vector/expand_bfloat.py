"""The pass `expand-bfloat`: conversions between bf16 and wider floats become integer arithmetic.

Before:  %1 = arith.extf %0 : vector<8xbf16> to vector<8xf32>
After:   %1 = arith.bitcast (arith.extui (arith.bitcast %0) << 16)

What was rounded to bf16 just before is widened by clearing the lower half of the word that it is in.

Where the processor has no instructions for bf16, LLVM would call a function for each element. Where it has them (AVX512_BF16),
LLVM takes ops on extended values (a maximum, a comparison) for ops on bf16, and the instruction that comes back from f32 makes
numbers below the normal ones zeros."""

from __future__ import annotations

import math

from mlir import ir

from hlo.lowering.finding import ops_named
from hlo.lowering.numbers import Number, element_type, rounded_to_odd, select
from hlo.lowering.passes import Pass, register_pass

MARK = "hlo.bf16"
"""On functions that read or write bf16, for `carry-bits`."""
QUIET_NAN_BIT = 1 << 22
"""Of an f32: makes a NaN one whose upper half is not that of infinity."""
PASS_NAN_ON = {
    *(f"arith.{name}" for name in ("addf", "subf", "mulf", "divf", "negf", "select", "maximumf", "minimumf")),
    *(f"math.{name}" for name in ("absf", "sqrt", "fma", "copysign")),
    *(f"vector.{name}" for name in ("broadcast", "extract", "shuffle")),
}
"""Ops whose result is NaN with the bits of an operand that is (made quiet), or with those of LLVM's own, whose lower half is 0:
https://llvm.org/docs/LangRef.html#floatnan"""
MOST_OPS = 64
"""Ops that are looked at to know that."""
UPPER_HALF = -(1 << 16)
"""The bits of an f32 that bf16 has."""


@register_pass
class ExpandBfloat(Pass):
    """Converts by shifting and rounding the bits."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            for op in module.body.operations:
                if op.operation.name == "func.func" and any("bf16" in str(t) for t in op.type.inputs):
                    op.operation.attributes[MARK] = ir.UnitAttr.get()
            rounded: dict[ir.Value, Number] = {}
            widened: set[ir.Value] = set()
            for op in _conversions(module):
                with op.location, ir.InsertionPoint(op):
                    made = (
                        _widened(op, rounded, widened) if op.name == "arith.extf" else _narrowed(op, rounded, widened)
                    )
                op.results[0].replace_all_uses_with(made)
                op.erase()


def _conversions(module: ir.Module) -> list[ir.Operation]:
    found = ops_named(module, ("arith.extf", "arith.truncf"))
    small = [op.operands[0] if op.name == "arith.extf" else op.results[0] for op in found]
    return [op for op, value in zip(found, small) if isinstance(element_type(value.type), ir.BF16Type)]


def _widened(op: ir.Operation, rounded: dict[ir.Value, Number], widened: set[ir.Value]) -> ir.Value:
    """`rounded`: the words whose upper halves bf16 numbers were taken from; `widened`: bf16 numbers as f32."""
    x = Number(op.operands[0])
    bits = rounded[x.value] & UPPER_HALF if x.value in rounded else x.bits().resized(32, signed=False) << 16
    single = bits.bits_as(ir.F32Type.get())
    widened.add(single.value)
    return single.extended(element_type(op.results[0].type)).value


def _narrowed(op: ir.Operation, rounded: dict[ir.Value, Number], widened: set[ir.Value]) -> ir.Value:
    """To nearest, ties to even; a NaN stays one."""
    source = Number(op.operands[0])
    if source.width == 64:
        source = rounded_to_odd(source)
    bits = source.bits()
    odd = bits.arith("shrui", 16) & 1
    chosen = bits + (odd + 0x7FFF)
    if not _has_short_nan(source.value, widened):
        chosen = select(source.is_nan(), bits | QUIET_NAN_BIT, chosen)
    made = chosen.arith("shrui", 16).resized(16, signed=False).bits_as(ir.BF16Type.get()).value
    rounded[made] = chosen
    return made


def _has_short_nan(value: ir.Value, widened: set[ir.Value]) -> bool:
    """Whether the lower half of the bits is 0 where a value is NaN, as of what was computed from bf16: rounding leaves such a NaN one."""
    waiting: list[ir.Value] = [value]
    seen: set[ir.Value] = set()
    while waiting and len(seen) < MOST_OPS:
        value = waiting.pop()
        if value in seen or value in widened:
            continue
        seen.add(value)
        op = value.owner
        if isinstance(op, ir.Block) or (op.name not in PASS_NAN_ON and not _is_number(op)):
            return False
        waiting += list(op.operands)[op.name == "arith.select" :]
    return not waiting


def _is_number(op: ir.Operation) -> bool:
    """Whether an op is a constant, and no NaN."""
    attribute = op.attributes["value"] if op.name == "arith.constant" else None
    if isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat:
        attribute = attribute.get_splat_value()
    return isinstance(attribute, ir.FloatAttr) and not math.isnan(attribute.value)
