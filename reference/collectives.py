"""Collective ops: what processes of a grid compute from the values that they give each other.

Each op is one function of what its process group has given (`given[process]` are the operands of one process) and says
what this process gets. Processes that no group holds get zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.dialect.locations import diagnostic, location_text
from hlo.dialect.process_grid import Group, Process
from hlo.dialect.process_groups import channel_id, connected, grid_error, group_of_each, process_groups, signature_of
from hlo.dialect.stablehlo import collectives as ops
from hlo.errors import HloError, VerifyError
from hlo.reference.quantization import quantize
from hlo.reference.table import evaluates
from hlo.reference.values import computed_dtype, narrow, wide
from hlo.runtime.grid.processes import current
from hlo.runtime.grid.rendezvous import OpLocation

Given = dict[Process, Sequence[np.ndarray]]


@evaluates(ops.ReplicaIdOp)
def evaluate_replica_id(call):
    return np.array(current().id[0], call.dtype())


@evaluates(ops.PartitionIdOp)
def evaluate_partition_id(call):
    return np.array(current().id[1], call.dtype())


@evaluates(ops.AllGatherOp)
def evaluate_all_gather(call, *operands):
    def gather(given: Given, group: Sequence[Process]) -> list[np.ndarray]:
        rows = zip(*(given[p] for p in group))
        return [np.concatenate(row, axis=call.all_gather_dim) for row in rows]

    return _in_group(call, operands, gather)


@evaluates(ops.AllReduceOp)
def evaluate_all_reduce(call, *operands):
    return _in_group(call, operands, lambda given, group: _reduced(call, given, group))


@evaluates(ops.CrossReplicaSumOp)
def evaluate_cross_replica_sum(call, operand):
    def add(given: Given, group: Sequence[Process]) -> list[np.ndarray]:
        total = given[group[0]][0]
        for process in group[1:]:
            total = narrow(wide(total) + wide(given[process][0]), operand.dtype)
        return [total]

    return _in_group(call, (operand,), add)


@evaluates(ops.ReduceScatterOp)
def evaluate_reduce_scatter(call, operand):
    def scatter(given: Given, group: Sequence[Process]) -> list[np.ndarray]:
        (total,) = _reduced(call, given, group)
        return [np.split(total, len(group), axis=call.scatter_dimension)[group.index(current().id)]]

    return _in_group(call, (operand,), scatter)


@evaluates(ops.AllToAllOp)
def evaluate_all_to_all(call, *operands):
    def exchange(given: Given, group: Sequence[Process]) -> list[np.ndarray]:
        position = group.index(current().id)
        rows = zip(*(given[p] for p in group))
        parts = [[np.split(x, call.split_count, axis=call.split_dimension)[position] for x in row] for row in rows]
        return [np.concatenate(row, axis=call.concat_dimension) for row in parts]

    return _in_group(call, operands, exchange)


@evaluates(ops.CollectivePermuteOp)
def evaluate_collective_permute(call, operand):
    pairs, me = _groups(call), current().id
    members = connected(pairs).get(me, ())
    given = _meet(call, members, (operand,)) if members else {}
    source = next((source for source, target in pairs if target == me), None)
    return _zeros(call, 0, operand.shape) if source is None else given[source][0]


@evaluates(ops.CollectiveBroadcastOp)
def evaluate_collective_broadcast(call, *operands):
    """The values of the group's first process; with has_dynamic_root, of those whose positions the last operand holds."""
    values, roots = _values_and_roots(call, operands)

    def broadcast(given: Given, group: Sequence[Process]) -> list[np.ndarray]:
        _check_roots(call, roots, group)
        return [given[group[int(root)]][number] for number, root in enumerate(roots)]

    return _in_group(call, values, broadcast)


@evaluates(ops.CollectiveReduceOp)
def evaluate_collective_reduce(call, *operands):
    """What all processes of the group have, combined, for its root; zeros for the others."""
    values, roots = _values_and_roots(call, operands)

    def reduce(given: Given, group: Sequence[Process]) -> list[np.ndarray]:
        _check_roots(call, roots, group)
        mine = group.index(current().id)
        totals = _reduced(call, given, group)
        return [
            total if int(root) == mine else _zeros(call, number, total.shape)
            for number, (total, root) in enumerate(zip(totals, roots))
        ]

    return _in_group(call, values, reduce)


def _values_and_roots(call: Any, operands: Sequence[np.ndarray]) -> tuple[Sequence[np.ndarray], Any]:
    """The operands that are values, and for each the position of its root in the group."""
    if call.has_dynamic_root:
        return operands[:-1], list(operands[-1])
    return operands, [0] * len(operands)


def _check_roots(call: Any, roots: Sequence[Any], group: Sequence[Process]) -> None:
    outside = next((int(r) for r in roots if not 0 <= r < len(group)), None)
    if outside is not None:
        message = f"'{call.op.operation.name}' op root must be in [0, {len(group)}), found {outside}"
        raise HloError(diagnostic(call, message))


def _reduced(call: Any, given: Given, group: Sequence[Process]) -> list[np.ndarray]:
    """The values of all processes combined by the op's computation, in the order of the group."""
    rows = [[narrow(x, call.dtype(number)) for number, x in enumerate(given[process])] for process in group]
    totals = rows[0]
    for row in rows[1:]:
        totals = [call.apply(0, total, x)[0] for total, x in zip(totals, row)]
    return totals


def _in_group(
    call: Any, operands: Sequence[np.ndarray], combine: Callable[[Given, Sequence[Process]], list[np.ndarray]]
) -> list[np.ndarray]:
    group = group_of_each(_groups(call)).get(current().id, ())
    if not group:
        return [_zeros(call, number, x.shape) for number, x in enumerate(operands)]
    return combine(_meet(call, group, operands), group)


def _zeros(call: Any, number: int, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros for a result; of a quantized one, its zero points."""
    kind = call.op.operation.results[number].type
    return quantize(np.zeros(shape, computed_dtype(kind)), kind)


def _groups(call: Any) -> Sequence[Group]:
    """The op's process groups on the grid that runs it. Raises VerifyError where it does not fit this grid."""
    grid = current().grid
    key = f"groups {grid}"
    if key not in call.step.cache:
        error = grid_error(call.op, grid)
        if error:
            raise VerifyError(diagnostic(call, f"'{call.op.operation.name}' op {error}"))
        call.step.cache[key] = process_groups(call.op, grid)
    return call.step.cache[key]


def _meet(call: Any, group: Sequence[Process], operands: Sequence[np.ndarray]) -> Given:
    process, name = current(), call.op.operation.name
    location = OpLocation(name, location_text(call.op))
    return process.rendezvous.meet(process.id, group, channel_id(call.op), location, signature_of(call.op), operands)
