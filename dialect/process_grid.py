"""The process grid: num_replicas x num_partitions processes, and the strategies by which it is split into groups.

A process is a pair (replica id, partition id); its number is replica * num_partitions + partition ("replica-major").
Strategies and their names are those of the specification (https://openxla.org/stablehlo/spec#collective_ops)."""

from collections.abc import Sequence
from typing import NamedTuple

Process = tuple[int, int]
Group = tuple[Process, ...]
Ids = Sequence[Sequence[int]]

MOST_PROCESSES = 1 << 17
"""Processes of a grid, devices of a mesh: lists of them are made, so a number that no machine has must not be believed."""


class Grid(NamedTuple):
    num_replicas: int = 1
    num_partitions: int = 1

    @property
    def size(self) -> int:
        return self.num_replicas * self.num_partitions

    @property
    def processes(self) -> list[Process]:
        """All processes by their numbers."""
        return [(r, p) for r in range(self.num_replicas) for p in range(self.num_partitions)]

    def number(self, process: Process) -> int:
        return process[0] * self.num_partitions + process[1]

    def __str__(self) -> str:
        return f"{self.num_replicas} x {self.num_partitions}"


def cross_replica(grid: Grid, ids: Ids) -> list[Group]:
    """Groups of replica ids, once for each partition."""
    return [tuple((r, p) for r in row) for row in ids for p in range(grid.num_partitions)]


def cross_partition(grid: Grid, ids: Ids) -> list[Group]:
    """Groups of partition ids, once for each replica."""
    return [tuple((r, p) for p in row) for row in ids for r in range(grid.num_replicas)]


def cross_replica_and_partition(grid: Grid, ids: Ids) -> list[Group]:
    """Groups of replica ids, each with all partitions: partition by partition."""
    return [tuple((r, p) for p in range(grid.num_partitions) for r in row) for row in ids]


def flattened_ids(grid: Grid, ids: Ids) -> list[Group]:
    """Groups of process numbers."""
    return [tuple(divmod(number, grid.num_partitions) for number in row) for row in ids]
