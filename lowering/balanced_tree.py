"""Many values joined into one by a balanced tree, whose ops wait for few others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Part = TypeVar("Part")


def in_pairs(parts: Sequence[Part], join: Callable[[Part, Part], Part]) -> Part:
    """Neighbours joined, then what that gives, in their order."""
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [join(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]
