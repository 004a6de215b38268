"""Quotients by numbers that rows (or columns) share: products with their inverses, which are computed once and are in memory.

Before:  %p = linalg.generic {divf} ins(%e : [b, i, j], %l : [b, i])
After:   %r = linalg.generic {1 / x} ins(%l)     %p = linalg.generic {mulf} ins(%e, %r)"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.attention.expressions import LESS, Element, Reader, maker_of
from hlo.lowering.gpu.attention.online_softmax import f32
from hlo.lowering.gpu.attention.recognise import dimensions_of, is_plain
from hlo.lowering.gpu.nest import Nest, nest_of
from hlo.lowering.linalg.structured import elementwise


def multiply_by_inverses(ops: Collection[ir.Operation]) -> None:
    """In place, in ops on f32 element by element, which are as large as scores."""
    known: dict[ir.Value, ir.Value] = {}
    for op in ops:
        for quotient in [
            one.operation for one in op.regions[0].blocks[0].operations if one.operation.name == "arith.divf"
        ]:
            _multiply(op, quotient, known)


def _multiply(op: ir.Operation, quotient: ir.Operation, known: dict[ir.Value, ir.Value]) -> None:
    divisor, block, nest = quotient.operands[1], op.regions[0].blocks[0], nest_of(op)
    if divisor.owner != block or divisor.type != ir.F32Type.get() or len(list(divisor.uses)) != 1:
        return
    number = ir.BlockArgument(divisor).arg_number
    found = _vector(op, number, nest)
    if found is None:
        return
    if found.value not in known:
        known[found.value] = _inverse(found.value)
    op.operands[number] = known[found.value]
    places = [ir.AffineExpr.get_constant(0) if p is None else ir.AffineExpr.get_dim(p) for p in found.places]
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    maps[number] = ir.AffineMapAttr.get(ir.AffineMap.get(len(nest.sizes), 0, places))
    op.attributes["indexing_maps"] = ir.ArrayAttr.get(maps)
    with ir.InsertionPoint(quotient), quotient.location:
        product = arith.mulf(quotient.operands[0], divisor)
    quotient.results[0].replace_all_uses_with(product)
    quotient.erase()


def _vector(op: ir.Operation, number: int, nest: Nest) -> Element | None:
    """The small tensor that an input is, or repeats."""
    value, reader = op.operands[number], Reader(dict(enumerate(nest.sizes)), ())
    if number >= nest.inputs or not is_plain(nest.maps[number]):
        return None
    places = dimensions_of(nest.maps[number])
    for node in (reader.element(value, places), reader.node(value, places)):
        if isinstance(node, Element) and LESS * prod(node.value.type.shape) <= prod(nest.sizes):
            maker = maker_of(node.value)
            return node if maker is not None and maker.block == op.block else None
    return None


def _inverse(value: ir.Value) -> ir.Value:
    """Behind what makes the value."""
    maker = value.owner.operation
    with ir.InsertionPoint.after(maker), maker.location:
        return elementwise([value], value.type, lambda x: arith.divf(f32(1.0), x))
