"""Ctrl-C while compiled code runs: its loops end, and the call raises KeyboardInterrupt.

A call on the main thread, while Python's own handler of SIGINT is in force, goes through `hlo_call`: as long as it runs, a handler of
ours stands before Python's. It sets the flag that loops look at (interrupted_loops.py), then calls Python's. Handlers of users
are not touched: with them, and on other threads, loops run to their end.

Loops of a grid's processes end when their run has failed (`Abandoned`)."""

from __future__ import annotations

import _signal  # signal.getsignal takes ten times as long
import _thread
import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hlo.runtime.code.process_code import Loaded, load_once

if TYPE_CHECKING:
    from hlo.runtime.calls.array_calls import QuickCalls

FLAG, THREAD, WAS_INTERRUPTED, LISTS = range(4)
"""Words of the record: flags, the thread whose loops INTERRUPTED ends, whether the last call on it was interrupted, and the first of
the lists of threads whose loops ABANDONED ends. A list is the address of the next one (0: none), how many threads follow, and their
numbers (0: none)."""

INTERRUPTED, ABANDONED = 1, 2
"""Flags."""

CALL = """
@hlo_record = global [4 x i64] zeroinitializer     ; FLAG to LISTS
@previous = internal global ptr null               ; the handler that ours stands before

define internal void @handle(i32 %signal, ptr %info, ptr %context) {
  %flags = atomicrmw or ptr @hlo_record, i64 $interrupted monotonic
  %previous = load atomic ptr, ptr @previous monotonic, align 8
  %number = ptrtoint ptr %previous to i64
  %is_function = icmp ugt i64 %number, 1           ; neither SIG_DFL nor SIG_IGN
  br i1 %is_function, label %pass_on, label %done

pass_on:
  call void %previous(i32 %signal, ptr %info, ptr %context)
  br label %done

done:
  ret void
}

; Calls the entry of a program; gives what it gives. The third word of the record says whether it was interrupted. By one thread at a time.
define i64 @hlo_call(ptr %entry, ptr %pointers) {
  %old = alloca [160 x i8], align 16               ; struct sigaction
  %new = alloca [160 x i8], align 16
  %zeros = call ptr @memset(ptr %new, i32 0, i64 160)
  store ptr @handle, ptr %new
  %flags_at = getelementptr i8, ptr %new, i64 $flags_at
  store i32 $flags, ptr %flags_at
  %thread = call i64 @pthread_self()
  store i64 %thread, ptr getelementptr (i64, ptr @hlo_record, i64 1)
  %e0 = call i32 @sigaction(i32 2, ptr %new, ptr %old)
  %previous = load ptr, ptr %old
  store atomic ptr %previous, ptr @previous monotonic, align 8
  %given = call i64 %entry(ptr %pointers)
  %e1 = call i32 @sigaction(i32 2, ptr %old, ptr null)
  %flags = atomicrmw and ptr @hlo_record, i64 $not_interrupted monotonic
  %flag = and i64 %flags, $interrupted
  store i64 %flag, ptr getelementptr (i64, ptr @hlo_record, i64 2)
  ret i64 %given
}

; The lists of threads whose loops are to end are those that begin with this one.
define void @hlo_abandon(ptr %list) {
  store atomic ptr %list, ptr getelementptr (i64, ptr @hlo_record, i64 3) seq_cst, align 8
  %none = icmp eq ptr %list, null
  br i1 %none, label %clear, label %set

clear:
  %e0 = atomicrmw and ptr @hlo_record, i64 $not_abandoned seq_cst
  ret void

set:
  %e1 = atomicrmw or ptr @hlo_record, i64 $abandoned seq_cst
  ret void
}

declare i32 @sigaction(i32, ptr, ptr)
declare i64 @pthread_self()
declare ptr @memset(ptr, i32, i64)
"""

LINUX, MACOS = (136, 0x08000000), (12, 1)
"""Of struct sigaction: where the flags are, and SA_ONSTACK, as Python sets it. No string.Template: importing it takes
as long as all of this."""


def connect(pointer: int) -> None:
    """Has the loops of a program, whose `hlo_interrupt` is at this address, look at the flag of the process."""
    ctypes.c_uint64.from_address(pointer).value = _code().address("hlo_record")


def text() -> str:
    """LLVM IR of `hlo_call` for this system."""
    flags_at, flags = MACOS if sys.platform == "darwin" else LINUX
    words = {"flags_at": flags_at, "flags": flags, "interrupted": INTERRUPTED, "not_interrupted": ~INTERRUPTED,
             "abandoned": ABANDONED, "not_abandoned": ~ABANDONED}  # fmt: skip
    text = CALL
    for name, value in words.items():
        text = text.replace(f"${name}", str(value))
    return text


@functools.cache
def _code() -> Loaded:
    return load_once(text())


@functools.cache
def _call() -> ctypes._FuncPointer:  # type: ignore[name-defined]
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(_code().address("hlo_call"))


@functools.cache
def _abandon() -> ctypes._FuncPointer:  # type: ignore[name-defined]
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_code().address("hlo_abandon"))


@functools.cache
def _interrupted() -> ctypes.c_int64:
    return ctypes.c_int64.from_address(_code().address("hlo_record") + 8 * WAS_INTERRUPTED)


_SIGINT = int(_signal.SIGINT)
_main = threading.main_thread().ident
_running = False
"""Whether a call of the main thread runs: calls that its custom calls make go without, since the loops of all end at once."""


def _note_main_thread() -> None:
    global _main
    _main = threading.main_thread().ident


os.register_at_fork(after_in_child=_note_main_thread)


def may_interrupt() -> bool:
    """Whether a call of this thread is one that Ctrl-C is to end."""
    is_default = _signal.getsignal(_SIGINT) is _signal.default_int_handler
    return is_default and threading.get_ident() == _main and not _running


def call(entry: int, pointers: int) -> int:
    """Calls the entry of a program; returns what it gives. Raises KeyboardInterrupt if it was interrupted: its results are undefined."""
    global _running
    try:
        _running = True
        given: int = _call()(entry, pointers)
    finally:
        _running = False
    _raise_interrupt()
    return given


def guard() -> int:
    """The address of `hlo_call`."""
    return _code().address("hlo_call")


def quick_calls(plain: QuickCalls, guarded: QuickCalls) -> QuickCalls:
    """Calls by `guarded`, which calls the program through `hlo_call`, where Ctrl-C is to end them; by `plain` elsewhere."""
    interrupted = _interrupted()

    def call(arrays: tuple[Any, ...]) -> Any:
        global _running
        if not may_interrupt():
            return plain(arrays)
        try:
            _running = True
            results = guarded(arrays)
        finally:
            _running = False
        if interrupted.value and results is not None:  # None: the program was not called, or is called again
            _raise_interrupt()
        return results

    return call


def _raise_interrupt() -> None:
    """Raises KeyboardInterrupt if the last call through `hlo_call` was interrupted."""
    if _interrupted().value:
        ctypes.pythonapi.PyErr_CheckSignals()  # raises what Python has noted, if it has not yet
        raise KeyboardInterrupt


class Abandoned:
    """The threads of a run, whose loops can be told to end. A thread writes its number (pthread_self) into one of the words from
    `first` on before it runs a program, and 0 behind it: the next program that it runs is another's."""

    def __init__(self, count: int):
        self._words = (ctypes.c_int64 * (2 + count))(0, count)
        self._not_begun: list[ctypes.c_int64 | int] = [NOT_BEGUN] * count

    @property
    def first(self) -> int:
        """An address."""
        return ctypes.addressof(self._words) + 16

    def begin(self) -> None:
        """Before a run: none of its threads has begun."""
        self._words[2:] = self._not_begun

    def call(self, number: int, function: Callable[[], Any]) -> Any:
        """What the function gives, which runs programs on this thread, as the one of that number."""
        self._words[2 + number] = threading.get_ident()
        try:
            return function()
        finally:
            self._words[2 + number] = 0

    def end_loops(self) -> None:
        """Ends the loops of the threads, now and later on, until each has come to the end of its call."""
        with _abandoning:
            if self._words not in _abandoned:
                _abandoned.append(self._words)
                _link()


NOT_BEGUN = 1
"""In the place of a thread's number."""

_abandoning = _thread.allocate_lock()
_abandoned: list[ctypes.Array[ctypes.c_int64]] = []
_kept: list[ctypes.Array[ctypes.c_int64]] = []
"""Lists of runs that are over: a loop may read them still."""


def forget_ended() -> None:
    """Loops look through the lists of failed runs until this finds that all their threads have come to their end."""
    if not _abandoned:
        return
    with _abandoning:
        ended = [words for words in _abandoned if not any(words[2:])]
        if ended:
            _kept.extend(ended)
            _abandoned[:] = [words for words in _abandoned if words not in ended]
            _link()


def _link() -> None:
    """A loop that is in the middle of the lists comes to their end in the old or in the new order."""
    addresses = [ctypes.addressof(words) for words in _abandoned]
    for words, following in zip(_abandoned, [*addresses[1:], 0]):
        words[0] = following
    _abandon()(addresses[0] if addresses else None)
