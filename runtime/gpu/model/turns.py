"""Branches of a kernel that wait for each other: warps with different work (a producer and its consumers).

Each branch has a thread of the host and values of its own; one runs at a time, and gives its turn away while what it waits for
has not come. If all wait, the kernel would hang on a card."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hlo.errors import HloError

if TYPE_CHECKING:
    from hlo.runtime.gpu.model.machine import Machine, Step

Branch = tuple[np.ndarray, "Sequence[Step]"]
"""The threads that take it, and what they do."""


class _Stopped(Exception):
    """Another branch has failed."""


class Turns:
    """Runs branches on a machine to their end. Raises what a branch raises."""

    def __init__(self, machine: Machine, branches: Sequence[Branch]):
        self.machine, self.branches = machine, branches
        self._signals = [threading.Semaphore(0) for _ in branches]
        self._running = list(range(len(branches)))
        self._idle = 0
        self._failure: BaseException | None = None

    def run(self) -> None:
        machine = self.machine
        outer, outer_mask, values = machine.turns, machine.mask, machine.values
        machine.turns = self
        self._values = [dict(values) for _ in self.branches]
        threads = [threading.Thread(target=self._branch, args=(number,)) for number in range(len(self.branches))]
        for thread in threads:
            thread.start()
        self._signals[0].release()
        for thread in threads:
            thread.join()
        machine.turns, machine.mask, machine.values = outer, outer_mask, values
        if self._failure is not None:
            raise self._failure

    def _branch(self, number: int) -> None:
        self._signals[number].acquire()
        try:
            if self._failure is None:
                with np.errstate(all="ignore"):
                    self.machine.mask, steps = self.branches[number]
                    self.machine.values = self._values[number]
                    for step in steps:
                        step(self.machine)
        except BaseException as failure:  # is raised again by run
            self._failure = self._failure or failure
        self._idle = 0
        after = self._after(number)
        self._running.remove(number)
        if after != number:
            self._signals[after].release()

    def _after(self, number: int) -> int:
        place = self._running.index(number)
        return self._running[(place + 1) % len(self._running)]

    def wait(self, is_ready: Callable[[], bool], what: str) -> None:
        """Lets other branches run until it is so. `what`: where, for the error if it never is."""
        machine = self.machine
        mask, values = machine.mask, machine.values
        me = next(n for n, (whole, _) in enumerate(self.branches) if (whole & mask).any())
        while not is_ready():
            self._idle += 1
            if self._idle > len(self._running):
                raise HloError(f"{what}: every warp waits; on a card the kernel would hang")
            after = self._after(me)
            if after != me:
                self._signals[after].release()
                self._signals[me].acquire()
            if self._failure is not None:
                raise _Stopped
            machine.mask, machine.values = mask, values
        self._idle = 0
