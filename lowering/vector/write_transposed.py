"""The pass `write-transposed`: contractions write what a transpose would copy in the order that it is wanted in.

Before:  %c = linalg.generic {C += A * B, C at (m, n)} ins(%a, %b)     %t = linalg.generic {transpose} ins(%c)
After:   %t = linalg.generic {C += A * B, C at (n, m)} ins(%a, %b)

The gradient of a weight is such a product. Only where nothing else reads it, where the plan stays of one kind, and where no more time is lost
than the copy takes: with n of 2, vectors along n are mostly empty."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.contraction.emit import contraction_plan
from hlo.lowering.vector.contraction.plan import cost
from hlo.lowering.vector.contraction.problem import count
from hlo.lowering.vector.contraction.schedule import ContractionSchedule
from hlo.lowering.vector.read_transposed import copied, reductions
from hlo.lowering.vector.target import Target, target


@register_pass
@dataclass(frozen=True)
class WriteTransposed(Pass):
    """Lets contractions write transposed results."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        with module.context:
            processor = target(self.target)
            for op in reductions(module):
                transpose = _only_reader(op)
                if transpose is not None:
                    _write(op, transpose, processor)


def _only_reader(op: ir.Operation) -> ir.Operation | None:
    """The op that permutes the result, if that is all there is."""
    uses = list(op.results[0].uses) if len(op.results) == 1 else []
    if len(uses) != 1 or len(uses[0].owner.operation.results) != 1:
        return None
    reader = uses[0].owner.operation
    maps = copied(reader.results[0])
    if maps is None or reader.operands[0] != op.results[0] or len(maps[0].results) != maps[0].n_dims:
        return None
    return reader


def _write(op: ir.Operation, transpose: ir.Operation, processor: Target) -> None:
    before = contraction_plan(op, processor)
    if before is None:
        return
    old_maps, old_start, old_type = op.attributes["indexing_maps"], op.operands[2], op.results[0].type
    maps = list(ir.ArrayAttr(old_maps))
    maps[2] = ir.AffineMapAttr.get(_permuted(ir.AffineMapAttr(maps[2]).value, transpose))
    with op.location, ir.InsertionPoint(op):
        new_type = ir.RankedTensorType(transpose.results[0].type)
        fill = old_start.owner.operation.clone(ip=ir.InsertionPoint(op)).operation
        fill.operands[1] = tensor.empty(new_type.shape, new_type.element_type, ip=ir.InsertionPoint(fill))
    fill.results[0].set_type(new_type)
    op.attributes["indexing_maps"] = ir.ArrayAttr.get(maps)
    op.operands[2] = fill.results[0]
    op.results[0].set_type(new_type)
    if _as_good(before, contraction_plan(op, processor), processor):
        transpose.results[0].replace_all_uses_with(op.results[0])
        transpose.erase()
        return
    op.attributes["indexing_maps"], op.operands[2] = old_maps, old_start
    op.results[0].set_type(old_type)


def _permuted(written: ir.AffineMap, transpose: ir.Operation) -> ir.AffineMap:
    """Where the contraction is to write, given where it does."""
    maps = copied(transpose.results[0])
    assert maps is not None
    loops = {ir.AffineDimExpr(r).position: expression for r, expression in zip(maps[0].results, written.results)}
    expressions = [loops[ir.AffineDimExpr(w).position] for w in maps[1].results]
    return ir.AffineMap.get(written.n_dims, 0, expressions)


COPIED = 16
"""What copying an element of the result takes, in multiplications."""


def _as_good(before: ContractionSchedule, after: ContractionSchedule | None, processor: Target) -> bool:
    if after is None or after.vectorize != before.vectorize or "whole" in (after.pack_a, after.pack_b):
        return False
    if after.pack_b == "gather" and before.pack_b != "gather":
        return False
    lost = cost(after.problem, processor) - cost(before.problem, processor)
    return lost * count(after.problem.contracted) <= COPIED
