"""Exceptions that leave a Python function which C code has called: a callback of ctypes, a finalizer.

No `try` covers a function's first and last step, and an interrupt (or a RecursionError) may be raised there. C code cannot take an
exception: Python hands it to `sys.unraisablehook`, which prints it, and goes on. Callbacks of hlo give their callers a sign that they have
come to their end, so that nothing is taken for done that was not. What was raised is found here: a hook, before the one that was there,
keeps the exceptions of those who asked for theirs (`Watched`), and raises interrupts of finalizers again."""

from __future__ import annotations

import _thread
import sys
import time
import weakref
from typing import Any

from hlo.errors import HloError


class Watched:
    """Whose bound methods are callbacks. `escaped()` takes the exception that has left one in this thread."""

    def __init__(self) -> None:
        from threading import local  # here: programs without callbacks do without this module

        self._escaped = local()
        install()

    def keep_escaped(self, error: BaseException) -> None:
        self._escaped.error = error

    def forget_escaped(self) -> None:
        vars(self._escaped).clear()

    def has_escaped(self) -> bool:
        return hasattr(self._escaped, "error")

    def escaped(self) -> BaseException:
        """The last exception; another hook may have taken it: then what Python raises by itself, in this thread, at any step."""
        error = vars(self._escaped).get("error")
        self.forget_escaped()
        if error is not None:
            return error
        import threading

        if threading.current_thread() is threading.main_thread():
            return KeyboardInterrupt()
        return HloError(
            "a Python function that compiled code called was left by an exception, which Python has printed"
        )


_before: Any = None
_installing = _thread.allocate_lock()


def install() -> None:
    """Puts the hook before the one that is there, once."""
    global _before
    with _installing:
        if _before is None:
            _before, sys.unraisablehook = sys.unraisablehook, _hook


def when_gone(owner: Any, function: Any, *arguments: Any) -> None:
    """Calls a function when nothing refers to `owner` any more, but not at the process's end, which frees all by
    itself. An interrupt that comes meanwhile is raised again behind it."""
    if _before is None:
        install()
    weakref.finalize(owner, function, *arguments).atexit = False


def interrupt_again() -> None:
    """Interrupts the main thread in a moment: when it has left the function that C code has called, which would lose this interrupt too."""
    _thread.start_new_thread(_interrupt_in_a_moment, ())


def _interrupt_in_a_moment() -> None:
    time.sleep(0.001)
    _thread.interrupt_main()


def _hook(found: Any) -> None:
    owner = getattr(found.object, "__self__", None)
    if isinstance(owner, Watched) and found.exc_value is not None:
        owner.keep_escaped(found.exc_value)
    elif _is_interrupted_finalizer(found):
        interrupt_again()
    else:
        _before(found)


def _is_interrupted_finalizer(found: Any) -> bool:
    """Finalizers of hlo give memory back; one that was interrupted has lost some, and nobody else."""
    if not isinstance(found.object, weakref.finalize) or not issubclass(found.exc_type, KeyboardInterrupt):
        return False
    return _is_ours(found.exc_traceback)


def _is_ours(traceback: Any) -> bool:
    """Whether a function of hlo is on the way that an exception took."""
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").startswith("hlo."):
            return True
        traceback = traceback.tb_next
    return False
