"""The pass `read-transposed`: contractions read what a transpose (or broadcast) has copied from where it comes from.

Before:  %t = linalg.generic {transpose} ins(%b)     %c = linalg.generic {C += A * B, B at (k, n)} ins(%a, %t)
After:                                               %c = linalg.generic {C += A * B, B at (n, k)} ins(%a, %b)

Packing reads in any order; where the plan would have to gather elements one by one, the copy stays."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.finding import ops_named
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.contraction.emit import contraction_plan
from hlo.lowering.vector.target import Target, target


@register_pass
@dataclass(frozen=True)
class ReadTransposed(Pass):
    """Lets contractions read operands that are transposed."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        with module.context:
            processor = target(self.target)
            for op in reductions(module):
                if len(op.operands) == 3 and contraction_plan(op, processor) is not None:
                    for number in (0, 1):
                        while _read_source(op, number, processor):
                            pass


def reductions(module: ir.Module) -> list[ir.Operation]:
    """Every linalg.generic that reduces something."""
    found = ops_named(module, ("linalg.generic",))
    return [op for op in found if "reduction" in str(op.attributes["iterator_types"])]


def _read_source(op: ir.Operation, number: int, processor: Target) -> bool:
    """Puts the source of a copy in an operand's place; False when it is no copy, or would be read too slowly."""
    value, maps = op.operands[number], list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    source = copied(value)
    if source is None:
        return False
    read, written = source
    moved = _through(ir.AffineMapAttr(maps[number]).value, read, written)
    old = op.attributes["indexing_maps"]
    maps[number] = ir.AffineMapAttr.get(moved)
    op.attributes["indexing_maps"] = ir.ArrayAttr.get(maps, op.context)
    op.operands[number] = value.owner.operands[0]
    chosen = contraction_plan(op, processor)
    if chosen is not None and chosen.pack_b != "whole":
        return True
    op.attributes["indexing_maps"] = old
    op.operands[number] = value
    return False


def copied(value: ir.Value) -> tuple[ir.AffineMap, ir.AffineMap] | None:
    """The maps (of what is read, of what is written) of a linalg.generic that only moves elements."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != "linalg.generic" or len(op.operands) != 2:
        return None
    body = list(op.regions[0].blocks[0].operations)
    if len(body) != 1 or body[0].operation.operands[0] != op.regions[0].blocks[0].arguments[0]:
        return None
    if not isinstance(op.operands[0].type, ir.RankedTensorType):
        return None
    read, written = (ir.AffineMapAttr(m).value for m in ir.ArrayAttr(op.attributes["indexing_maps"]))
    plain = all(isinstance(e, ir.AffineDimExpr) for e in (*read.results, *written.results))
    return (read, written) if plain and len(written.results) == written.n_dims else None


def _through(outer: ir.AffineMap, read: ir.AffineMap, written: ir.AffineMap) -> ir.AffineMap:
    """Where the source is read: `outer` gives places in the copy."""
    loops = {ir.AffineDimExpr(w).position: place for w, place in zip(written.results, outer.results)}
    return ir.AffineMap.get(outer.n_dims, 0, [loops[ir.AffineDimExpr(r).position] for r in read.results])
