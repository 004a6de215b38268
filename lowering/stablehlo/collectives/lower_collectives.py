"""Collective ops on a grid: processes expose their arrays to each other, and what each computes from them are ordinary ops."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from mlir import ir
from mlir.dialects import func

from hlo.dialect.locations import diagnostic, location_text
from hlo.dialect.process_grid import Grid, Group, Process
from hlo.dialect.process_groups import (
    channel_id,
    check_grid,
    connected,
    group_of_each,
    is_collective,
    process_groups,
    signature_of,
    speaks_of_processes,
)
from hlo.dialect.stablehlo import CollectiveBroadcastOp, CollectivePermuteOp, PartitionIdOp, ReplicaIdOp
from hlo.dialect.types import tensor
from hlo.errors import CompileError
from hlo.lowering.finding import function_of, ops_within
from hlo.lowering.functions import add_arguments
from hlo.lowering.kernel_calls import is_private
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.arithmetic import Tensor, constant
from hlo.lowering.stablehlo.collectives.grid_attributes import MEETINGS, read_grid
from hlo.lowering.stablehlo.collectives.rules import (
    FIRST,
    PER_MEETING,
    Exposed,
    Meeting,
    check_roots,
    lower_collective,
    process_id,
)

T = TypeVar("T")


@register_pass
class LowerCollectives(Pass):
    """Replaces collectives, replica_id and partition_id in a module with hlo.grid = array<i64: replicas, partitions>, or
    with mhlo.num_replicas and mhlo.num_partitions, for a grid of several processes. The program gets
    an argument more, the words of its process (runtime/grid/process_words.py).

    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x4xf32>    becomes

    %peers:2 = stablehlo.custom_call @hlo.borrow(%process, %x) {meeting = 0} : ... -> (tensor<2x2xf32>, tensor<2x2xf32>)
    %1 = stablehlo.concatenate %peers#0, %peers#1, dim = 1
    %0 = stablehlo.custom_call @hlo.release(%1, %process, %x) {meeting = 0} : ... -> tensor<2x4xf32>

    and along dimension 0 %0 = stablehlo.custom_call @hlo.spread(%process, %x) {meeting = 0, part = 16, total = 32} : ... -> tensor<8xf32>, reshaped."""

    def run(self, module: ir.Module) -> None:
        grid = read_grid(module)
        if grid.size == 1:
            _check_roots_of_one(module)
            return
        check_grid(module, grid)
        program = _program(module)
        found = _of_processes(module)
        kind = tensor([FIRST + PER_MEETING * sum(map(is_collective, found))], ir.IntegerType.get_signless(64))
        words = Tensor(*add_arguments(program, [kind]))
        described: list[ir.Attribute] = []
        for op in found:
            if function_of(op) != program.operation:
                raise CompileError(diagnostic(op, f"'{op.operation.name}' is in a function that is not inlined"))
            with ir.InsertionPoint(op), op.location:
                if isinstance(op, (ReplicaIdOp, PartitionIdOp)):
                    replace(op, [process_id(words, int(isinstance(op, PartitionIdOp)), op.result.type)])
                    continue
                members, sources = _who_meets(op, grid)
                meeting = Meeting(words, len(described), tuple(map(len, members)), sources)
                lowered = lower_collective(op, meeting)
                described.append(_description(op, members, sources, meeting.exposed))
                replace(op, lowered)
        module.operation.attributes[MEETINGS] = ir.ArrayAttr.get(described)


def _check_roots_of_one(module: ir.Module) -> None:
    """A grid of one process keeps its collectives; of those whose roots the running program knows, these are checked."""
    for op in _of_processes(module):
        if getattr(op, "has_dynamic_root", False) and (0, 0) in group_of_each(process_groups(op, Grid())):
            with ir.InsertionPoint(op), op.location:
                kind = tensor([], ir.IntegerType.get_signless(64))
                check_roots(op, constant(kind, 0), constant(kind, 1))


def _program(module: ir.Module) -> Any:
    """The one public function."""
    public = [f for f in module.body.operations if isinstance(f, func.FuncOp) and not is_private(f)]
    if len(public) != 1:
        names = ", ".join(f"@{f.name.value}" for f in public) or "none"
        raise CompileError(f"lower-collectives: one public function expected, found {names}")
    return public[0]


def _of_processes(module: ir.Module) -> list[Any]:
    """The ops that need to know their process, in order."""
    return [op.opview for op in ops_within(module, speaks_of_processes)]


Numbers = tuple[tuple[int, ...], ...]


def _who_meets(op: Any, grid: Grid) -> tuple[Numbers, Numbers]:
    """For each process: the numbers of those that it meets, and which of them (positions; -1: nobody) it borrows from."""
    groups = process_groups(op, grid)
    if isinstance(op, CollectivePermuteOp):
        members = _of_each(connected(groups), grid)
        source = {target: source for source, target in groups}
        borrows: list[tuple[int, ...]] = [
            (bisect_left(m, source[p]),) if p in source else (-1,) for p, m in zip(grid.processes, members)
        ]
    else:
        members = _of_each(group_of_each(groups), grid)
        is_from_first = isinstance(op, CollectiveBroadcastOp) and not op.has_dynamic_root
        most = 1 if is_from_first else max(map(len, members))
        by_size = {size: tuple(k if k < size else -1 for k in range(most)) for size in set(map(len, members))}
        borrows = [by_size[len(m)] for m in members]
    numbers = {id(m): tuple(map(grid.number, m)) for m in _distinct(members)}
    return tuple(numbers[id(m)] for m in members), tuple(borrows)


def _of_each(groups: dict[Process, Group], grid: Grid) -> list[Group]:
    """By the numbers of the processes; empty for one that is in no group."""
    return [groups.get(process, ()) for process in grid.processes]


def _distinct(lists: Sequence[T]) -> Iterable[T]:
    """Each object once: the processes of a group, up to a grid's 131,072, have the same list of them."""
    return {id(one): one for one in lists}.values()


def _description(op: Any, members: Numbers, sources: Numbers, exposed: Sequence[Exposed]) -> ir.Attribute:
    def rows(lists: Sequence[Sequence[int]]) -> ir.Attribute:
        made = {id(one): ir.DenseI64ArrayAttr.get(list(one)) for one in _distinct(lists)}
        return ir.ArrayAttr.get([made[id(one)] for one in lists])

    return ir.DictAttr.get(
        {
            "op": ir.StringAttr.get(op.operation.name),
            "location": ir.StringAttr.get(location_text(op)),
            "channel": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), channel_id(op)),
            "signature": ir.StringAttr.get(signature_of(op)),
            "members": rows(members),
            "sources": rows(sources),
            "exposed": rows(exposed),
        }
    )
