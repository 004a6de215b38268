"""The threads of one launch, all in lock step.

A value is an array with an element a thread. Where threads diverge (scf.if, loops of different lengths) the mask narrows;
what masked threads would compute is computed too and thrown away. A barrier that not all threads of a block reach, an
index outside its memref, and an address outside its allocation are errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.runtime.gpu.model.memory import Memory

Step = Callable[["Machine"], None]
"""One op, decoded: reads and sets values of a machine."""


class Machine:
    """The threads of one launch, and the values of all ops so far."""

    def __init__(self, memory: Memory, globals_: dict[str, int], blocks: int, threads: int):
        self.memory, self.globals = memory, globals_
        self.threads, self.size = threads, blocks * threads
        self.thread = np.arange(self.size, dtype=np.int64)
        self.mask = np.ones(self.size, bool)
        self.values: dict[int, Any] = {}

    def broadcast(self, value: Any, dtype: np.dtype) -> np.ndarray:
        return np.full(self.size, value, dtype)

    def under(self, mask: np.ndarray, steps: Sequence[Step]) -> None:
        """Runs steps with fewer threads."""
        outer, self.mask = self.mask, mask
        for step in steps:
            step(self)
        self.mask = outer
