"""Branches of a kernel that wait for each other: warpgroups with different work (a producer and its consumers).

Each branch has a thread of the host and values of its own; one runs at a time, until it waits. Which one goes on is drawn among
those whose wait has ended, by the same lot in each run: in lock step, a wait that is missing would not show. If all wait, the
kernel would hang on a card."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from hlo.runtime.gpu.model.machine import Machine, Step

Branch = tuple[np.ndarray, "Sequence[Step]"]
"""The threads that take it, and what they do."""


class _Stopped(Exception):
    """Another branch has failed."""


def _at_once() -> bool:
    return True


@dataclass(eq=False)
class _Running:
    """A branch that has not ended. `is_ready`: whether what it waits for has come."""

    mask: np.ndarray
    steps: Sequence[Step]
    values: dict[int, Any]
    is_ready: Callable[[], bool] = _at_once
    signal: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


class Branches:
    """Runs branches on a machine to their end. Raises what a branch raises."""

    def __init__(self, machine: Machine, branches: Sequence[Branch]):
        self.machine = machine
        self._running = [_Running(mask, steps, dict(machine.values)) for mask, steps in branches]
        self._current = self._running[0]
        self._lot = random.Random(machine.order)
        self._failure: BaseException | None = None

    def run(self) -> None:
        machine = self.machine
        outer = machine.branches, machine.mask, machine.values
        machine.branches = self
        threads = [threading.Thread(target=self._branch, args=(running,)) for running in self._running]
        for thread in threads:
            thread.start()
        self._pass_on("")
        for thread in threads:
            thread.join()
        machine.branches, machine.mask, machine.values = outer
        if self._failure is not None:
            raise self._failure

    def _branch(self, running: _Running) -> None:
        running.signal.acquire()
        try:
            if self._failure is None:
                with np.errstate(all="ignore"):
                    self.machine.mask, self.machine.values = running.mask, running.values
                    for step in running.steps:
                        step(self.machine)
        except BaseException as failure:  # is raised again by run
            self._failure = self._failure or failure
        self._running.remove(running)
        self._pass_on(self.machine.what)

    def _pass_on(self, what: str) -> None:
        """Another branch goes on, if one is left; after a failure all of them end."""
        if not self._running:
            return
        try:
            self._current = self._next(what)
        except HloError as failure:
            self._failure, self._current = failure, self._running[0]
        self._current.signal.release()

    def _next(self, what: str) -> _Running:
        ready = [running for running in self._running if self._failure is not None or running.is_ready()]
        if not ready:
            raise HloError(f"{what}: every warp waits; on a card the kernel would hang")
        return self._lot.choice(ready)

    def wait(self, is_ready: Callable[[], bool], what: str) -> None:
        """Lets other branches run until it is so. `what`: where, for the error if it never is."""
        machine, me = self.machine, self._current
        mask, values = machine.mask, machine.values
        me.is_ready, machine.what = is_ready, what
        self._current = self._next(what)
        if self._current is not me:
            self._current.signal.release()
            me.signal.acquire()
        if self._failure is not None:
            raise _Stopped
        machine.mask, machine.values = mask, values
        me.is_ready = _at_once
