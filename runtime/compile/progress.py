"""A line on the terminal for compilations that take more than a second: `hlo: memory, 34% done`.

Nothing is shown where standard error is no terminal. The share is that of a typical large program."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

PATIENCE = 1.0
"""Seconds after which the line appears."""

INTERVAL = 0.2
CODE = "machine code"
SHARES = {"stablehlo": 5, "linalg": 4, "kernels": 15, "tune": 200, "memory": 20, "llvm": 15, CODE: 41}
"""Parts of the time; a phase that is not here counts as OTHER."""

OTHER = 10
ERASE = "\r\x1b[K"


class Progress:
    """`with Progress([*names, CODE], sys.stderr) as progress:` and `progress.done(name)` after each phase. `stream`: None shows nothing."""

    def __init__(self, steps: Sequence[str], stream: Any):
        self.steps = list(steps)
        self.stream = stream
        self._finished = 0
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self.stream is not None and self.stream.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def done(self, name: str) -> None:
        """A phase has ended; what it is called is known from the start."""
        if name in self.steps:
            self._finished = self.steps.index(name) + 1

    def line(self) -> str:
        shares = [SHARES.get(step, OTHER) for step in self.steps]
        share = sum(shares[: self._finished]) / sum(shares)
        return f"hlo: {self.steps[min(self._finished, len(self.steps) - 1)]}, {share:.0%} done"

    def _show(self) -> None:
        """Runs in a second thread. Only code generation leaves it the interpreter's lock at all times."""
        if self._ended.wait(PATIENCE):
            return
        while not self._ended.is_set():
            self.stream.write(ERASE + self.line())
            self.stream.flush()
            self._ended.wait(INTERVAL)
        self.stream.write(ERASE)
        self.stream.flush()
