"""The pass `carry-bits`: scalars of bf16 are moved as their bits, in the functions that `expand-bfloat` marked.

Before:  %0 = llvm.load %p : !llvm.ptr -> bf16   ...   llvm.br ^bb1(%0 : bf16)   ...   llvm.store %x, %q : bf16, !llvm.ptr
After:   %0 = llvm.load %p : !llvm.ptr -> i16    ...   llvm.br ^bb1(%0 : i16)    ...   llvm.store %x, %q : i16, !llvm.ptr

LLVM's x86 back end keeps a scalar of bf16 that another block uses in a register as f32, and its way back (AVX512_BF16's
conversion) makes numbers below the normal ones zeros: a loop that only moves elements, as a sort does, would change
them. Masked loads and stores of vectors are of bits, too: one that is wider than a register, with one lane behind the
first register, ends LLVM 22 in an assertion."""

from __future__ import annotations

import struct

from mlir import ir

from hlo.lowering.llvm.expand_bfloat import MARK
from hlo.lowering.passes import Pass, register_pass

MOVES = {
    f"llvm.{name}" for name in ("load", "store", "select", "bitcast", "br", "cond_br", "mlir.undef", "mlir.poison")
}
"""Ops that treat bits as they treat numbers."""
CONSTANT, EXTRACT, INSERT = "llvm.mlir.constant", "llvm.extractelement", "llvm.insertelement"
MASKED = {"llvm.intr.masked.load": 2, "llvm.intr.masked.store": 0}
"""Which operand is a vector of what is moved."""
OF_OTHERS = {
    *(
        f"llvm.{name}"
        for name in ("add", "and", "ashr", "icmp", "lshr", "mul", "or", "sext", "shl", "sub", "trunc", "xor", "zext")
    ),
    *(f"llvm.{name}" for name in ("fadd", "fcmp", "fdiv", "fmul", "fsub", "getelementptr", "shufflevector")),
    "llvm.intr.fma",
}
"""Frequent ops on integers, wider numbers and vectors alone, which need no second look."""


@register_pass
class CarryBits(Pass):
    """Makes scalars of bf16 scalars of i16."""

    def run(self, module: ir.Module) -> None:
        for op in module.body.operations:
            if MARK in op.operation.attributes:
                del op.operation.attributes[MARK]
                _carry(op.operation)


def _carry(function: ir.Operation) -> None:
    arguments = [a for region in function.regions for block in region.blocks for a in block.arguments]
    found: list[tuple[ir.Operation, list[int]]] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in OF_OTHERS:
            return ir.WalkResult.ADVANCE
        numbers = [n for n, operand in enumerate(op.operands) if _is_number(operand)]
        if numbers or any(map(_is_number, op.results)) or _moves_vector(op):
            found.append((op, numbers))
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    for argument in filter(_is_number, arguments):
        argument.set_type(_bits())
    for op, numbers in found:
        if op.name == CONSTANT:
            _constant(op)
        elif op.name in (EXTRACT, INSERT):
            _element_of_vector(op)
        elif op.name in MASKED:
            _masked_vector(op)
        elif op.name in MOVES:
            for result in filter(_is_number, op.results):
                result.set_type(_bits())
        else:
            _wrap(op, numbers)


def _is_number(value: ir.Value) -> bool:
    return isinstance(value.type, ir.BF16Type)


def _moves_vector(op: ir.Operation) -> bool:
    return op.name in MASKED and isinstance(_vector_type(op, MASKED[op.name]).element_type, ir.BF16Type)


def _vector_type(op: ir.Operation, operand: int) -> ir.VectorType:
    return ir.VectorType(op.operands[operand].type)


def _bits() -> ir.Type:
    return ir.IntegerType.get_signless(16)


def _cast(value: ir.Value, target: ir.Type) -> ir.Value:
    return ir.Operation.create("llvm.bitcast", [target], [value]).results[0]


def _constant(op: ir.Operation) -> None:
    (upper,) = struct.unpack("<xxh", struct.pack("<f", ir.FloatAttr(op.attributes["value"]).value))
    op.attributes["value"] = ir.IntegerAttr.get(_bits(), upper)
    op.results[0].set_type(_bits())


def _element_of_vector(op: ir.Operation) -> None:
    if op.name == EXTRACT:
        _take_bits(op, 0)
        op.results[0].set_type(_bits())
    else:
        _give_bits(op, _take_bits(op, 0))


def _masked_vector(op: ir.Operation) -> None:
    bits = _take_bits(op, MASKED[op.name])
    if op.results:
        _give_bits(op, bits)


def _take_bits(op: ir.Operation, operand: int) -> ir.Type:
    """Makes an operand a vector of bits, and gives its type."""
    with op.location, ir.InsertionPoint(op):
        bits = ir.VectorType.get(_vector_type(op, operand).shape, _bits())
        op.operands[operand] = _cast(op.operands[operand], bits)
    return bits


def _give_bits(op: ir.Operation, bits: ir.Type) -> None:
    """Makes the result a vector of bits; what uses it gets numbers."""
    numbers_type = op.results[0].type
    op.results[0].set_type(bits)
    with op.location, ir.InsertionPoint.after(op):
        numbers = _cast(op.results[0], numbers_type)
    op.results[0].replace_all_uses_except(numbers, numbers.owner.operation)


def _wrap(op: ir.Operation, numbers: list[int]) -> None:
    """An op that needs numbers."""
    with op.location, ir.InsertionPoint(op):
        for n in numbers:
            op.operands[n] = _cast(op.operands[n], ir.BF16Type.get())
    for result in filter(_is_number, op.results):
        with op.location, ir.InsertionPoint.after(op):
            bits = _cast(result, _bits())
        result.replace_all_uses_except(bits, bits.owner.operation)
