"""The process groups of collective ops, and the clauses that depend on the size of the grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.process_grid import (
    MOST_PROCESSES,
    Grid,
    Group,
    Ids,
    Process,
    cross_partition,
    cross_replica,
    cross_replica_and_partition,
    flattened_ids,
)
from hlo.dialect.stablehlo.collectives import UNUSED
from hlo.errors import ArgumentError, CompileError, VerifyError

Strategy = Callable[[Grid, Ids], list[Group]]

_ID_COUNTS: dict[Strategy, tuple[str, Callable[[Grid], int]]] = {
    cross_replica: ("replica ids", lambda grid: grid.num_replicas),
    cross_partition: ("partition ids", lambda grid: grid.num_partitions),
    cross_replica_and_partition: ("replica ids", lambda grid: grid.num_replicas),
    flattened_ids: ("process numbers", lambda grid: grid.size),
}
"""By strategy: what its groups hold, and how many of these a grid has."""

_CROSSING_BOTH = ("all_gather", "all_reduce", "reduce_scatter")
"""Ops whose groups, with a channel, cross replicas and partitions; those of the others cross partitions then."""

_COVERING = ("all_gather", "all_reduce", "all_to_all", "reduce_scatter")
"""Ops whose groups hold every process; those of the others may leave some out."""

COLLECTIVES = (*_COVERING, "collective_broadcast", "collective_permute", "collective_reduce", "cross-replica-sum")


def is_collective(op: Any) -> bool:
    return op.operation.name.removeprefix("stablehlo.") in COLLECTIVES


NUMBERS = ("stablehlo.partition_id", "stablehlo.replica_id")
"""Ops that give a number of their process."""


def speaks_of_processes(op: Any) -> bool:
    return is_collective(op) or op.operation.name in NUMBERS


CHANNELS = ("stablehlo.send", "stablehlo.recv")


_LABELS = {
    "all_gather": ("C3", "C4", "C6"),
    "all_reduce": ("C2", "C3", ""),
    "all_to_all": ("C6", "C7", "C6"),
    "collective_broadcast": ("", "C2", ""),
    "collective_permute": ("", "C4", ""),
    "reduce_scatter": ("C4", "C5", "C8"),
}
"""Clauses of the specification: how many ids there are, their range, the sizes of the result."""


def _mnemonic(op: Any) -> str:
    return op.operation.name.removeprefix("stablehlo.")


def channel_id(op: Any) -> int:
    """0 where an op names no channel."""
    handle = getattr(op, "channel_handle", None)
    return 0 if handle is None else handle.handle


def strategy_of(op: Any) -> Strategy:
    """How a collective splits the grid."""
    if getattr(op, "use_global_device_ids", False):
        return flattened_ids
    if channel_id(op) <= 0:
        return cross_replica
    return cross_replica_and_partition if _mnemonic(op) in _CROSSING_BOTH else cross_partition


def _ids(op: Any, grid: Grid, strategy: Strategy) -> Ids:
    """The rows of ids that an op names; no rows stand for one group of all."""
    if _has_pairs(op):
        return op.source_target_pairs or ()
    rows = [[i for i in row if i != UNUSED] for row in op.replica_groups]
    return [row for row in rows if row] or [list(range(_ID_COUNTS[strategy][1](grid)))]


def _has_pairs(op: Any) -> bool:
    return _mnemonic(op) in ("collective_permute", "send", "recv")


def process_groups(op: Any, grid: Grid) -> list[Group]:
    """The process groups of a collective, each in the op's order; of a collective_permute, its (source, target) pairs."""
    strategy = strategy_of(op)
    return strategy(grid, _ids(op, grid, strategy))


def signature_of(op: Any) -> str:
    """What must be the same for all processes that meet in a collective: the kind of op and the types."""
    return f"{op.operation.name} of {', '.join(str(v.type) for v in op.operation.operands)}"


def connected(pairs: Sequence[Group]) -> dict[Process, Group]:
    """For each process of pairs (source, target): those that pairs connect with it, itself included, sorted. They meet in
    a collective_permute. Processes that are connected have the same object."""
    found: dict[Process, list[Process]] = {}
    for source, target in pairs:
        larger, smaller = found.setdefault(source, [source]), found.setdefault(target, [target])
        if larger is smaller:
            continue
        if len(larger) < len(smaller):
            larger, smaller = smaller, larger
        larger += smaller
        found.update(dict.fromkeys(smaller, larger))
    lists = {id(members): members for members in found.values()}
    groups = {number: tuple(sorted(members)) for number, members in lists.items()}
    return {process: groups[id(members)] for process, members in found.items()}


def group_of_each(groups: Sequence[Group]) -> dict[Process, Group]:
    """The group that a process is in, for those that are in one."""
    return {process: group for group in groups for process in group}


def grid_error(op: Any, grid: Grid) -> str | None:
    """What is wrong with a collective, a send or a recv on a grid: the clauses that depend on the grid's size."""
    if not _has_pairs(op) and not isinstance(op.replica_groups, tuple):
        return f"replica_groups must be spelt out, or name axes of a mesh that is, found {op.replica_groups}"
    strategy = strategy_of(op)
    ids = _ids(op, grid, strategy)
    return _ids_error(op, grid, strategy, ids) or _type_error(op, strategy(grid, ids))


def _ids_error(op: Any, grid: Grid, strategy: Strategy, ids: Ids) -> str | None:
    kind, count = _ID_COUNTS[strategy][0], _ID_COUNTS[strategy][1](grid)
    name = "source_target_pairs" if _has_pairs(op) else "replica_groups"
    members = [i for row in ids for i in row]
    outside = next((i for i in members if not 0 <= i < count), None)
    if outside is not None:
        message = f"{name} must hold {kind} in [0, {count}) on a grid of {grid} processes, found {outside}"
        return _labelled(op, 1, message)
    if _mnemonic(op) in _COVERING and len(members) != count:
        message = f"{name} must hold all {count} {kind} of a grid of {grid} processes, found {len(members)}"
        return _labelled(op, 0, message)
    return None


def _labelled(op: Any, clause: int, message: str) -> str:
    label = _LABELS.get(_mnemonic(op), ("", "", ""))[clause]
    return f"{label}: {message}" if label else message


def _type_error(op: Any, groups: Sequence[Group]) -> str | None:
    """Sizes that follow from the number of processes in a group."""
    scaled = {"all_gather": _gathered_error, "reduce_scatter": _scattered_error, "all_to_all": _parts_error}
    check = scaled.get(_mnemonic(op))
    if check is None:
        return None
    error = next((error for group in groups if (error := check(op, len(group)))), None)
    return error and _labelled(op, 2, error)


def _gathered_error(op: Any, count: int) -> str | None:
    dimension = op.all_gather_dim
    for operand, result in zip(op.inputs, op.outputs):
        wanted = operand.type.shape[dimension] * count
        if result.type.shape[dimension] != wanted:
            return _size_error("result", dimension, wanted, result.type, count)
    return None


def _scattered_error(op: Any, count: int) -> str | None:
    dimension = op.scatter_dimension
    size, part = op.operand.type.shape[dimension], op.result.type.shape[dimension]
    if size % count:
        return f"size {size} of scatter_dimension must be a multiple of the {count} processes in a group"
    return None if part * count == size else _size_error("result", dimension, size // count, op.result.type, count)


def _parts_error(op: Any, count: int) -> str | None:
    if op.split_count == count:
        return None
    return f"split_count must be the number of processes in a group, {count}, found {op.split_count}"


def _size_error(what: str, dimension: int, wanted: int, found: ir.Type, count: int) -> str:
    return f"{what} must have size {wanted} in dimension {dimension} for groups of {count} processes, found {found}"


def grid_of(module: ir.Module, num_replicas: Any = None, num_partitions: Any = None) -> Grid:
    """The grid of a program: the sizes given, or else those of its attributes mhlo.num_replicas and
    mhlo.num_partitions (1 where it has none). Raises ArgumentError for what is no size."""
    given = {"num_replicas": num_replicas, "num_partitions": num_partitions}
    grid = Grid(*(_size(module, name, value) for name, value in given.items()))
    if grid.size > MOST_PROCESSES:
        raise ArgumentError(f"a grid has at most {MOST_PROCESSES} processes, found {grid} = {grid.size}")
    return grid


def _size(module: ir.Module, name: str, given: Any) -> int:
    attributes, key = module.operation.attributes, f"mhlo.{name}"
    if given is None and key in attributes:
        name, given = key, attributes[key].value if isinstance(attributes[key], ir.IntegerAttr) else attributes[key]
    if given is None:
        return 1
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= MOST_PROCESSES:
        raise ArgumentError(f"{name} must be a number of processes from 1 to {MOST_PROCESSES}, found {given!r}")
    return given


def check_grid(module: ir.Module, grid: Grid) -> None:
    """Raises VerifyError with every collective, send and recv of the module that does not fit the grid."""
    findings = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if is_collective(op) or (op.name in CHANNELS and grid.size > 1):
            error = grid_error(op.opview, grid)
            if error:
                findings.append(diagnostic(op, f"'{op.name}' op {error}"))
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(visit)
    if findings:
        raise VerifyError(*findings)


_SHARDED_CALLS = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")


def refuse_shardings(module: ir.Module) -> None:
    """Raises CompileError for a program that is written for whole arrays, with shardings that say how processes divide
    them: run as it is, every process would take and compute everything."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        attributes = op.attributes
        text = " ".join(
            str(attributes[n]) for n in ("arg_attrs", "res_attrs", "mhlo.sharding", "sdy.sharding") if n in attributes
        )
        called = ir.StringAttr(attributes["call_target_name"]).value if "call_target_name" in attributes else ""
        if "devices=[" in text or "sdy.sharding" in text or called in _SHARDED_CALLS or op.name.startswith("sdy."):
            found.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    found: list[ir.Operation] = []
    with module.context:
        module.operation.walk(visit)
    if found:
        message = f"'{found[0].name}' has a sharding: programs on whole arrays are not divided among processes"
        raise CompileError(diagnostic(found[0], message))
