"""The pass `expand-bfloat`: conversions between bf16 and wider floats become integer arithmetic.

Before:  %1 = arith.extf %0 : vector<8xbf16> to vector<8xf32>
After:   %1 = arith.bitcast (arith.extui (arith.bitcast %0) << 16)

What was rounded to bf16 just before is widened by clearing the lower half of the word that it is in, and what is bf16
already, as a maximum of numbers that were widened, is not rounded.

Where the processor has no instructions for bf16, LLVM would call a function for each element. Where it has them (AVX512_BF16),
LLVM takes ops on extended values (a maximum, a comparison) for ops on bf16, and the instruction that comes back from f32 makes
numbers below the normal ones zeros."""

from __future__ import annotations

import functools
import math
import struct

from mlir import ir

from hlo.lowering.finding import each, made_by, ops_named
from hlo.lowering.numbers import Number, element_type, rounded_to_odd, select
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite

MARK = "hlo.bf16"
"""On functions that read or write bf16, for `carry-bits`."""
QUIET_NAN_BIT = 1 << 22
"""Of an f32: makes a NaN one whose upper half is not that of infinity."""
KEEP_BITS = {
    *(f"arith.{name}" for name in ("negf", "select", "maximumf", "minimumf")),
    *(f"math.{name}" for name in ("absf", "copysign")),
    *(f"vector.{name}" for name in ("broadcast", "extract", "shuffle")),
}
"""Ops whose result has the bits of an operand but for its sign; of a NaN, see below."""
PASS_NAN_ON = KEEP_BITS | {
    *(f"arith.{name}" for name in ("addf", "subf", "mulf", "divf")),
    *(f"math.{name}" for name in ("sqrt", "fma")),
}
"""Ops whose result is NaN with the bits of an operand that is (made quiet), or with those of LLVM's own, whose lower half is 0:
https://llvm.org/docs/LangRef.html#floatnan"""
MOST_OPS = 64
"""Ops that are looked at to know that."""
UPPER_HALF = -(1 << 16)
"""The bits of an f32 that bf16 has."""
RANGE = "mask.range"
"""In the names of the instructions that take a maximum or a minimum."""


@register_pass
class ExpandBfloat(Pass):
    """Converts by shifting and rounding the bits."""

    def run(self, module: ir.Module) -> None:
        holds_bfloat = functools.cache(lambda kind: "bf16" in str(kind))  # there are fewer types than parameters
        for op in each(module.body.operations):
            if op.operation.name == "func.func" and any(map(holds_bfloat, op.type.inputs)):
                op.operation.attributes[MARK] = ir.UnitAttr.get()
        rounded: dict[ir.Value, Number] = {}
        widened: set[ir.Value] = set()
        for op in _conversions(module):
            rewrite(op, _widened if op.name == "arith.extf" else _narrowed, rounded, widened)


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
    if _comes_from_bfloat(source.value, widened, KEEP_BITS):
        chosen = bits
    else:
        odd = bits.arith("shrui", 16) & 1
        chosen = bits + (odd + 0x7FFF)
        if not _comes_from_bfloat(source.value, widened, PASS_NAN_ON):
            chosen = select(source.is_nan(), bits | QUIET_NAN_BIT, chosen)
    made = chosen.arith("shrui", 16).resized(16, signed=False).bits_as(ir.BF16Type.get()).value
    rounded[made] = chosen
    return made


def _comes_from_bfloat(value: ir.Value, widened: set[ir.Value], ops: set[str]) -> bool:
    """Whether ops of these names alone made a value of widened numbers and constants. By `KEEP_BITS` it is a bf16
    number itself; by `PASS_NAN_ON` the lower half of its bits is 0 where it is NaN: rounding leaves such a NaN one."""
    waiting: list[ir.Value] = [value]
    seen: set[ir.Value] = set()
    while waiting and len(seen) < MOST_OPS:
        value = waiting.pop()
        if value in seen or value in widened:
            continue
        seen.add(value)
        sources = _sources(value, ops)
        if sources is None:
            return False
        waiting += sources
    return not waiting


def _sources(value: ir.Value, ops: set[str]) -> list[ir.Value] | None:
    """What ops of these names make a value of, over loops, too; None if another op makes it."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name == "scf.for":
        return _carried(value)
    operands = list(owner.operands)
    if owner.name == "llvm.call_intrinsic" and RANGE in str(owner.attributes["intrin"]):
        return operands[:2]
    if owner.name == "arith.select":
        return operands[2:] if _is_range(owner) else operands[1:]
    if owner.name in ops:
        return operands
    if owner.name == "arith.extf" and isinstance(element_type(operands[0].type), ir.BF16Type):
        return []
    return [] if _is_short(owner, ops is KEEP_BITS) else None


def _carried(value: ir.Value) -> list[ir.Value] | None:
    """What a value that a loop carries begins with, and what the next iteration has for it."""
    block = value.owner
    loop = block.owner if isinstance(block, ir.Block) else block
    if loop.name != "scf.for" or (isinstance(block, ir.Block) and not value.arg_number):
        return None
    number = value.arg_number - 1 if isinstance(block, ir.Block) else value.result_number
    body = loop.regions[0].blocks[0]
    return [loop.operands[3 + number], body.operations[-1].operands[number]]


def _is_range(op: ir.Operation) -> bool:
    """Whether a select takes what a range instruction gives unless an operand of it is NaN, which it passes on."""
    check, nan, extreme = (
        made_by(v, name) for v, name in zip(op.operands, ("arith.cmpf", "arith.addf", "llvm.call_intrinsic"))
    )
    if check is None or nan is None or extreme is None or RANGE not in str(extreme.attributes["intrin"]):
        return False
    return list(check.operands) == list(nan.operands) == list(extreme.operands)[:2]


def _is_short(op: ir.Operation, exactly: bool) -> bool:
    """Whether an op is a constant, and no NaN. `exactly`: and a bf16 number."""
    attribute = op.attributes["value"] if op.name == "arith.constant" else None
    if isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat:
        attribute = attribute.get_splat_value()
    if not isinstance(attribute, ir.FloatAttr) or math.isnan(attribute.value):
        return False
    return not exactly or not struct.unpack("I", struct.pack("f", attribute.value))[0] & ~UPPER_HALF
