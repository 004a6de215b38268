"""The table of functions that JAX calls: machine code, some of it before Python functions (hlo.jax.python_code), and refusals for the rest.

A Python function registered with `@slot` gets the index (in `WORD`) of the first field of its arguments; what it raises becomes an
error of JAX. An interrupt is raised once more, as KeyboardInterrupt, as soon as JAX's call has come back to Python."""

from __future__ import annotations

import _thread
import atexit
import ctypes
import signal
from collections.abc import Callable
from typing import Any

from hlo.jax.errors import error_record
from hlo.jax.header import HEADER_WORDS, SHARDINGS_EXTENSION, SHARDINGS_SLOTS, SLOTS, TABLE_HEADER_WORDS, VERSION
from hlo.jax.process_memory import WORD, keep_forever, never_freed
from hlo.jax.records import CODE
from hlo.runtime.escaped_exceptions import Watched

Function = Callable[[int], None]

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
    table[:TABLE_HEADER_WORDS] = [8 * len(table), _shardings_extension(), 24, 0, VERSION[0] | VERSION[1] << 32]
    for number, name in enumerate(SLOTS):
        table[TABLE_HEADER_WORDS + number] = CODE[name]
    keep_forever(table)
    atexit.register(_disarm, table, TABLE_HEADER_WORDS)
    never_freed()
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(table), keep_forever(b"pjrt_c_api"), None)


def _shardings_extension() -> int:
    """The address of a list of extensions with one in it: size, number, the next one, functions."""
    functions = [CODE[name] for name in SHARDINGS_SLOTS]
    words = [8 * (3 + len(functions)), SHARDINGS_EXTENSION, 0, *functions]
    extension = keep_forever((ctypes.c_uint64 * len(words))(*words))
    atexit.register(_disarm, extension, 3)
    return ctypes.addressof(extension)


def python_function(name: str) -> Function:
    return _FUNCTIONS.get(name) or _refusal(name)


def callback(function: Function) -> int:
    """The address of a Python function for machine code, which passes arguments, a place for the error, and a word to give back."""
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
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _thread.interrupt_main()  # not in a moment: it belongs to this call, behind which JAX's caller may go on


def _refusal(name: str) -> Function:
    def refuse(_: int) -> None:
        raise NotImplementedError(f"PJRT_{name} is not supported by hlo")

    return refuse


def _disarm(table: Any, first: int) -> None:
    """From now on no Python runs inside JAX's calls: jaxlib drops buffers and its client while the interpreter is torn
    down. JAX keeps the table by pointer, so it is changed in place."""
    for number in range(first, len(table)):
        table[number] = CODE["Nothing"]
