"""A program of dynamic shapes whose specialisations a worker process compiles."""

from __future__ import annotations

import threading
from typing import Any

from hlo.dialect.process_grid import Grid
from hlo.runtime.calls.dynamic import DynamicExecutable, Shapes
from hlo.runtime.calls.executable import Executable
from hlo.runtime.saved.file_format import read_signature


class IsolatedDynamicExecutable(DynamicExecutable):
    """As a DynamicExecutable; each combination of shapes is a compilation of its own, with the same limits."""

    def __init__(self, job: Any, signature: dict[str, Any]):
        self._job = job
        self._lock = threading.Lock()
        self.signature = read_signature(signature)
        self.grid = Grid()
        self.specializations: dict[Shapes, Executable] = {}

    def _check(self, shapes: Shapes) -> None:
        """The worker does."""

    def _compile(self, shapes: Shapes) -> Executable:
        return self._job.specialized(shapes)
