"""The pass `write-transposed`: contractions write what a transpose would copy in the order that it is wanted in.

Before:  %c = linalg.generic {C += A * B, C at (m, n)} ins(%a, %b)     %t = linalg.generic {transpose} ins(%c)
After:   %t = linalg.generic {C += A * B, C at (n, m)} ins(%a, %b)

The gradient of a weight is such a product. Only where nothing else reads it, and where no more time is lost than the
copy takes (with n of 2, vectors along n are mostly empty); none, where the plan becomes one of another kind."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.read_transposed import copied, read_through, reductions, try_operand
from hlo.lowering.linalg.structured import maps_of
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.target import Target, target
from hlo.lowering.vector.contraction.emit import contraction_plan
from hlo.lowering.vector.contraction.plan import cost
from hlo.lowering.vector.contraction.problem import count
from hlo.lowering.vector.contraction.schedule import ContractionSchedule


@register_pass
@dataclass(frozen=True)
class WriteTransposed(Pass):
    """Lets contractions write transposed results."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
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
    start, new_type = op.operands[2].owner.operation, ir.RankedTensorType(transpose.results[0].type)
    with op.location, ir.InsertionPoint(op):
        fill = start.clone().operation
        fill.operands[1] = tensor.empty(new_type.shape, new_type.element_type, ip=ir.InsertionPoint(fill))
    fill.results[0].set_type(new_type)
    maps, copy = maps_of(op), copied(transpose.results[0])
    assert copy is not None
    maps[2] = read_through(maps[2], *reversed(copy))
    is_good = lambda: _as_good(before, contraction_plan(op, processor), processor)
    if try_operand(op, 2, fill.results[0], maps, is_good):
        replace(transpose, list(op.results))


COPIED = 16
"""What copying an element of the result takes, in multiplications."""


def _as_good(before: ContractionSchedule, after: ContractionSchedule | None, processor: Target) -> bool:
    if after is None or (after.pack_b == "gather" and before.pack_b != "gather"):
        return False
    lost = cost(after.problem, processor) - cost(before.problem, processor)
    if after.vectorize != before.vectorize:
        return lost <= 0
    return lost * count(after.problem.k) <= COPIED
