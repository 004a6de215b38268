"""Finds races: two threads that use one address, at least one of them writing, with no barrier of their block in between.

The model runs threads in lock step, so a missing barrier would give the right result here and a wrong one on a card. Each
write and read is noted with its thread and its time: how many times threads have met so far (at a barrier, or where some arrive
at an mbarrier that others wait for). Each warp knows for each other one of its block up to which time it has seen what that one
did, and whom it meets learns it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hlo.errors import HloError

if TYPE_CHECKING:
    from hlo.runtime.gpu.model.machine import Machine

TIMES = 1 << 24
"""Meetings of a launch at most; a note is the launch's number times this plus the time."""

WARP = 32


class Meetings:
    """Of a launch: who has seen what of whom. `seen`: [block, warp, warp of the same block], a time that what it has seen came
    before."""

    def __init__(self, blocks: int, threads: int):
        warps = -(-threads // WARP)
        self.threads = threads
        self.time = 0
        self.seen = np.zeros((blocks, warps, warps), np.int64)

    def warps(self, mask: np.ndarray) -> np.ndarray:
        """[block, warp] that have a thread in the mask."""
        blocks, warps, _ = self.seen.shape
        whole = np.zeros((blocks, warps * WARP), bool)
        whole[:, : self.threads] = mask.reshape(blocks, -1)
        return np.asarray(whole.reshape(blocks, warps, WARP).any(-1))

    def barrier(self, mask: np.ndarray) -> None:
        """The threads of each block in the mask wait for each other."""
        self.time += 1
        meet = self.warps(mask)
        all_seen = np.where(meet[:, :, None], self.seen, 0).max(1, keepdims=True)
        all_seen = np.where(meet[:, None], self.time, all_seen)
        self.seen = np.where(meet[:, :, None], np.maximum(self.seen, all_seen), self.seen)

    def leave(self, block: np.ndarray, warp: np.ndarray) -> np.ndarray:
        """[thread, warp]: what these warps have seen and done, for those who will wait for them."""
        self.time += 1
        found = self.seen[block, warp].copy()
        found[np.arange(len(warp)), warp] = self.time
        return found

    def learn(self, block: np.ndarray, warp: np.ndarray, seen: np.ndarray) -> None:
        np.maximum.at(self.seen, (block, warp), seen)

    def has_seen(self, threads: np.ndarray, others: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Whether threads have seen what others of the same block did at these times."""
        pair = threads // self.threads, threads % self.threads // WARP, others % self.threads // WARP
        return times < self.seen[pair]


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
        recent = (times >= self.launch * TIMES) & (others != threads)
        if not recent.any():
            return
        same_block = others // m.threads == threads // m.threads
        seen = m.meetings.has_seen(
            np.broadcast_to(threads, others.shape), np.where(same_block, others, 0), times % TIMES
        )
        wrong = recent & ~(same_block & seen)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            first, second = np.broadcast_to(threads, others.shape).flat[at], others.flat[at]
            raise HloError(message.format(first, second) + ", with no barrier in between")

    def _note(self, m: Machine, what: str, offsets: np.ndarray, threads: np.ndarray) -> None:
        self._threads[what][offsets] = threads
        self._times[what][offsets] = self.launch * TIMES + m.meetings.time
