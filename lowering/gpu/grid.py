"""How many threads a launch has."""

from __future__ import annotations

from dataclasses import dataclass

THREADS = 256
MOST_BLOCKS = 132 * 16
"""Blocks beyond this many take the next elements in a loop: sixteen blocks of 256 threads for each multiprocessor of an H200."""


@dataclass(frozen=True)
class Grid:
    """`blocks` times `threads`, in x; `shared_bytes`: of dynamic shared memory for each block; `cluster`: blocks that reach each
    other's shared memory."""

    blocks: int
    threads: int
    shared_bytes: int = 0
    cluster: int = 1

    @property
    def size(self) -> int:
        return self.blocks * self.threads


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
