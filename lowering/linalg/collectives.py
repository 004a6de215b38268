"""Collective ops and process numbers of a program that is one process: every collective gives what it is given, and one that
names others is refused. (On grids, lower_collectives has replaced them.)"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.dialect.locations import diagnostic
from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import grid_error
from hlo.dialect.stablehlo import (
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    CollectiveReduceOp,
    CrossReplicaSumOp,
    PartitionIdOp,
    ReduceScatterOp,
    ReplicaIdOp,
)
from hlo.errors import CompileError
from hlo.lowering.linalg.loops import element, zero
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import fill


@lowers(
    AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectiveReduceOp, CrossReplicaSumOp, ReduceScatterOp
)  # fmt: skip
def lower_collective(op: ir.OpView, lowering: Lowering) -> list[ir.Value]:
    _check_alone(op)
    values = op.values if isinstance(op, (CollectiveBroadcastOp, CollectiveReduceOp)) else list(op.operands)
    if [v.type for v in values] != [r.type for r in op.results]:
        found = f"{op.operands[0].type} and {op.results[0].type}"
        raise CompileError(diagnostic(op, f"{op.operation.name} of one device must keep its types, found {found}"))
    return [lowering[v] for v in values]


def _check_alone(op: ir.OpView) -> None:
    error = grid_error(op, Grid())
    if error:
        raise CompileError(diagnostic(op, f"'{op.operation.name}' op {error}"))


@lowers(CollectivePermuteOp)
def lower_collective_permute(op: CollectivePermuteOp, lowering: Lowering) -> ir.Value:
    """What device 0 sends to itself; zeros when nobody sends to it."""
    _check_alone(op)
    operand = lowering[op.operand]
    return operand if op.source_target_pairs else fill(zero(element(operand)), operand.type)


@lowers(ReplicaIdOp, PartitionIdOp)
def lower_device_number(op: ir.OpView, lowering: Lowering) -> ir.Value:
    number_type = lowering.type(op.results[0].type)
    zeros = ir.DenseElementsAttr.get_splat(number_type, ir.IntegerAttr.get(element(number_type), 0))
    return arith.constant(number_type, zeros)
