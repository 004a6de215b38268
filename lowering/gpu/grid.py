"""Launches, and how many threads they have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mlir import ir

from hlo.lowering.gpu.tensor_maps import TensorMap
from hlo.lowering.vector.target import GPUS

THREADS = 256
MOST_BLOCKS = 16 * max(card.multiprocessors for card in GPUS.values())
"""Blocks beyond this many take the next elements in a loop: sixteen blocks of 256 threads for each multiprocessor of the largest card."""


@dataclass(frozen=True)
class Grid:
    """`blocks` times `threads`, in x; `shared_bytes`: of dynamic shared memory for each block."""

    blocks: int
    threads: int
    shared_bytes: int = 0

    @property
    def size(self) -> int:
        return self.blocks * self.threads


class Planned:
    """How one gpu.func computes what it computes."""

    @property
    def grid(self) -> Grid:
        raise NotImplementedError

    @property
    def decision(self) -> str:
        """In words: for remarks."""
        raise NotImplementedError

    @property
    def maps(self) -> list[tuple[ir.Value, TensorMap]]:
        """Memory that it is given as tensor maps."""
        return []

    @property
    def registers(self) -> int | None:
        """The most that a thread has; None to leave it to ptxas."""
        return None


class Launch(Planned):
    """One that does ops of a kernel's code. `hidden`: memory that these use and it is not given. `shared`: the same, with types of static shared
    memory in its place; `temporaries`: what is given in place of allocations, `partials`: what is given as well."""

    op: ir.Operation
    hidden: Collection[ir.Value] = ()
    shared: Mapping[ir.Value, ir.MemRefType] = MappingProxyType({})
    temporaries: Mapping[ir.Value, ir.Value] = MappingProxyType({})
    partials: Sequence[ir.Value] = ()

    @property
    def ops(self) -> list[ir.Operation]:
        return [self.op]

    @property
    def skipped(self) -> set[ir.Value]:
        """Operands of the ops that are not needed."""
        return set()

    def emit(self, values: dict[ir.Value, ir.Value]) -> None:
        """Writes the code at the insertion point; `values` maps what the ops use to values of the gpu.func. Where there are `maps`, it is given
        those of the gpu.func, too."""
        raise NotImplementedError


def counted(number: int, noun: str) -> str:
    """ "1 op", "2 ops"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def grid_for(elements: int) -> Grid:
    """A thread an element, up to MOST_BLOCKS blocks."""
    threads = min(THREADS, -(-elements // 32) * 32)
    return Grid(min(MOST_BLOCKS, -(-elements // threads)), threads)


def most_threads() -> int:
    """Of a launch, whatever it does."""
    return MOST_BLOCKS * THREADS


def power_of_two(number: int) -> int:
    """The smallest one that is not less."""
    return 1 << max(0, number - 1).bit_length()
