"""Positions that a reduction carries beside its values (argmax), where its elements come in order.

    %later = arith.cmpi slt, %position, %index       the position that is carried, the index of the element
    %tie   = arith.andi %equal, %later
    %keep  = arith.ori %greater, %tie
    %next  = arith.select %keep, %position, %index

What is carried is the start, which is not positive, or the index of an element before this one: `%later` holds, or the
two are equal and it does not matter which of them is taken. So `%tie` is `%equal`."""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.linalg.structured import maps_of, reduced_loops
from hlo.lowering.vector.region.evaluate import BodyOp


def without_comparisons(op: ir.Operation, body: list[BodyOp]) -> list[BodyOp]:
    """The body of a reduction whose elements come in order, without comparisons of positions that it carries with those of elements."""
    block = op.regions[0].blocks[0]
    inputs = len(op.opview.inputs)
    for number, carried in enumerate(list(block.arguments)[inputs:]):
        if number < inputs and _is_index(op, number) and _starts_at_most_at_zero(op.operands[inputs + number]):
            body = _left_out(body, carried, block.arguments[number], block.operations[-1].operands[number])
    return body


def _is_index(op: ir.Operation, number: int) -> bool:
    """Whether an input is the index along the only reduced loop, in a type that has room for all of them."""
    reduced = [loop for loop, is_reduced in enumerate(reduced_loops(op)) if is_reduced]
    made = made_by(op.operands[number], "linalg.generic")
    if len(reduced) != 1 or made is None or len(made.operands) != 1:
        return False
    ops = list(made.regions[0].blocks[0].operations)
    if [one.operation.name for one in ops] != ["linalg.index", "arith.index_cast", "linalg.yield"]:
        return False
    if ops[1].operands[0] != ops[0].results[0] or ops[2].operands[0] != ops[1].results[0]:
        return False
    (written,), read = maps_of(made), maps_of(op)[number]
    dim, kind = ir.IntegerAttr(ops[0].operation.attributes["dim"]).value, made.results[0].type
    is_plain = written == ir.AffineMap.get_identity(written.n_dims)
    return is_plain and read.results[dim] == ir.AffineDimExpr.get(reduced[0]) and kind.shape[dim] <= _most(kind)


def _most(kind: ir.RankedTensorType) -> int:
    return 1 << (kind.element_type.width - 1)


def _starts_at_most_at_zero(start: ir.Value) -> bool:
    fill = made_by(start, "linalg.fill")
    constant = None if fill is None else made_by(fill.operands[0], "arith.constant")
    return constant is not None and ir.IntegerAttr(constant.attributes["value"]).value <= 0


def _left_out(body: list[BodyOp], carried: ir.Value, element: ir.Value, result: ir.Value) -> list[BodyOp]:
    """Conjunctions with a comparison of the carried position with the element's become their other operand, where they decide only which
    of the two is next."""
    choice = made_by(result, "arith.select")
    if choice is None or list(choice.operands)[1:] != [carried, element]:
        return body
    for comparison in [b for b in body if b.operands == [carried, element] and _is_less(b)]:
        before = comparison.results[0]
        for tie in [b for b in body if b.name == "arith.andi" and b.operands.count(before) == 1]:
            if _decides_only(tie.results[0], choice):
                body = _with(body, tie, tie.operands[1 - tie.operands.index(before)])
        if not any(before in b.operands for b in body):
            body = [b for b in body if b.op != comparison.op]
    return body


def _is_less(op: BodyOp) -> bool:
    return op.name == "arith.cmpi" and ir.IntegerAttr(op.attributes["predicate"]).value == SIGNED_LESS


SIGNED_LESS = 2
"""arith's number of the predicate slt."""


def _decides_only(condition: ir.Value, choice: ir.Operation) -> bool:
    """Whether nothing but the condition of a choice depends on a condition."""
    for use in condition.uses:
        reader = use.owner.operation
        is_joined = reader.name in ("arith.ori", "arith.andi") and _decides_only(reader.results[0], choice)
        if not is_joined and not (reader == choice and use.operand_number == 0):
            return False
    return True


def _with(body: list[BodyOp], gone: BodyOp, value: ir.Value) -> list[BodyOp]:
    """A body in which a value takes the place of an op."""
    return [
        replace(op, operands=[value if operand == gone.results[0] else operand for operand in op.operands])
        for op in body
        if op.op != gone.op
    ]
