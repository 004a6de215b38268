"""Finds races: two threads that use one place, at least one of them writing, with no barrier of their block in between.

The model runs threads in lock step, so a missing barrier would give the right result here and a wrong one on a card. Each
write and read is noted with its thread and its epoch: how many barriers the thread's block had passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hlo.errors import HloError

if TYPE_CHECKING:
    from hlo.runtime.gpu.model.machine import Machine

EPOCHS = 1 << 24
"""Barriers of a launch at most; a note is the launch's number times this plus the epoch."""


class Notes:
    """By byte where an element begins: the thread that last wrote, read or updated it (at once with others), and when."""

    def __init__(self) -> None:
        self.launch = 0
        self._threads = {what: np.zeros(0, np.int32) for what in ("wrote", "read", "updated")}
        self._times = {what: np.zeros(0, np.int64) for what in ("wrote", "read", "updated")}

    def begin(self, size: int) -> None:
        """A launch begins: what was noted before does not count any more. `size`: bytes of memory now."""
        self.launch += 1
        self.grow(size)

    def grow(self, size: int) -> None:
        for notes in (self._threads, self._times):
            for what, array in notes.items():
                if len(array) < size:
                    grown = np.zeros(size, array.dtype)  # pages are only taken when used
                    grown[: len(array)] = array
                    notes[what] = grown

    def read(self, m: Machine, offsets: np.ndarray, threads: np.ndarray, name: str) -> None:
        for what in ("wrote", "updated"):
            self._check(m, what, offsets, threads, f"kernel {name}: thread {{0}} reads what thread {{1}} {what}")
        self._note(m, "read", offsets, threads)

    def write(self, m: Machine, offsets: np.ndarray, threads: np.ndarray, name: str) -> None:
        self._check(m, "wrote", offsets, threads, f"kernel {name}: thread {{0}} writes where thread {{1}} wrote")
        for what in ("read", "updated"):
            self._check(m, what, offsets, threads, f"kernel {name}: thread {{0}} writes what thread {{1}} {what}")
        self._note(m, "wrote", offsets, threads)

    def update(self, m: Machine, offsets: np.ndarray, threads: np.ndarray, name: str) -> None:
        """By atomic instructions, which threads may do to one element at once."""
        for what in ("read", "wrote"):
            self._check(m, what, offsets, threads, f"kernel {name}: thread {{0}} updates what thread {{1}} {what}")
        self._note(m, "updated", offsets, threads)

    def _check(self, m: Machine, what: str, offsets: np.ndarray, threads: np.ndarray, message: str) -> None:
        times, others = self._times[what][offsets], self._threads[what][offsets]
        recent = (times >= self.launch * EPOCHS) & (others != threads)
        if not recent.any():
            return
        same_block = others // m.threads == threads // m.threads
        wrong = recent & (~same_block | (times == self._now(m, threads)))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            first, second = np.broadcast_to(threads, others.shape).flat[at], others.flat[at]
            raise HloError(message.format(first, second) + ", with no barrier in between")

    def _note(self, m: Machine, what: str, offsets: np.ndarray, threads: np.ndarray) -> None:
        self._threads[what][offsets] = threads
        self._times[what][offsets] = self._now(m, threads)

    def _now(self, m: Machine, threads: np.ndarray) -> np.ndarray:
        return self.launch * EPOCHS + m.epochs[threads // m.threads]
