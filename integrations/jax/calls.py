"""Calls that machine code could not make (hlo.jax.call_code), and the table of Python functions that it calls."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hlo.jax.buffers import buffer_form
from hlo.jax.call_code import FAILED, LISTS, NOT_POSSIBLE, OPTIONS
from hlo.jax.errors import permanent_error
from hlo.jax.machine_code import PYTHON_SLOTS
from hlo.jax.native import borrowed, copied_buffer, delete, is_deleted, is_private, release
from hlo.jax.process_memory import WORD, keep_forever, words_at
from hlo.jax.records import CODE, OBJECTS, collect
from hlo.jax.table import callback, python_function, slot
from hlo.runtime.signature import ArrayType

if TYPE_CHECKING:
    from hlo.jax.executables import LoadedProgram

WORDS_OF_CALL = 10
"""Of the arguments of LoadedExecutable_Execute, with their header."""

_call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(CODE["Call"])


@slot()
def LoadedExecutable_Execute(fields: int) -> None:
    """Says why a call is not possible. Donated arguments that others see, and those that the options of this call keep, are copied, so
    that the program overwrites the copies; a buffer that is an argument twice cannot be donated.

    Fields: executable, options, argument lists, devices, arguments, result lists, events."""
    loaded: LoadedProgram = OBJECTS[WORD[fields]]
    handles = list(words_at(WORD[WORD[fields + 2] >> 3], WORD[fields + 4]))
    _refuse_deleted(handles)
    kept = _kept(WORD[fields + 1])
    for number in set(loaded.plan.donated) - set(kept):
        if handles.count(handles[number]) > 1:
            raise ValueError(f"argument {number}: this buffer is donated and is another argument too: f(donate(a), a)")
    copied = [n for n in loaded.plan.donated if n in kept or not is_private(handles[n])]
    with _copies(handles, copied) as given:
        status = _call_with(fields, given)
    if status == NOT_POSSIBLE:
        _refuse_deleted(handles)
        raise MemoryError(_needs(loaded))
    for number in set(copied) - set(kept):
        delete(handles[number])
    if status == FAILED:
        raise loaded.failure()


def _needs(loaded: LoadedProgram) -> str:
    memory = loaded.program.executable.memory
    return (
        f"{loaded.program.facts.name} makes {memory.results} bytes of results, with {memory.temporaries} of temporaries"
    )


def _refuse_deleted(handles: list[int]) -> None:
    for number, handle in enumerate(handles):
        if is_deleted(handle):
            raise ValueError(f"argument {number}: this buffer has been deleted or donated")


def _kept(options: int) -> tuple[int, ...]:
    """The donated arguments that the options of a call want to keep."""
    words = (options >> 3) + 7
    return words_at(WORD[words], WORD[words + 1]) if options else ()


@contextmanager
def _copies(handles: list[int], numbers: list[int]) -> Iterator[list[int]]:
    """The arguments, some of them copies."""
    given, made = list(handles), []
    try:
        for number in numbers:
            with borrowed(handles[number]) as array:
                given[number] = copied_buffer(array, buffer_form(ArrayType(array.shape, array.dtype)))
            made.append(given[number])
        yield given
    finally:
        for handle in made:
            release(handle)


def _call_with(fields: int, handles: list[int]) -> int:
    """The same call on other arguments, none of which is kept."""
    arguments = (ctypes.c_uint64 * max(1, len(handles)))(*handles)
    lists = (ctypes.c_uint64 * 1)(ctypes.addressof(arguments))
    call = (ctypes.c_uint64 * WORDS_OF_CALL)(*WORD[fields - 2 : fields - 2 + WORDS_OF_CALL])
    call[OPTIONS], call[LISTS] = 0, ctypes.addressof(lists)
    return _call(ctypes.addressof(call))


def raise_failure(fields: int) -> None:
    """Raises what a Python function of the program has raised in this thread. Fields: executable, ..."""
    raise OBJECTS[WORD[fields]].failure()


def set_python() -> None:
    """Tells machine code the Python functions that it calls, in the order of their numbers."""
    functions = [LoadedExecutable_Execute, raise_failure, lambda _: collect()]
    functions += [python_function(name) for name in PYTHON_SLOTS]
    addresses = keep_forever((ctypes.c_uint64 * len(functions))(*map(callback, functions)))
    interrupted = permanent_error("a Python function was left by an exception that it could not catch")
    pointer = ctypes.c_void_p
    ctypes.CFUNCTYPE(None, pointer, pointer)(CODE["SetPython"])(ctypes.addressof(addresses), interrupted)
