"""scatter, as a "loops" kernel that updates its first operands in place."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.stablehlo import AddOp, AndOp, MaximumOp, MinimumOp, OrOp, ScatterOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.loops import shape
from hlo.lowering.linalg.parallel_scatter import scatter_in_parallel
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalars import scalar_block
from hlo.lowering.linalg.scatter_updates import ScatterPlan, Updates, Values


@lowers(ScatterOp)
def lower_scatter(op: ScatterOp, lowering: Lowering) -> Values:
    inputs = [lowering[v] for v in op.inputs]
    updates = [lowering[v] for v in op.updates]
    unsigned = is_unsigned(element_type(op.scatter_indices.type))
    plan = ScatterPlan.of(op.scatter_dimension_numbers, shape(inputs[0]), shape(updates[0]))
    count = len(inputs)

    def combine(old: Values, update: Values) -> Values:
        return scalar_block(lowering, op.update_computation.blocks[0], [*old, *update])

    def build(*arguments: ir.Value) -> Values:
        results, indices, new = arguments[:count], arguments[count], arguments[count + 1 :]
        work = Updates(plan, indices, unsigned, new, combine)
        if lowering.many_threads:
            return scatter_in_parallel(work, results, bool(op.unique_indices), _is_atomic(op))
        return work.in_order(results)

    operands = [*inputs, lowering[op.scatter_indices], *updates]
    types = [v.type for v in inputs]
    return lowering.outline("scatter", operands, types, build, tied={i: i for i in range(count)})


ATOMIC = (AddOp, AndOp, MaximumOp, MinimumOp, OrOp)
ATOMIC_WIDTHS = (32, 64)


def _is_atomic(op: ScatterOp) -> bool:
    """Whether it combines integers by one op whose order does not matter, and for which there is an instruction."""
    block = op.update_computation.blocks[0]
    kind = element_type(op.inputs[0].type)
    if len(op.inputs) != 1 or not isinstance(kind, ir.IntegerType) or kind.width not in ATOMIC_WIDTHS:
        return False
    combiner, *rest = block.operations
    both = list(combiner.operands) in (list(block.arguments), list(block.arguments)[::-1])
    is_returned = len(rest) == 1 and list(rest[0].operands) == list(combiner.results)
    return isinstance(combiner, ATOMIC) and both and is_returned
