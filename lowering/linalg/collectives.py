"""Collective ops, device numbers and asynchronous ops, for a program that runs on one device.

In a group of one, every collective gives what it is given; a program that names groups of several devices is refused."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

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
from hlo.lowering.linalg.rules import Lowering, located, lowers
from hlo.lowering.linalg.structured import fill


@lowers(
    AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectiveReduceOp, CrossReplicaSumOp, ReduceScatterOp
)  # fmt: skip
def lower_collective(op: ir.OpView, lowering: Lowering) -> list[ir.Value]:
    groups = op.replica_groups
    if not isinstance(groups, tuple):
        raise CompileError(located(op, f"{op.operation.name} over a mesh needs several devices, found {groups}"))
    if any(member > 0 for group in groups for member in group):
        raise CompileError(located(op, f"{op.operation.name} must name device 0 only, found the groups {groups}"))
    values = op.values if isinstance(op, (CollectiveBroadcastOp, CollectiveReduceOp)) else list(op.operands)
    if [v.type for v in values] != [r.type for r in op.results]:
        found = f"{op.operands[0].type} and {op.results[0].type}"
        raise CompileError(located(op, f"{op.operation.name} of one device must keep its types, found {found}"))
    return [lowering[v] for v in values]


@lowers(CollectivePermuteOp)
def lower_collective_permute(op: CollectivePermuteOp, lowering: Lowering) -> ir.Value:
    """What device 0 sends to itself; zeros when nobody sends to it."""
    pairs = [tuple(pair) for pair in op.source_target_pairs]
    if any(device for pair in pairs for device in pair):
        raise CompileError(located(op, f"collective_permute must name device 0 only, found the pairs {pairs}"))
    operand = lowering[op.operand]
    return operand if pairs else fill(zero(element(operand)), operand.type)


@lowers(ReplicaIdOp, PartitionIdOp)
def lower_device_number(op: ir.OpView, lowering: Lowering) -> ir.Value:
    number_type = lowering.type(op.results[0].type)
    zeros = ir.DenseElementsAttr.get_splat(number_type, ir.IntegerAttr.get(element(number_type), 0))
    return arith.constant(number_type, zeros)
