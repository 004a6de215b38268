"""Work that Ctrl-C ends between two of its steps, never within one.

Python raises KeyboardInterrupt (and what other signal handlers raise) in the main thread, at any step of any function. In the middle of a
rewrite it would leave IR that cannot be freed; in a callback of C++ it would come out as another exception, or not at all. So handlers of
ours stand before those of Python functions while the main thread works: they call them, and keep what these raise. The work looks
whether there is such an exception before each pass (`stop_if_asked`), ends, and the exception is raised.

The work stays in the thread that asks for it: a thread of its own begins on another core, whose caches are cold (a
twentieth of a small program's compile time). No signal reaches other threads. A debugger's or profiler's interrupts are
its own."""

from __future__ import annotations

import _signal  # signal.getsignal takes ten times as long
import _thread
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from hlo.forks import UNFORKED

T = TypeVar("T")


class Stopped(BaseException):
    """Work has stopped because it was asked to."""


def uninterrupted(work: Callable[[], T]) -> T:
    """What `work` returns or raises. An exception that a signal handler raises meanwhile is raised when the work has stopped. No other
    thread forks in the middle of it."""
    with UNFORKED:
        return _uninterrupted(work)


def _uninterrupted(work: Callable[[], T]) -> T:
    import threading  # here: whoever loads a saved program needs it for nothing else

    if threading.current_thread() is not threading.main_thread() or sys.gettrace() or sys.getprofile():
        return work()
    thread = _thread.get_ident()
    if thread in _running:  # a part of other work
        return work()
    handlers = _Handlers()
    try:
        handlers.install()
        _running[thread] = handlers
        result = work()
    except BaseException:
        if handlers.raised is None:
            raise
    finally:
        _running.pop(thread, None)
        handlers.remove()
    error, handlers.raised = handlers.raised, None  # a traceback refers to the frames of this object's methods
    try:
        if error is not None:
            raise error
    finally:
        del error
    return result


def stop_if_asked() -> None:
    """Between two steps of work. Raises Stopped if somebody waits for its end."""
    handlers = _running.get(_thread.get_ident())
    if _all_stop or (handlers is not None and handlers.raised is not None):
        raise Stopped


@contextmanager
def stopping_all() -> Iterator[None]:
    """Meanwhile the work of every thread stops before its next step."""
    global _all_stop
    _all_stop = True
    try:
        yield
    finally:
        _all_stop = False


class _Handlers:
    """Of the signals that have Python functions. As long as one of those stands, the next step may raise what it
    raises: so ours raise it, too, once they are on their way out, should one be left behind."""

    def __init__(self) -> None:
        self.before: dict[int, Callable[..., Any]] = {}
        self.raised: BaseException | None = None
        """The first exception; further ones while the work ends are one with it."""
        self.is_over = False

    def install(self) -> None:
        for number in _NUMBERS:
            handler = _signal.getsignal(number)
            if callable(handler):
                self.before[number] = handler
                try:
                    _signal.signal(number, self.handle)
                except ValueError:  # threading takes another thread for the main one than Python: no signal reaches it
                    return

    def remove(self) -> None:
        """Gives back the handlers; one that was set meanwhile stays."""
        self.is_over = True
        for number, handler in self.before.items():
            if _signal.getsignal(number) == self.handle:
                _signal.signal(number, handler)

    def handle(self, number: int, frame: Any) -> None:
        if self.is_over:
            self.before[number](number, frame)
            return
        try:
            self.before[number](number, frame)
        except BaseException as error:
            if self.raised is None:
                self.raised = error


_NUMBERS = sorted(_signal.valid_signals())

_running: dict[int, _Handlers] = {}
"""By thread: of the main thread, or none."""

_all_stop = False
