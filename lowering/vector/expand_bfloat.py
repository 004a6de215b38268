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
from mlir.dialects import arith

from hlo.lowering.finding import ops_named
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
            rounded: dict[ir.Value, ir.Value] = {}
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
    return [op for op, value in zip(found, small) if isinstance(_element(value.type), ir.BF16Type)]


def _element(kind: ir.Type) -> ir.Type:
    return ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind


def _of(kind: ir.Type, element: ir.Type) -> ir.Type:
    """A type of the same shape."""
    if not isinstance(kind, ir.VectorType):
        return element
    vector = ir.VectorType(kind)
    return ir.VectorType.get(vector.shape, element)


def _integers(kind: ir.Type, width: int) -> ir.Type:
    return _of(kind, ir.IntegerType.get_signless(width))


def _number(kind: ir.Type, value: int) -> ir.Value:
    number = ir.IntegerAttr.get(_element(kind), value)
    return arith.constant(
        kind, ir.DenseElementsAttr.get_splat(kind, number) if isinstance(kind, ir.VectorType) else number
    )


def _widened(op: ir.Operation, rounded: dict[ir.Value, ir.Value], widened: set[ir.Value]) -> ir.Value:
    """`rounded`: the words whose upper halves bf16 numbers were taken from; `widened`: bf16 numbers as f32."""
    kind = op.operands[0].type
    short, word = _integers(kind, 16), _integers(kind, 32)
    if op.operands[0] in rounded:
        bits = arith.andi(rounded[op.operands[0]], _number(word, UPPER_HALF))
    else:
        bits = arith.shli(arith.extui(word, arith.bitcast(short, op.operands[0])), _number(word, 16))
    single = arith.bitcast(_of(kind, ir.F32Type.get()), bits)
    widened.add(single)
    return single if isinstance(_element(op.results[0].type), ir.F32Type) else arith.extf(op.results[0].type, single)


def _narrowed(op: ir.Operation, rounded: dict[ir.Value, ir.Value], widened: set[ir.Value]) -> ir.Value:
    """To nearest, ties to even; a NaN stays one."""
    source = op.operands[0]
    if isinstance(_element(source.type), ir.F64Type):
        source = _rounded_to_odd(source)
    short, word = _integers(source.type, 16), _integers(source.type, 32)
    bits = arith.bitcast(word, source)
    odd = arith.andi(arith.shrui(bits, _number(word, 16)), _number(word, 1))
    chosen = arith.addi(bits, arith.addi(odd, _number(word, 0x7FFF)))
    if not _has_short_nan(source, widened):
        is_nan = arith.cmpf(arith.CmpFPredicate.UNO, source, source)
        chosen = arith.select(is_nan, arith.ori(bits, _number(word, QUIET_NAN_BIT)), chosen)
    made = arith.bitcast(op.results[0].type, arith.trunci(short, arith.shrui(chosen, _number(word, 16))))
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


def _rounded_to_odd(source: ir.Value) -> ir.Value:
    """An f64 as f32, so that a second rounding is as good as one (runtime/small_float_functions.py)."""
    single, word, long = _of(source.type, ir.F32Type.get()), _integers(source.type, 32), _integers(source.type, 64)
    near = arith.truncf(single, source)
    back, bits = arith.extf(source.type, near), arith.bitcast(word, near)
    inexact = arith.cmpf(arith.CmpFPredicate.ONE, back, source)
    even = arith.cmpi(arith.CmpIPredicate.eq, arith.andi(bits, _number(word, 1)), _number(word, 0))
    sizes = [arith.andi(arith.bitcast(long, v), _number(long, 2**63 - 1)) for v in (back, source)]
    above = arith.cmpi(arith.CmpIPredicate.ugt, *sizes)
    step = arith.select(above, _number(word, -1), _number(word, 1))
    chosen = arith.select(arith.andi(inexact, even), arith.addi(bits, step), bits)
    return arith.bitcast(single, chosen)
