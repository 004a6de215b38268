"""scatter, as a "loops" kernel that updates its first operands in place."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.dialect.stablehlo import AddOp, AndOp, MaximumOp, MinimumOp, OrOp, ScatterOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.indexing.parallel_scatter import scatter_in_parallel
from hlo.lowering.linalg.indexing.updates import ScatterPlan, Updates, Values
from hlo.lowering.linalg.loops import scalar, shape
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.stablehlo.rewriting import combining_op


@lowers(ScatterOp)
def lower_scatter(op: ScatterOp, lowering: Lowering) -> Values:
    inputs = [lowering[v] for v in op.inputs]
    updates = [lowering[v] for v in op.updates]
    unsigned = is_unsigned(element_type(op.scatter_indices.type))
    plan = ScatterPlan.of(op.scatter_dimension_numbers, shape(inputs[0]), shape(updates[0]))
    predicate = _extreme(op)

    def combine(old: Values, update: Values) -> Values:
        if predicate is not None:
            return [_extreme_of(old[0], update[0], predicate)]
        return scalar_block(lowering, op.update_computation.blocks[0], [*old, *update])

    def build(results: Values, read: Values) -> Values:
        indices, *new = read
        work = Updates(plan, indices, unsigned, new, combine)
        if lowering.many_threads:
            return scatter_in_parallel(work, results, bool(op.unique_indices), _is_atomic(op))
        return work.in_order(results)

    return lowering.outline("scatter", inputs, [lowering[op.scatter_indices], *updates], build)


ATOMIC = (AddOp, AndOp, MaximumOp, MinimumOp, OrOp)
ATOMIC_WIDTHS = (32, 64)


def _extreme(op: ScatterOp) -> arith.CmpFPredicate | None:
    """How an update compares with what it replaces, where floats are combined by maximum or minimum."""
    combiner, is_float = _only_op(op), isinstance(element_type(op.inputs[0].type), (ir.F32Type, ir.F64Type))
    if not is_float or not isinstance(combiner, (MaximumOp, MinimumOp)):
        return None
    return arith.CmpFPredicate.OGT if isinstance(combiner, MaximumOp) else arith.CmpFPredicate.OLT


def _extreme_of(old: ir.Value, new: ir.Value, predicate: arith.CmpFPredicate) -> ir.Value:
    """The maximum or minimum with IEEE 754's zeros and NaNs. Updates of one element wait for each other, so little is
    done to the old value: it is compared, and a number is added to the larger one that changes nothing but where the
    update is a zero (-0 + 0 = 0) or a NaN. A minimum is the negated maximum of negated numbers."""
    nothing, zero = scalar(new.type, -0.0), scalar(new.type, 0.0)
    changes = arith.cmpf(arith.CmpFPredicate.UEQ, new, zero)
    kept = arith.select(arith.cmpf(predicate, new, old), new, old)
    if predicate == arith.CmpFPredicate.OGT:
        return arith.addf(kept, arith.select(changes, new, nothing))
    return arith.negf(arith.subf(arith.select(changes, arith.negf(new), nothing), kept))


def _is_atomic(op: ScatterOp) -> bool:
    """Whether it combines integers by one op whose order does not matter, and for which there is an instruction."""
    kind = element_type(op.inputs[0].type)
    is_integer = isinstance(kind, ir.IntegerType) and kind.width in ATOMIC_WIDTHS
    return is_integer and isinstance(_only_op(op), ATOMIC)


def _only_op(op: ScatterOp) -> ir.OpView | None:
    """The one op that combines the old value and the update of a single input."""
    return combining_op(op.update_computation.blocks[0]) if len(op.inputs) == 1 else None
