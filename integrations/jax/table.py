"""The table of functions that JAX calls: machine code, some of it before Python functions (hlo.jax.code.python_code), and refusals for the rest.

A Python function registered with `@slot` gets the index (in `WORD`) of the first field of its arguments; what it raises
becomes an error of JAX. An interrupt is raised once more, as KeyboardInterrupt, as soon as JAX's call has come back to
Python (hlo.jax.code.python_code)."""

from __future__ import annotations

import atexit
import ctypes
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from hlo.interruption import stopping_all
from hlo.jax.code.header import (
    HEADER_WORDS,
    LAYOUTS_EXTENSION,
    LAYOUTS_SLOTS,
    PROFILER_EXTENSION,
    PROFILER_SLOTS,
    SHARDINGS_EXTENSION,
    SHARDINGS_SLOTS,
    SLOTS,
    TABLE_HEADER_WORDS,
    VERSION,
)
from hlo.jax.code.machine_code import GETTERS
from hlo.jax.code.process_memory import WORD, keep_forever, never_freed
from hlo.jax.errors import error_record
from hlo.jax.objects.records import CODE
from hlo.runtime.calls.escaped_exceptions import Watched

Function = Callable[[int], None]

INTERRUPT_WORD = keep_forever((ctypes.c_uint64 * 1)())
"""Not 0: machine code is to send an interrupt."""

RUNNING = keep_forever((ctypes.c_uint64 * 1)())
"""How many functions of the table run in Python, in all threads. Machine code counts them."""

_FUNCTIONS: dict[str, Function] = {}
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)


def slot(*names: str) -> Callable[[Function], Function]:
    """Registers a function under its names; without names, under its own."""

    def add(function: Function) -> Function:
        for name in names or (function.__name__,):
            _FUNCTIONS[name] = function
        return function

    return add


def make_capsule() -> Any:
    """The table in the capsule that JAX takes."""
    table = (ctypes.c_uint64 * (TABLE_HEADER_WORDS + len(SLOTS)))()
    table[:TABLE_HEADER_WORDS] = [8 * len(table), _extensions(), 24, 0, VERSION[0] | VERSION[1] << 32]
    for number, name in enumerate(SLOTS):
        table[TABLE_HEADER_WORDS + number] = CODE[name]
    keep_forever(table)
    atexit.register(_disarm, table, TABLE_HEADER_WORDS, SLOTS)
    atexit.register(_end_running)  # the first of these functions: they run in the opposite order
    never_freed()
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(table), keep_forever(b"pjrt_c_api"), None)


def _extensions() -> int:
    """The address of the first of a list of extensions, each of which has its size, its number, the next one, and what it offers."""
    shardings = _functions([24 + 8 * len(SHARDINGS_SLOTS), SHARDINGS_EXTENSION, 0], SHARDINGS_SLOTS)
    layouts = _functions([24 + 8 * len(LAYOUTS_SLOTS), LAYOUTS_EXTENSION, shardings], LAYOUTS_SLOTS)
    profiler = _functions([16 + 8 * len(PROFILER_SLOTS), 0], PROFILER_SLOTS)
    words = (ctypes.c_uint64 * 5)(40, PROFILER_EXTENSION, layouts, profiler, 0)
    return ctypes.addressof(keep_forever(words))


def _functions(header: list[int], names: tuple[str, ...]) -> int:
    """The address of a table of functions behind some words."""
    words = [*header, *(CODE[name] for name in names)]
    table = keep_forever((ctypes.c_uint64 * len(words))(*words))
    atexit.register(_disarm, table, len(header), names)
    return ctypes.addressof(table)


def python_function(name: str) -> Function:
    return _FUNCTIONS.get(name) or _refusal(name)


def callback(function: Function) -> int:
    """The address of a Python function for machine code, which passes arguments, a slot for the error, and a word to give back."""
    return ctypes.cast(keep_forever(_CALLBACK(_Callback(function).call)), ctypes.c_void_p).value or 0


class _Callback(Watched):
    def __init__(self, function: Function):
        super().__init__()
        self.function = function

    def call(self, arguments: int, error: int, word: int) -> int:
        try:
            self.function((arguments >> 3) + HEADER_WORDS)
        except BaseException as found:
            WORD[error >> 3] = error_record(found)
            _interrupt_again(found)
        return word

    def keep_escaped(self, error: BaseException) -> None:
        """Nobody asks for it: machine code has its own error for this case."""
        _interrupt_again(error)


def _interrupt_again(error: BaseException) -> None:
    """Behind this function: an interrupt that is sent here would be raised here."""
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        INTERRUPT_WORD[0] = 1


def _refusal(name: str) -> Function:
    def refuse(_: int) -> None:
        raise NotImplementedError(f"PJRT_{name} is not supported by hlo")

    return refuse


def _disarm(table: Any, first: int, names: Sequence[str]) -> None:
    """From now on no Python runs inside JAX's calls: jaxlib drops buffers and its client while the interpreter is torn
    down. JAX keeps the table by pointer, so it is changed in place. What only reads records stays: a compilation that
    has been stopped is an error, whose message jaxlib reads."""
    for number, name in enumerate(names, first):
        if name not in GETTERS:
            table[number] = CODE["Nothing"]


def _end_running() -> None:
    """Waits for what other threads have begun, compilations that an interrupt in the main thread has left behind: a thread
    that asks for Python while the interpreter is torn down never comes back, and jaxlib waits for it."""
    with stopping_all():
        while RUNNING[0]:
            with suppress(KeyboardInterrupt):  # it can ask for no more
                time.sleep(0.001)
