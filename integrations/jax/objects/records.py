"""Objects that JAX holds: a record (hlo.jax.code.record_words), whose address is JAX's handle, and the Python object.

Machine code reads the words; Python finds its object in `OBJECTS` by the handle. A record whose last owner is gone
waits in a list, filled without Python, until the next record is made or `collect` is called."""

from __future__ import annotations

import ctypes
from typing import Any

from hlo.jax.code import load_code
from hlo.jax.code.process_memory import WORD, keep_forever
from hlo.jax.code.record_words import COUNT, NEXT, RECORD_BYTES, RECORD_WORDS

AT_ONCE = 256

OBJECTS: dict[int, Any] = {}
CODE = load_code.load()

_free: list[int] = []
_released = (ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(CODE["Released"])(None) or 0) >> 3
_take_released = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(CODE["Collect"])
_copy = ctypes.memmove


def template(*words: int) -> ctypes.Array[ctypes.c_uint64]:
    """A record to copy: its words from word 1 on; one owner."""
    made = (ctypes.c_uint64 * RECORD_WORDS)(0, *words)
    made[COUNT] = 1
    return made


def record(thing: Any, form: ctypes.Array[ctypes.c_uint64]) -> int:
    """A new record, a copy of `form`, for a Python object. Returns the handle."""
    if WORD[_released]:
        collect()
    try:
        handle = _free.pop()
    except IndexError:
        handle = _more()
    _copy(handle, form, RECORD_BYTES)
    OBJECTS[handle] = thing
    return handle


def permanent(thing: Any, *words: int) -> int:
    """A record that is never released."""
    return record(thing, template(*words))


def set_word(handle: int, word: int, value: int) -> None:
    """Changes a word of a record."""
    WORD[(handle >> 3) + word] = value


def collect() -> None:
    """Forgets the objects of records that nobody owns any more; an object with a method `released` is told."""
    handle = _take_released(None)
    while handle:
        following = WORD[(handle >> 3) + NEXT]
        thing = OBJECTS.pop(handle)
        _free.append(handle)
        if hasattr(thing, "released"):
            thing.released()
        handle = following


def _more() -> int:
    slab = keep_forever((ctypes.c_uint64 * (RECORD_WORDS * AT_ONCE))())
    start = ctypes.addressof(slab)
    _free.extend(range(start + RECORD_BYTES, start + RECORD_BYTES * AT_ONCE, RECORD_BYTES))
    return start
