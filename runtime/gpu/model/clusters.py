"""Clusters: blocks that reach each other's shared memory."""

from __future__ import annotations

import numpy as np

from hlo.errors import HloError


class Cluster:
    """How far the blocks of a launch are, of which each `size` are a cluster."""

    def __init__(self, size: int, blocks: int):
        self.size = size
        self.meetings = np.zeros(blocks, np.int64)
        """By block: barriers of its whole cluster that it has passed."""
        self._left = np.zeros(0, bool)
        self._too_late: str | None = None

    def leave(self, threads: np.ndarray, per_block: int) -> None:
        """These threads have nothing more to do but what is behind all branches."""
        self._left = threads | self._left if len(self._left) else threads.copy()
        self._per_block = per_block

    def reach(self, mine: np.ndarray, theirs: np.ndarray, ready: np.ndarray, name: str) -> None:
        """Threads of blocks `mine` use memory of blocks `theirs`, which was made ready after so many meetings."""
        away = mine != theirs
        if (away & (self.meetings[mine] <= ready)).any():
            raise HloError(f"kernel {name}: shared memory of another block, which may not have begun")
        if len(self._left):
            gone = np.asarray(self._left.reshape(-1, self._per_block).all(1))
            if (away & gone[theirs]).any():
                self._too_late = f"kernel {name}: shared memory of another block, which may have ended"

    def meet(self) -> None:
        """All blocks of each cluster have waited for each other, so that none has ended."""
        self.meetings += 1
        self._too_late = None
        self._left = np.zeros(0, bool)

    def finish(self) -> None:
        """The launch ends. Raises HloError for what was found."""
        if self._too_late is not None:
            raise HloError(self._too_late)
