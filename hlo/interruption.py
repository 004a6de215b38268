"""Work that Ctrl-C ends between two of its steps, never within one.

Python raises KeyboardInterrupt (and what other signal handlers raise) in the main thread, at any step of any function. In the middle of a
rewrite it would leave IR that cannot be freed; in a callback of C++ it would come out as another exception, or not at all. So the main
thread lets another thread do the work, and waits. When something is raised while it waits, it asks the other thread to stop, which
looks whether it is asked to before each pass (`stop_if_asked`), waits for that, and raises it.

Work that a debugger or profiler looks at is done in the calling thread: both see their own thread only. So is work of other threads, which no signal
reaches."""

from __future__ import annotations

import _thread
import atexit
import contextvars
import sys
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

LOOKS_FOR_SIGNALS_EVERY = 0.1
"""Seconds. A signal wakes a thread that waits for a lock; but one that comes just before that thread falls asleep, or to another thread, would be
seen when the work is over."""


class Stopped(BaseException):
    """Work has stopped because it was asked to."""


def uninterrupted(work: Callable[[], T]) -> T:
    """What `work` returns or raises. An exception that a signal handler raises meanwhile is raised when the work has stopped."""
    import threading  # here: whoever loads a saved program needs it for nothing else

    if threading.current_thread() is not threading.main_thread() or sys.gettrace() or sys.getprofile():
        return work()
    job = _Job(contextvars.copy_context(), work)
    try:
        _thread.start_new_thread(job.run, ())
        return job.result()
    except BaseException:
        job.stop()
        raise


def stop_if_asked() -> None:
    """Between two steps of work. Raises Stopped if the thread that waits for it has been interrupted."""
    job = _running.get(_thread.get_ident())
    if job is not None and job.is_asked_to_stop:
        raise Stopped


class _Job:
    """Every step of the waiting thread may be its last. So the two threads have only single words in common, each of which one of them
    writes, and the lock does nothing but to wake the one that waits."""

    def __init__(self, context: contextvars.Context, work: Callable[[], Any]):
        self.context, self.work = context, work
        self.is_asked_to_stop = self.has_started = False
        self.outcome: tuple[Any, BaseException | None] | None = None
        self.over = _thread.allocate_lock()
        self.over.acquire()

    def run(self) -> None:
        self.has_started = True
        _running[_thread.get_ident()] = self
        try:
            stop_if_asked()
            self.outcome = self.context.run(self.work), None
        except BaseException as error:
            self.outcome = None, error
        finally:
            del _running[_thread.get_ident()]
            self.over.release()

    def result(self) -> Any:
        self.wait()
        assert self.outcome is not None
        value, error = self.outcome
        self.outcome = None, None  # a traceback refers to the frames of this object's methods
        if error is None:
            return value
        try:
            raise error
        finally:
            del error

    def wait(self) -> None:
        while self.outcome is None:
            self.over.acquire(timeout=LOOKS_FOR_SIGNALS_EVERY)

    def stop(self) -> None:
        """Waits until the work has ended. Further interrupts while it waits are one with the first."""
        self.is_asked_to_stop = True
        while self.has_started and self.outcome is None:
            try:
                self.over.acquire(timeout=LOOKS_FOR_SIGNALS_EVERY)
            except BaseException:
                continue


_running: dict[int, _Job] = {}
"""By thread."""


@atexit.register
def _wait_for_all() -> None:
    """Libraries are taken down at the end of the process: nobody may work in them any more."""
    for job in list(_running.values()):
        job.is_asked_to_stop = True
        job.wait()
