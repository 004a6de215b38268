"""A loop nest as a list of loops, outermost first, which `walk` writes inside one another.

A loop is told where it is and what is inside, which it writes once for each of its parts: whole tiles, what is left over, edges, a thread's share.
What is done where an iteration begins or ends (a block is packed, an iteration that adds nothing is left out) is an item of the list, too.

Where a loop is takes two values: for a contraction the function that is written and the place in its operands
(`contraction/nest.py`), for a loop nest the tile and what is carried from one iteration to the next (`region/loops.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
R = TypeVar("R")


def walk(loops: Sequence[Callable[[A, B, Callable[[A, B], R]], R]], leaf: Callable[[A, B], R], where: A, at: B) -> R:
    """Writes loops inside one another, and the leaf inside all of them. Returns what the outermost one returns."""
    if not loops:
        return leaf(where, at)
    first, *rest = loops
    return first(where, at, lambda where, at: walk(rest, leaf, where, at))
