"""Work that no other thread's fork cuts off.

A forked child has one thread, and the locks as they were: what another thread of the parent held, such as Python's lock of a module that it
was importing, or one of LLVM's, nobody in the child will ever release. So a thread that forks (os.fork, multiprocessing) waits until the
others have done their work in here, and none begins meanwhile. It waits for LONGEST at most, since their work may wait for it."""

from __future__ import annotations

import _thread
import concurrent.futures.thread
import logging
import os
import time

LONGEST = 60.0
"""Seconds: more than nearly all compilations take."""

_gate = _thread.allocate_lock()
"""Held by whoever begins work, and by a thread while it forks."""

_working: dict[int, int] = {}
"""How many pieces of work each thread is in, one within the other."""


class Unforked:
    """`with UNFORKED:` work of this thread that others do not fork in the middle of; there may be such work within it."""

    def __enter__(self) -> None:
        thread = _thread.get_ident()
        depth = _working.get(thread, 0)
        if depth or thread == _forks.thread:
            _working[thread] = depth + 1
            return
        with _gate:
            _working[thread] = 1

    def __exit__(self, *_: object) -> None:
        thread = _thread.get_ident()
        depth = _working.pop(thread, 1) - 1
        if depth:
            _working[thread] = depth


UNFORKED = Unforked()


class _Forks:
    """What is called before and after forks. What is registered last is called first before a fork: this is registered behind logging and
    concurrent.futures, whose locks work takes. A thread that forks must not have them yet while it waits for work, and no module that
    registers such locks may be half imported then, so that both are imported with hlo (3 ms)."""

    def __init__(self) -> None:
        self.thread = 0
        """The one that forks; 0: none."""
        assert logging and concurrent.futures.thread, "are imported, and have registered what they do"
        os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._after_in_child)

    def _before(self) -> None:
        thread, end = _thread.get_ident(), time.monotonic() + LONGEST
        while True:
            _gate.acquire()
            if not _working.keys() - {thread} or time.monotonic() > end:
                self.thread = thread
                return
            _gate.release()
            time.sleep(0.001)

    def _after(self) -> None:
        if self.thread:
            self.thread = 0
            _gate.release()

    def _after_in_child(self) -> None:
        """The other threads are not there."""
        for other in [*_working]:
            if other != self.thread:
                del _working[other]
        self._after()


_forks = _Forks()
