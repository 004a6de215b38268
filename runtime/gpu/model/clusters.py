"""Clusters: blocks that reach each other's shared memory. Only between the first and the last barrier of all of them is it sure
that the other ones run."""

from __future__ import annotations

import numpy as np

from hlo.errors import HloError


class Cluster:
    """How far the blocks of a launch are, of which each `size` are a cluster; a block has so many `threads`."""

    def __init__(self, size: int, threads: int):
        self.size, self.threads = size, threads
        self._meetings = 0
        self._has_arrived = False
        self._left: np.ndarray | None = None
        self._too_late: str | None = None

    def leave(self, threads: np.ndarray) -> None:
        """These have nothing more to do but what is behind all branches."""
        self._left = threads if self._left is None else threads | self._left

    def reach(self, mine: np.ndarray, theirs: np.ndarray, name: str) -> None:
        """Threads of blocks `mine` use memory of blocks `theirs`."""
        away = mine != theirs
        if away.any() and not self._meetings:
            raise HloError(f"kernel {name}: shared memory of another block, which may not have begun")
        if self._left is not None:
            gone = np.asarray(self._left.reshape(-1, self.threads).all(1))
            if (away & gone[theirs]).any():
                self._too_late = f"kernel {name}: shared memory of another block, which may have ended"

    def arrive(self, mask: np.ndarray, name: str) -> None:
        """Threads come to a barrier of all threads of a cluster."""
        if not mask.all():
            raise HloError(f"kernel {name}: a cluster's barrier that only some of its threads reach")
        self._has_arrived = True

    def meet(self, name: str) -> None:
        """They wait for each other: none of the blocks has ended."""
        if not self._has_arrived:
            raise HloError(f"kernel {name}: a wait at a cluster's barrier without an arrival")
        self._meetings += 1
        self._has_arrived, self._left, self._too_late = False, None, None

    def finish(self) -> None:
        """The launch ends. Raises HloError for what was found."""
        if self._too_late is not None:
            raise HloError(self._too_late)
