"""Calls of machine code that run at the same time, a thread each (together_text.py)."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from hlo.runtime.calls.interrupts import Abandoned
from hlo.runtime.threads.pool import run_call, run_parts, run_together
from hlo.runtime.threads.together_text import RUNNING, WORDS_OF_CALL, WORDS_OF_JOB, WORDS_OF_RANGE

WATCH = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
"""A function that is given a number and gives it back as long as its caller is to go on waiting."""


class Together:
    """Calls `int64_t f(void*)`, each with its argument, as often as wanted, one run at a time. `watch`: what looks after a run that takes
    long (WATCH). `has_caller`: whether the caller's thread runs the first call; it does not where there are loops. `threads`: those that run
    them, whose loops can be ended."""

    def __init__(self, calls: Sequence[tuple[int, int]], watch: Any, has_caller: bool):
        self._count, self._first, self._watch = len(calls), int(has_caller), watch
        table = WORDS_OF_JOB + WORDS_OF_RANGE * len(calls) + 2
        self._words = np.zeros(table + WORDS_OF_CALL * len(calls), np.int64)
        self._calls = self._words[table:].reshape(-1, WORDS_OF_CALL)
        self._calls[:, :2] = np.array(calls, np.uint64).astype(np.int64)
        self._given = self._calls[:, 2]
        self.threads = Abandoned(len(calls))
        self._calls[:, 3] = self.threads.first + 8 * np.arange(len(calls))
        self._words[table - 2 : table] = run_call(), len(calls)
        self._room = self._words.ctypes.data
        self._work = self._room + 8 * (table - 2)

    def run(self, sleep: bool = False) -> int:
        """DONE, NO_THREADS or LEFT; after the last, some calls run on, and the object must be kept. `sleep`: whether
        whoever has nothing to do sleeps at once, even where each call may have a processor."""
        self._given[:] = RUNNING
        if not self._first:
            self.threads.begin()
        return _run()(self._room, self._count, self._first, self._watch, sleep)

    def run_one_by_one(self) -> None:
        """The same one after the other in this thread, for calls that do not wait for each other."""
        self._given[:] = RUNNING
        _run_parts()(self._work, 1)

    def wait(self, seconds: float) -> None:
        """Waits for calls that run on after LEFT, but no longer."""
        end = time.monotonic() + seconds
        while RUNNING in self.given and time.monotonic() < end:
            time.sleep(0.001)

    @property
    def given(self) -> list[int]:
        """What each call has given; RUNNING for one that has not come to its end."""
        return self._given.tolist()


@cache
def _run() -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, WATCH, ctypes.c_int64)(
        run_together()
    )


@cache
def _run_parts() -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(run_parts())
