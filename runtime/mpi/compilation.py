"""Compiling a program in all ranks of MPI: each compiles it for itself, then they compare what they have compiled."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.printer import print_module
from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import CHANNELS
from hlo.errors import ArgumentError, CompileError, HloError
from hlo.runtime.calls.executable import Executable
from hlo.runtime.compile.compilation import has_shardings
from hlo.runtime.grid.process_words import Meeting
from hlo.runtime.grid.rendezvous import OpLocation
from hlo.runtime.grid.sharded import ShardedExecutable
from hlo.runtime.mpi.executable import MpiExecutable, ShardedMpiExecutable
from hlo.runtime.mpi.world import World

Sizes = tuple[Any, Any]
Found = tuple[Grid, Sequence[Meeting]]
"""What a rank says of its program: the grid, and its collectives."""


def compile_over(
    world: World, read: Callable[[], ir.Module], entry: str, sizes: Sizes, compile: Callable[[Sizes], Any]
) -> MpiExecutable | ShardedMpiExecutable:
    """The executable of a program for a grid that is divided among all ranks, which call this together. `compile` compiles it for
    sizes: num_replicas and num_partitions. Where neither these nor the program say any, there is a replica a rank."""
    failure, made, digest = None, None, b""
    with world.running:
        world.begin()
        try:
            module = read()
            made = compile(_sizes(module, sizes, world.size))
            digest = _digest(module, entry, _process(made).grid)
            _check_fits(_process(made), world)
        except HloError as error:
            failure = error
        _compare(world, digest, failure, made)
        return _spread(made, world)


def _sizes(module: ir.Module, sizes: Sizes, ranks: int) -> Sizes:
    says = any(f"mhlo.num_{what}" in module.operation.attributes for what in ("replicas", "partitions"))
    if sizes != (None, None) or says or has_shardings(module):
        return sizes
    return ranks, 1


def _digest(module: ir.Module, entry: str, grid: Grid) -> bytes:
    return hashlib.sha256(f"{entry} {grid}\n{print_module(module)}".encode()).digest()


def _process(made: Any) -> Executable:
    """The executable of one process. Raises HloError for what does not run as a grid of compiled processes."""
    process = made.process if isinstance(made, ShardedExecutable) else made
    if not isinstance(process, Executable):
        raise ArgumentError("grid: only programs of static shapes on target 'cpu' are divided among ranks")
    return process


def _check_fits(process: Executable, world: World) -> None:
    channel = next((c for c in process.program.custom_calls if c.target in CHANNELS), None)
    if channel is not None and world.size > 1 and not world.takes_threads:
        raise CompileError(channel.finding("it needs mpi4py.rc.thread_level 'multiple', and an MPI that offers it"))
    if process.grid.size % world.size:
        first = next(iter(process.program.meetings), None)
        location = first.op_location if first else OpLocation("")
        meets = f"; they meet in {location}" if first else ""
        raise CompileError(
            location.finding(
                f"a grid of {process.grid} processes cannot be divided among {world.size} ranks: their number must be a multiple of "
                f"that of the ranks{meets}"
            )
        )


def _spread(made: Any, world: World) -> MpiExecutable | ShardedMpiExecutable:
    if isinstance(made, ShardedExecutable):
        return ShardedMpiExecutable(MpiExecutable(_process(made), world), made.arguments, made.results)
    return MpiExecutable(made, world)


def _compare(world: World, digest: bytes, failure: HloError | None, made: Any) -> None:
    """Raises the error of this rank, or HloError when another has one or has compiled another program."""
    said = [pickle.loads(one) for one in world.agree(pickle.dumps((digest, str(failure) if failure else None)))]
    if failure is not None:
        raise failure
    for rank, (_, error) in enumerate(said):
        if error is not None:
            raise HloError(f"rank {rank} has not compiled the program: {error}")
    if len({one for one, _ in said}) == 1:
        return
    meetings = [pickle.loads(one) for one in world.agree(pickle.dumps(_process(made).program.meetings))]
    grids = [pickle.loads(one) for one in world.agree(pickle.dumps(_process(made).grid))]
    other = next(rank for rank, (one, _) in enumerate(said) if one != said[0][0])
    raise HloError(_difference(other, grids, meetings))


def _difference(other: int, grids: Sequence[Grid], meetings: Sequence[Sequence[Meeting]]) -> Any:
    first = grids[0].processes[0]
    there = grids[other].processes[min(other * (grids[other].size // len(grids)), grids[other].size - 1)]
    start = f"process {there} of rank {other} has compiled another program than process {first} of rank 0"
    return difference(start, (grids[0], meetings[0]), (grids[other], meetings[other]))


def difference(start: str, first: Found, other: Found) -> Any:
    """What an error says of two programs that should be the same: their first collectives that differ."""
    grids, meetings = (first[0], other[0]), (first[1], other[1])
    if grids[0] != grids[1]:
        return f"{start}: for a grid of {grids[1]} processes, not of {grids[0]}"
    for one, two in zip(*meetings):
        if (one.op, one.signature, one.members, one.channel) != (two.op, two.signature, two.members, two.channel):
            return two.op_location.finding(
                f"{start}: {two.op_location} ({two.signature}) is {one.op_location} ({one.signature}) there"
            )
    if len(meetings[0]) != len(meetings[1]):
        counts = f"{len(meetings[1])} collectives, not {len(meetings[0])}"
        longer = max(meetings, key=len)
        location = longer[min(map(len, meetings))].op_location
        return location.finding(f"{start}: {counts}; the first that one of them lacks is {location}")
    return f"{start}: their collectives are the same, other ops or constants are not"
