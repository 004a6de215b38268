"""Chains of short rows (a softmax of 19 elements) with the lanes along the rows: nothing is merged over lanes, none stays empty. What such a
chain reads and writes goes through buffers, as the values do that others keep.

Before: for each row: { load 19 elements in two vectors; maximum over the lanes; exp; sum over the lanes; store }
After:  for rows by 16: { transpose 16 rows into a buffer, in which element k of all is a vector; for k: maximum; for k: exp, sum;
                          for k: result, into a buffer; transpose it to memory }"""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from hlo.lowering.linalg.iteration import Affine, flatten
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.graph import Stage
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import Plan


def has_rows_in_lanes(stage: Stage, plan: Plan) -> bool:
    """Whether the lanes of a chain run along its rows."""
    return bool(stage.levels) and plan.lanes not in (None, *stage.reduction)


def in_columns(nest: Nest, plan: Plan) -> tuple[Nest, list[ir.Value]]:
    """The nest with buffers of columns for what is read and written, too; and the arrays whose rows are read, element k of the row in
    iteration k."""
    stage, (along,) = nest.stage, nest.stage.reduction
    inputs: dict[ir.Value, None] = {}
    for access in nest.accesses.accesses:
        value = access.value
        if value is None or access.is_store or value.type.rank != len(nest.index):
            continue
        if access.position == flatten(nest.index, value.type.shape):
            inputs[value] = None
    assert plan.lanes is not None, "rows are in lanes"
    wide, _ = wide_and_narrow(stage, len(nest.index))
    stage = replace(
        stage,
        kept=list(dict.fromkeys([*inputs, *stage.kept, *(s.value for s in wide)])),
        row_shape=[along.size, plan.width],
        row_position=Affine.of(along) * plan.width + Affine.of(plan.lanes),
    )
    return replace(nest, stage=stage), list(inputs)
