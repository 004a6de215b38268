"""The table of functions that JAX calls, made of machine code, of Python functions, and of refusals for the rest.

A Python function registered with `@slot` gets the index (in `WORD`) of the first field of its arguments; what it raises becomes an
error of JAX."""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Callable
from typing import Any

from hlo.jax.errors import error_record
from hlo.jax.header import SLOTS, TABLE_HEADER_WORDS, VERSION
from hlo.jax.process_memory import keep_forever, never_freed
from hlo.jax.records import CODE

Function = Callable[[int], None]

_FUNCTIONS: dict[str, Function] = {}
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_HEADER_WORDS = 2


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
    table[:TABLE_HEADER_WORDS] = [8 * len(table), 0, 24, 0, VERSION[0] | VERSION[1] << 32]
    for number, name in enumerate(SLOTS):
        table[TABLE_HEADER_WORDS + number] = CODE.get(name) or _address(_callback(name))
    keep_forever(table)
    atexit.register(_disarm, table)
    never_freed()
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(table), keep_forever(b"pjrt_c_api"), None)


def python_address(name: str) -> int:
    """The address of a Python function that machine code stands before."""
    return _address(_callback(name))


def _callback(name: str) -> Any:
    function = _FUNCTIONS.get(name) or _refusal(name)

    def call(arguments: int) -> int | None:
        try:
            function((arguments >> 3) + _HEADER_WORDS)
        except BaseException as error:
            return error_record(error)
        return None

    return keep_forever(_CALLBACK(call))


def _refusal(name: str) -> Function:
    def refuse(_: int) -> None:
        raise NotImplementedError(f"PJRT_{name} is not supported by hlo")

    return refuse


def _address(callback: Any) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def _disarm(table: Any) -> None:
    """From now on no Python runs inside JAX's calls: jaxlib drops buffers and its client while the interpreter is torn
    down. JAX keeps the table by pointer, so it is changed in place."""
    for number in range(TABLE_HEADER_WORDS, len(table)):
        table[number] = CODE["Nothing"]
