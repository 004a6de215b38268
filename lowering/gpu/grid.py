"""Launches, and how many threads they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.tensor_maps import TensorMap
from hlo.lowering.vector.target import GPUS

Values = dict[ir.Value, ir.Value]
"""What values of a kernel are in a gpu.func."""

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


@dataclass
class Launch:
    """How one gpu.func computes what it computes. `decision`: in words, for remarks. `emit`: writes the code at the
    insertion point, given what each value that is used outside is in the gpu.func (and, where there are `maps`, those
    of the gpu.func). `ops`: of a kernel's code that it does. `maps`: memory that it is given as tensor maps.
    `registers`: the most that a thread has; None to leave it to ptxas."""

    grid: Grid
    decision: str
    emit: Callable[..., None]
    ops: Sequence[ir.Operation] = ()
    maps: Sequence[tuple[ir.Value, TensorMap]] = ()
    registers: int | None = None


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
